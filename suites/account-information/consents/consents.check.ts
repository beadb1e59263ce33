import { type Context, check } from '../../../engine/suite-api/check.ts'
import { daysFromNow } from '../../../engine/suite-api/consents.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import { requireExchange } from '../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { answerOf, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { everything } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { dear, expectTable } from '../../tables.ts'
import { dateTime } from '../../values/date-time.ts'
import {
  ACCOUNTS,
  bodiesWithoutObject,
  CONSENTS,
  consentBody,
  consentPath,
  create,
  expectNotAdopted,
  fieldsOfTheBank,
  pastPeriod,
  requireConsentId,
  TELLS_TIMES,
} from '../common/consents/consent-requests.ts'
import { expectLeapDay } from '../common/data/calendar-days.ts'
import { dateTimePlaces, isMalformed, isSpelled } from '../common/places/date-time-places.ts'
import { clientsOf } from '../common/registration/clients.ts'

/**
 * POST /account-access-consents.
 * Requirements: specs/account-information/consents.yaml
 */

check('CONS-01/answers-201', 'A valid request for a consent answers 201', {}, async ({ steps }) => {
  expect(requireExchange(await steps.consent(everything))).toHaveStatus(201)
})

check(
  'CONS-03/unique',
  'The same request twice gives two ConsentIds',
  { for: 'each client' },
  async ({ caller }) => {
    const client = await caller()
    const first = await create(client)
    const second = await create(client)
    relyOn(OWNERS.consent, first).toSucceed()
    relyOn(OWNERS.consent, second).toSucceed()
    expectThat(requireConsentId(first) !== requireConsentId(second), {
      message: 'two consents have the same ConsentId',
      expected: `another ConsentId than ${requireConsentId(first)}`,
      actual: requireConsentId(second),
      exchange: second,
      place: '/Data/ConsentId',
    })
  },
)

/** Three consents, each with different contents. */
const threeConsents = () =>
  [1, 2, 3].map((day) => ({
    ...(day % 2 === 0 && ACCOUNTS),
    ExpirationDateTime: daysFromNow(30 + day),
  }))

/**
 * Three requests at once, over connections that are already open, then two queries. Rules judge whether
 * each answer fits its own request. Not applicable where fewer than two are answered with a consent.
 */
check(
  'CONS-03/at-once',
  'Requests at the same time each give a different ConsentId',
  { follows: ['CONS-03/unique'] },
  async ({ caller }) => {
    const client = await caller()
    const [control, ...others] = threeConsents()
    const first = await create(client, control)
    relyOn(OWNERS.consentWithExpiry, first).toSucceed()
    // Connections that are opened only now would delay some of the requests.
    const path = consentPath(requireConsentId(first))
    await Promise.all(others.map(() => client.get(path)))
    const answers = await Promise.all([control, ...others].map((data) => create(client, data)))
    const created = answers.filter(succeeded)
    if (created.length < 2) throw new NotApplicable('the bank serves one such request at a time')
    const ids = new Set<string>()
    for (const answer of created) {
      const id = requireConsentId(answer)
      expectThat(!ids.has(id), {
        message: 'two consents that were created at once have the same ConsentId',
        expected: 'another ConsentId for each',
        actual: id,
        exchange: answer,
        place: '/Data/ConsentId',
      })
      ids.add(id)
    }
    await Promise.all([...ids].slice(0, 2).map((id) => client.get(consentPath(id))))
  },
)

check(
  'CONS-13/accepted',
  'ExpirationDateTime may be sent, in any RFC 3339 spelling of UTC',
  { asks: [dateTime] },
  async (context) => {
    for (const name of clientsOf(context)) {
      relyOn(OWNERS.consent, await create(await context.caller(name))).toSucceed()
    }
    await expectTable(context, {
      ...{ owner: 'CONS-13/accepted', type: dateTime, rows: isSpelled },
      places: dateTimePlaces(context, ['ExpirationDateTime'], 'judged here'),
    })
  },
)

const PERIOD = ['TransactionFromDateTime', 'TransactionToDateTime'] as const

check(
  'CONS-14/accepted',
  'TransactionFromDateTime and TransactionToDateTime may be sent, each alone or both, in any RFC 3339 spelling of UTC',
  { asks: [dateTime], follows: ['CONS-13/accepted'] },
  async (context) => {
    for (const name of clientsOf(context)) {
      const client = await context.caller(name)
      relyOn(OWNERS.consent, await create(client)).toSucceed()
      expect(await create(client, pastPeriod())).toSucceed()
    }
    const client = await context.caller()
    await expectLeapDay((instant) => create(client, { TransactionFromDateTime: instant }))
    await expectTable(context, {
      ...{ owner: 'CONS-14/accepted', type: dateTime, rows: isSpelled },
      places: dateTimePlaces(context, PERIOD, 'judged here'),
    })
  },
)

check(
  'CONS-15/malformed',
  'A date-time field that does not hold a date-time is refused',
  { asks: [dateTime] },
  async (context) =>
    expectTable(context, {
      ...{ owner: 'CONS-15/malformed', type: dateTime, rows: isMalformed },
      places: dear(dateTimePlaces(context, ['ExpirationDateTime', ...PERIOD], 'of its owner')),
    }),
)

/** Records the answer to a request that differs from the correct one. */
async function record({ caller, observe }: Context, what: string, body: unknown): Promise<void> {
  const client = await caller()
  const answer = await client.post(CONSENTS, body, { deviation: what })
  observe(`${what} at creation`, answerOf(answer), answer)
}

check('CONS-16/recorded', 'What an ExpirationDateTime in the past gives', {}, async (context) => {
  const body = consentBody({ ExpirationDateTime: daysFromNow(-1) })
  await record(context, 'ExpirationDateTime in the past', body)
})

check('CONS-17/recorded', 'What a period that ends before it starts gives', {}, async (context) => {
  const body = consentBody({
    TransactionFromDateTime: pastPeriod().TransactionToDateTime,
    TransactionToDateTime: pastPeriod().TransactionFromDateTime,
  })
  await record(context, 'a period that ends before it starts', body)
})

check(
  'CONS-28/recorded',
  'What no Risk, a filled Risk and an unknown member give',
  {},
  async (context) => {
    const { Data } = consentBody()
    await record(context, 'no Risk', { Data })
    await record(context, 'a filled Risk', { Data, Risk: { x: 1 } })
    await record(context, 'an unknown member of Data', consentBody({ Unknown: 1 }))
  },
)

/**
 * POST with ConsentId, Status Authorised, and CreationDateTime and StatusUpdateDateTime in 2001 in Data: refused, or
 * 2xx with another ConsentId, another Status and other times; the query of that consent also shows others.
 */
check(
  'CONS-19/not-adopted',
  'ConsentId, Status and times of the request are not adopted for the consent',
  { for: 'each client' },
  async ({ caller }) => {
    const client = await caller()
    const without = await create(client)
    relyOn(OWNERS.consent, without).toSucceed()
    const fields = fieldsOfTheBank()
    const answer = await create(client, fields, {
      deviation: 'ConsentId, Status and times in the request',
      about: TELLS_TIMES,
    })
    expectNotAdopted(answer, fields, without)
    const id = member(answer.response?.json, 'Data', 'ConsentId')
    if (!succeeded(answer) || typeof id !== 'string') return
    const told = { deviation: 'a consent whose request named a Status', about: TELLS_TIMES }
    expectNotAdopted(await client.get(consentPath(id), told), fields, without)
  },
)

check(
  'CONS-20/malformed-json',
  'A body that is not a JSON object is refused',
  { for: 'each client' },
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client)).toSucceed()
    for (const [deviation, body] of bodiesWithoutObject(consentBody())) {
      expect(await client.post(CONSENTS, body, { deviation })).toBeRefused()
    }
  },
)

check(
  'CONS-21/year-ahead',
  'An ExpirationDateTime a year ahead is accepted',
  { for: 'each client' },
  async ({ caller }) => {
    const client = await caller()
    relyOn(
      OWNERS.consentWithExpiry,
      await create(client, { ExpirationDateTime: daysFromNow(30) }),
    ).toSucceed()
    expect(await create(client, { ExpirationDateTime: daysFromNow(365) })).toSucceed()
  },
)

check(
  'CONS-35/ends-later',
  'A transaction period that ends in the future is accepted',
  {},
  async ({ caller }) => {
    const client = await caller()
    const later = daysFromNow(60)
    relyOn(OWNERS.consentWithPeriod, await create(client, pastPeriod())).toSucceed()
    // An expiry in the same format: a bank that refuses it does not support the format.
    const expiring = await create(client, { ExpirationDateTime: later })
    relyOn(OWNERS.consentWithExpiry, expiring).toSucceed()
    const period = { ...pastPeriod(), TransactionToDateTime: later }
    expect(await create(client, period)).toSucceed()
  },
)
