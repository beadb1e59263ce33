import { createDirectory } from '../../bank/directory/directory.ts'
import { severalAtATime } from '../run/several.ts'
import { type Ended, judgeInTrouble, otherOutcomes } from './judge-in-trouble.ts'
import { troubleOf, wordsOf } from './troubles.ts'

/** A run during which a part of the system failed, and what is wrong with its end. */
export interface ChaosProof {
  seed: number
  words: string
  exit: number | null
  complaints: string[]
  /** Output of the run; only when there are complaints. */
  said?: string
}

/**
 * Judges a correct bank once for each seed, while system calls of the judging command fail, or its clock is changed, as
 * the seed says.
 *
 * @param tell called with each proof as soon as it is known.
 */
export async function proveChaos(
  seeds: readonly number[],
  processes: number,
  tell: (proof: ChaosProof) => void,
): Promise<ChaosProof[]> {
  const directory = await createDirectory()
  try {
    const ofClock = seeds.some((seed) => troubleOf(seed).kind === 'clock')
    const undisturbed = ofClock ? await judgeInTrouble(directory, { only: ONLY }) : undefined
    return await severalAtATime(seeds, processes, async (seed) => {
      const ended = await judgeInTrouble(directory, { only: ONLY, trouble: troubleOf(seed) })
      const { exit, said } = ended
      const ofKind = undisturbed && troubleOf(seed).kind === 'clock'
      const complaints = [
        ...complaintsOf(ended),
        ...(ofKind ? complaintsOfClock(ended, undisturbed) : []),
      ]
      const proof = { seed, words: wordsOf(seed), exit, complaints }
      const told = complaints.length === 0 ? proof : { ...proof, said }
      tell(told)
      return told
    })
  } finally {
    await directory.close()
  }
}

/** Chapters that create consents, send customers to the bank, and read data. */
const ONLY = ['account-information/consents', 'account-information/balances', 'SEC-05', 'CLC-01']

/** Output that a user must never see. */
const STACK = /^\s+at .*\d+:\d+\)?$/m

function complaintsOf({ exit, said, report, left, unread }: Ended): string[] {
  const named = new Set(report?.leftBehind.map(({ id }) => id))
  const unnamed = report ? left.filter((id) => !named.has(id)) : []
  const broken = report?.checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
  return [
    ...(exit === null || ![0, 2, 3, 4, 5].includes(exit) ? [`exit code ${exit}`] : []),
    ...(STACK.test(said) ? ['a stack trace'] : []),
    ...(said.trim() === '' ? ['nothing was said'] : []),
    // A failure to write or read at the end is reported, and has an exit code of its own.
    ...(report && report.exitCode !== exit && exit !== 2 && exit !== 5
      ? [`the report says exit code ${report.exitCode}`]
      : []),
    ...(!report && exit !== 2 && exit !== 5 ? ['there is no report'] : []),
    ...(broken ?? []).map(({ id, message }) => `blames the correct bank: ${id}: ${message}`),
    // A consent whose answer was never read cannot be named.
    ...(unnamed.length > unread ? [`${unnamed.length} consents are left and not named`] : []),
  ]
}

/** A changed clock is reported and changes nothing else. */
export function complaintsOfClock(ended: Ended, undisturbed: Ended): string[] {
  if (!ended.clockSet) return ['the run ended before the clock was set']
  return [
    ...otherOutcomes(ended, undisturbed),
    ...(ended.said.split(TOLD).length === 2 ? [] : ['the clock that was set is not told of once']),
  ]
}

const TOLD = 'The clock of this machine was set'
