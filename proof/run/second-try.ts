import type { Answer } from './worker-pool.ts'

/** A proof that may be tried again. */
interface Tried {
  id: string
  complaints: string[]
  /** Complaints at the first try. */
  atFirst?: string[]
}

/**
 * Repeats a proof that does not hold, because a busy machine may be late once. A proof that holds at the second try
 * reports the complaints of the first.
 *
 * @param prove gets a function that schedules a job to be done instead.
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
