import { createDirectory } from '../../bank/directory/directory.ts'
import type { Report } from '../../engine/report/report.ts'
import { severalAtATime } from '../run/several.ts'
import { type Ended, judgeInTrouble, type Met } from './judge-in-trouble.ts'

/** A run during which something was wrong with its system, and what is wrong with its end. */
export interface ChaosProof {
  seed: number
  words: string
  exit: number | null
  complaints: string[]
  /** Output of the run; only when there are complaints. */
  said?: string
}

/** What happens to the run of a seed, and how its end is compared with that of an undisturbed run. */
export interface Disturbance {
  /** Ids and chapters that are judged; absent: the whole suite. */
  only?: readonly string[]
  words(seed: number): string
  met(seed: number): Met
  complaints(ended: Ended, undisturbed: Ended, met: Met): string[]
}

/**
 * Judges a correct bank once for each seed.
 *
 * @param tell called with each proof as soon as it is known.
 */
export async function proveRuns(
  { only, words, met: metAt, complaints: complaintsOf }: Disturbance,
  seeds: readonly number[],
  processes: number,
  tell: (proof: ChaosProof) => void,
): Promise<ChaosProof[]> {
  const directory = await createDirectory()
  try {
    const scope = only ? { only } : {}
    const undisturbed = await judgeInTrouble(directory, scope)
    return await severalAtATime(seeds, processes, async (seed) => {
      const met = metAt(seed)
      const ended = await judgeInTrouble(directory, { ...met, ...scope })
      const complaints = complaintsOf(ended, undisturbed, met)
      const proof = { seed, words: words(seed), exit: ended.exit, complaints }
      const told = complaints.length === 0 ? proof : { ...proof, said: ended.said }
      tell(told)
      return told
    })
  } finally {
    await directory.close()
  }
}

/** A changed clock is reported once and changes nothing else. */
export function complaintsOfClock(ended: Ended, undisturbed: Ended): string[] {
  if (!ended.clockSet) return ['the run ended before the clock was set']
  return [
    ...otherOutcomes(ended, undisturbed),
    ...(ended.said.split(TOLD).length === 2 ? [] : ['the clock that was set is not told of once']),
  ]
}

const TOLD = 'The clock of this machine was set'

/** How the outcomes of a run differ from those of an undisturbed run, in words. */
export function otherOutcomes({ exit, report }: Ended, undisturbed: Ended): string[] {
  const found = outcomesIn(report)
  const otherwise = [...outcomesIn(undisturbed.report)].filter(
    ([id, outcome]) => found.get(id) !== outcome,
  )
  return [
    ...(exit === undisturbed.exit ? [] : [`exit code ${exit} instead of ${undisturbed.exit}`]),
    ...otherwise.map(([id, outcome]) => `${id}: ${found.get(id)} instead of ${outcome}`),
  ]
}

const outcomesIn = (report: Report | undefined) =>
  new Map(report?.checks.map(({ id, outcome }) => [id, outcome]))
