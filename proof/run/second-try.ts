import type { Answer } from './worker-pool.ts'

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
 *
 * @param prove is handed what takes down a job that is to be done instead.
 */
export async function triedTwice<Job, Proof extends Tried>(
  prove: (later: (job: Job) => void) => Promise<Proof[]>,
): Promise<Answer<Job, Proof>> {
  const tried = async () => {
    const more: Job[] = []
    return { results: await prove((job) => more.push(job)), more }
  }
  const first = await tried()
  const broken = new Map(first.results.map(({ id, complaints }) => [id, complaints]))
  if (first.results.every(({ complaints }) => complaints.length === 0)) return first
  const { results, more } = await tried()
  return { results: results.map((each) => ({ ...each, atFirst: broken.get(each.id) ?? [] })), more }
}
