import type { Ended } from './judge-in-trouble.ts'
import { complaintsOfClock, type Disturbance } from './prove-runs.ts'
import { troubleOf, wordsOf } from './troubles.ts'

/** Chapters that create consents, send customers to the bank, and read data. */
const ONLY = ['account-information/consents', 'account-information/balances', 'SEC-05', 'CLC-01']

/** System calls of the judging command fail, or its clock is changed, as the seed says. */
export const CHAOS: Disturbance = {
  only: ONLY,
  words: wordsOf,
  met: (seed) => ({ trouble: troubleOf(seed) }),
  complaints: (ended, undisturbed, { trouble }) => [
    ...complaintsOf(ended),
    ...(trouble?.kind === 'clock' ? complaintsOfClock(ended, undisturbed) : []),
  ],
}

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
