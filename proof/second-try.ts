/** What a proof says that may be tried again. */
interface Tried {
  id: string
  complaints: string[]
  /** What did not hold at the first try. */
  atFirst?: string[]
}

/**
 * Proves once more what did not hold: a machine that is busy elsewhere may be late once. What holds at the
 * second try says so, with what it said at the first.
 */
export async function triedTwice<Proof extends Tried>(
  prove: () => Promise<Proof[]>,
): Promise<Proof[]> {
  const first = await prove()
  const broken = new Map(first.map(({ id, complaints }) => [id, complaints]))
  if (first.every(({ complaints }) => complaints.length === 0)) return first
  const second = await prove()
  return second.map((proof) => ({ ...proof, atFirst: broken.get(proof.id) ?? [] }))
}
