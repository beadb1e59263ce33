import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { judgeBank, openProofContext, type ProofContext } from '../../proof/run/judge-bank.ts'
import { loadVariants } from '../../proof/run/load.ts'
import { openDirectory } from '../directory.ts'
import { random } from '../random.ts'

/** What is judged alone rests on what the selection left out, in another order than in a whole run. */

let context: ProofContext
let variants: Awaited<ReturnType<typeof loadVariants>>

beforeAll(async () => {
  context = await openProofContext(openDirectory())
  variants = await loadVariants()
}, 300_000)

afterAll(() => context.directory.close())

/** What a selection finds wrong at a lawful bank. */
async function alarms(ids: readonly string[], only: string[]): Promise<string[]> {
  const altered = variants.filter(({ id }) => ids.includes(id))
  expect(altered.map(({ id }) => id).sort()).toEqual([...ids].sort())
  const allowed = altered.flatMap(({ warns = [] }) => warns)
  const target = (document: TargetDocument) => {
    for (const variant of altered) variant.target?.(document)
  }
  const { results } = await judgeBank(context, altered, {
    scope: { profile: 'full', only },
    target,
  })
  return [...results.values()]
    .filter(({ outcome }) => ['fail', 'warn', 'error'].includes(outcome))
    .filter(({ id }) => !allowed.includes(id))
    .map(({ id, message }) => `${only.join(' ')} at ${ids.join(' ')}: ${id}: ${message}`)
}

test.each([
  ['status-lags-behind-approval', ['account-information/life-cycle']],
  ['only-the-newest-approval', ['account-information/authorisation']],
  ['newest-approval-of-one-client', ['account-information/transactions']],
  ['later-registrations-replace-the-client', ['account-information/transactions']],
  [
    'newest-approval-revokes-at-the-decision',
    ['account-information/accounts', 'account-information/registration'],
  ],
  ['software-registers-once', ['REG-08/created', 'REG-04/subset']],
  [
    'newest-approval-ends-access-tokens-alone',
    ['account-information/life-cycle', 'account-information/token'],
  ],
])('%s raises no alarm either where %j alone is judged', async (variant, only) => {
  expect(await alarms([variant], only)).toEqual([])
})

test('what an ending check rests on is not judged by what it ended', async () => {
  expect(await alarms([], ['CLC-04/re-confirmed', 'CLC-11/second-client'])).toEqual([])
})

test('a few checks drawn by lot raise no alarm at a lawful bank', async () => {
  const draw = random(20)
  const one = <T>(of: readonly T[]) => of[Math.floor(draw() * of.length)] as T
  const checks = context.suites.checks.map(({ id }) => id)
  const found: string[] = []
  for (let time = 0; time < 16; time += 1) {
    const only = Array.from({ length: 2 + Math.floor(draw() * 5) }, () => one(checks))
    const bank = time % 2 === 0 ? [] : [one(variants).id]
    found.push(...(await alarms(bank, only)))
  }
  expect(found).toEqual([])
}, 120_000)
