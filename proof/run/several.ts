/** Does the work for the items in order, several at a time. Returns the results in the order in which they finished. */
export async function severalAtATime<Item, Done>(
  items: readonly Item[],
  processes: number,
  work: (item: Item) => Promise<Done>,
): Promise<Done[]> {
  const left = [...items]
  const done: Done[] = []
  const worker = async () => {
    while (left.length > 0) done.push(await work(left.shift() as Item))
  }
  await Promise.all(Array.from({ length: processes }, worker))
  return done
}
