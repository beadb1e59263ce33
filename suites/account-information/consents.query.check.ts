import { randomUUID } from 'node:crypto'
import { daysFromNow } from '../../engine/journey/consent.ts'
import { check } from '../../engine/journey/context.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { member } from '../../engine/judge/rows.ts'
import { brief } from '../../engine/judge/schemas.ts'
import {
  consentIdOf,
  consentPath,
  create,
  NINE_PERMISSIONS,
  newConsentId,
  PERIOD,
} from './consent-requests.ts'
import { secondsOf } from './instants.ts'

/**
 * GET /account-access-consents/{ConsentId}.
 * Requirements: specs/account-information/consents.yaml
 */

check(
  'CONS-22/answers-200',
  'The owner’s query of a consent answers 200',
  {},
  async ({ caller }) => {
    const client = await caller()
    const id = await newConsentId(client)
    expect(await client.get(consentPath(id))).toHaveStatus(200)
  },
)

/** Permissions as a set, date-times as instants; undefined where a rule condemns the value. */
function comparable(name: string, value: unknown): string | undefined {
  if (name !== 'Permissions') return secondsOf(value)?.toString()
  return Array.isArray(value) ? [...new Set(value)].sort().join() : undefined
}

/** Is a member of a new consent the same in the query? */
function kept(name: string, old: unknown, now: unknown): boolean {
  if (name === 'Status') return old !== 'AwaitingAuthorisation' || now === old
  if (old === undefined || now === undefined) return old === undefined
  const [one, other] = [comparable(name, old), comparable(name, now)]
  return one === undefined || other === undefined || one === other
}

check(
  'CONS-22/as-created',
  'The query of a new consent shows it as it was created',
  {},
  async ({ caller }) => {
    const client = await caller()
    const Permissions = NINE_PERMISSIONS
    const ExpirationDateTime = daysFromNow(30)
    relyOn('CONS-09/all-nine', await create(client, { Permissions }))
    relyOn(OWNERS.consentWithExpiry, await create(client, { ExpirationDateTime }))
    const asked: Record<string, unknown> = { Permissions, ExpirationDateTime, ...PERIOD }
    const created = await create(client, asked)
    relyOn(OWNERS.consentWithPeriod, created)

    const query = await client.get(consentPath(consentIdOf(created)))

    relyOn(OWNERS.query, query)
    const before = member(created.response?.json, 'Data')
    const after = member(query.response?.json, 'Data')
    // That these are there is CONS-30's.
    const always = ['Permissions', 'CreationDateTime', 'Status']
    for (const name of [...always, 'ExpirationDateTime', ...Object.keys(PERIOD)]) {
      const [old, now] = [member(before, name), member(after, name)]
      if (now === undefined && always.includes(name)) continue
      // What is not as requested at creation already is a rule's.
      if (name in asked && comparable(name, old) !== comparable(name, asked[name])) continue
      expectThat(kept(name, old, now), {
        message: `${name} is another one than at creation`,
        expected: brief(old),
        actual: brief(now),
        exchange: query,
        place: `/Data/${name}`,
      })
    }
  },
)

check(
  'CONS-23/invalid-id',
  'The query of an invalid ConsentId gives an error response',
  {},
  async ({ caller }) => {
    const client = await caller()
    const own = await client.get(consentPath(await newConsentId(client)))
    relyOn(OWNERS.query, own)
    for (const id of [randomUUID(), 'x', 'x'.repeat(200)]) {
      const deviation = `ConsentId of nothing, ${id.length} characters`
      expect(await client.get(consentPath(id), { deviation })).toBeAnError()
    }
    const deviation = 'ConsentId with a quotation mark'
    expect(await client.get(consentPath("' OR 1=1"), { deviation })).toBeRefused()
  },
)
