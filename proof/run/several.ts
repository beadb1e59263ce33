/** Does the work for each item in turn, so many at a time; what came of each, as it ended. */
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
