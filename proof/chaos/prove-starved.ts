import { createDirectory } from '../../bank/directory/directory.ts'
import { drawnAt } from '../../engine/judge/cells.ts'
import { severalAtATime } from '../run/several.ts'
import { type Ended, judgeInTrouble, type Met, otherOutcomes } from './judge-in-trouble.ts'
import { type ChaosProof, complaintsOfClock } from './prove-chaos.ts'

const HOUR = 3_600_000

/** Minimum number of chunks that a process of a whole run receives over connections. */
const PIECES = 3000

/** The scarce resources in turn: in words, and as conditions of the run. */
const SHORT_OF: { words: string; met(seed: number): Met }[] = [
  { words: 'a tenth of the processor', met: () => ({ isSlowed: true }) },
  { words: '20 ms more for each answer', met: () => ({ delay: 20 }) },
  { words: '128 MB of memory', met: () => ({ heap: 128 }) },
  {
    words: 'the clock set by an hour',
    met: (seed) => ({
      trouble: {
        kind: 'clock',
        by: drawnAt(seed, 'forward') < 1 / 2 ? HOUR : -HOUR,
        after: Math.floor(drawnAt(seed, 'after') * PIECES),
      },
    }),
  },
]

/**
 * Judges a correct bank by the whole suite once for each seed, in turn with little processor time, slow answers, little
 * memory or a changed clock: every outcome must be that of an undisturbed run.
 *
 * @param tell called with each proof as soon as it is known.
 */
export async function proveStarved(
  seeds: readonly number[],
  processes: number,
  tell: (proof: ChaosProof) => void,
): Promise<ChaosProof[]> {
  const directory = await createDirectory()
  try {
    const undisturbed = await judgeInTrouble(directory, {})
    return await severalAtATime(seeds, processes, async (seed) => {
      const kind = SHORT_OF[seed % SHORT_OF.length]
      const met = kind?.met(seed) ?? {}
      const ended = await judgeInTrouble(directory, met)
      const complaints = complaintsOf(ended, undisturbed, met)
      const words = `seed ${seed}: ${kind?.words}`
      const proof = { seed, words, exit: ended.exit, complaints }
      const told = complaints.length === 0 ? proof : { ...proof, said: ended.said }
      tell(told)
      return told
    })
  } finally {
    await directory.close()
  }
}

function complaintsOf(ended: Ended, undisturbed: Ended, { trouble }: Met): string[] {
  if (trouble) return complaintsOfClock(ended, undisturbed)
  return otherOutcomes(ended, undisturbed)
}
