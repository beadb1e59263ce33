import { afterAll, expect, test } from 'vitest'
import { contextFor } from '../../engine/client-session/context.ts'
import type { Session } from '../../engine/client-session/session.ts'
import type { Context } from '../../engine/suite-api/check.ts'
import { check, registeredChecks } from '../../engine/suite-api/check.ts'
import { consent, type NamedConsent } from '../../engine/suite-api/consents.ts'
import { sharedFixture } from '../../engine/suite-api/shared-fixture.ts'

/** Undeclared use of an approval: most of this file is judged by the compiler, `npm run types`. */

const one = consent({ name: 'one', purpose: '', permissions: [] })
const other = consent({ name: 'other', purpose: '', permissions: [] })

/** The suites are loaded without them by other files in this process. */
afterAll(() => {
  const checks = registeredChecks()
  checks.splice(0, checks.length, ...checks.filter(({ id }) => !id.startsWith('TEST-01/')))
})

const ofOne = sharedFixture([one], ({ approved }) => approved(one))
const ofBoth = sharedFixture([one, other], async ({ approved }) => {
  await approved(one)
  return approved(other)
})

check(
  'TEST-01/declared',
  'Declared use compiles',
  { uses: [one], spends: other },
  async (context) => {
    await context.approved(one)
    await context.approved(other)
    await context.steps.accounts(one)
    await ofOne(context)
    await ofBoth(context)
  },
)

check('TEST-01/undeclared', 'Undeclared use does not', { uses: [one] }, async (context) => {
  // @ts-expect-error
  await context.approved(other)
  // @ts-expect-error
  await context.steps.accounts(other)
  // @ts-expect-error
  await context.steps.visit(other)
  // @ts-expect-error
  await ofBoth(context)
  await ofOne(context)
})

check('TEST-01/none', 'A check that names none is given none', {}, async (context) => {
  // @ts-expect-error
  await context.approved(one)
  // @ts-expect-error
  await ofOne(context)
})

// @ts-expect-error
check('TEST-01/misspelt', 'A name is no approval', { uses: ['one'] }, async () => {})

test('undeclared use throws at run time too, also of what is remembered', async () => {
  const asked: string[] = []
  const ask = async ({ name }: NamedConsent) => asked.push(name)
  const steps = { visit: ask, exchange: ask, refresh: ask, accounts: ask, consent: ask }
  const session = { steps, approved: ask, hooks: {}, extent: {} } as unknown as Session
  const contextOf = (...uses: NamedConsent[]) =>
    contextFor({ id: 'TEST-01/x', uses }, session, () => {}) as Context<NamedConsent>

  const both = contextOf(one, other)
  await both.approved(one)
  await ofBoth(both)
  expect(asked).toEqual(['one', 'one', 'other'])

  const narrow = contextOf(one)
  const words = 'TEST-01/x asks for “other”, which its options do not name'
  expect(() => narrow.approved(other)).toThrow(words)
  for (const step of ['visit', 'exchange', 'refresh', 'accounts'] as const) {
    expect(() => narrow.steps[step](other)).toThrow(words)
  }
  expect(() => ofBoth(narrow)).toThrow(words)
  await ofOne(narrow)
})

test('an approval that chooses the dates of another is asked for before it', () => {
  const steps = { consent: async () => {} }
  const session = { steps, hooks: {}, extent: {} } as unknown as Session
  const dated = consent({
    ...{ name: 'dated', purpose: '', permissions: [] },
    dates: { of: one, choose: async () => undefined },
  })
  const context = contextFor({ id: 'TEST-01/x', uses: [] }, session, () => {})
  expect(() => context.steps.consent(dated)).toThrow('asks for “dated”')
  expect(() => context.steps.consent(one)).not.toThrow()
})

test('an id is defined once', () => {
  const ids = registeredChecks().map(({ id }) => id)
  expect(ids).toContain('TEST-01/declared')
  expect(() => check('TEST-01/declared', 'again', {}, async () => {})).toThrow('defined twice')
})
