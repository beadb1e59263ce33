import { drawnAt } from '../../engine/judge/cells.ts'
import { HOUR } from '../../engine/record/durations.ts'
import type { Met } from './judge-in-trouble.ts'
import { complaintsOfClock, type Disturbance, otherOutcomes } from './prove-runs.ts'

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

const shortOf = (seed: number) => SHORT_OF[seed % SHORT_OF.length]

/**
 * In turn little processor time, slow answers, little memory or a changed clock: every outcome of the whole suite must be
 * that of an undisturbed run.
 */
export const STARVED: Disturbance = {
  words: (seed) => `seed ${seed}: ${shortOf(seed)?.words}`,
  met: (seed) => shortOf(seed)?.met(seed) ?? {},
  complaints: (ended, undisturbed, { trouble }) =>
    trouble ? complaintsOfClock(ended, undisturbed) : otherOutcomes(ended, undisturbed),
}
