import { randomUUID } from 'node:crypto'
import { daysFromNow } from '../../engine/journey/consent.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { exchangeOf, OWNERS } from '../../engine/journey/steps.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { answerOf, succeeded } from '../../engine/judge/matchers.ts'
import { member } from '../../engine/judge/rows.ts'
import { brief } from '../../engine/judge/schemas.ts'
import { everything } from '../consents.ts'
import {
  CONSENTS,
  consentBody,
  consentIdOf,
  consentPath,
  create,
  NINE_PERMISSIONS,
  newConsentId,
  PERIOD,
} from './consent-requests.ts'
import { secondsOf, spellingsOf } from './instants.ts'

/**
 * POST /account-access-consents, GET /account-access-consents/{ConsentId}.
 * Requirements: specs/account-information/consents.yaml
 */

check('CONS-01/answers-201', 'A valid request for a consent answers 201', {}, async ({ steps }) => {
  expect(exchangeOf(await steps.consent(everything))).toHaveStatus(201)
})

check('CONS-03/unique', 'The same request twice gives two ConsentIds', {}, async ({ caller }) => {
  const client = await caller()
  const first = await create(client)
  const second = await create(client)
  relyOn(OWNERS.consent, first)
  relyOn(OWNERS.consent, second)
  expectThat(consentIdOf(first) !== consentIdOf(second), {
    message: 'two consents have the same ConsentId',
    expected: `another ConsentId than ${consentIdOf(first)}`,
    actual: consentIdOf(second),
    exchange: second,
    place: '/Data/ConsentId',
  })
})

check(
  'CONS-09/all-nine',
  'A consent with all nine permissions is created',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client))
    expect(await create(client, { Permissions: NINE_PERMISSIONS })).toSucceed()
  },
)

/** Combinations that version 3.1.2 knows too: each of the nine stands in one. */
const COMBINATIONS = [
  ['ReadAccountsBasic'],
  ['ReadAccountsDetail'],
  ['ReadAccountsBasic', 'ReadBalances'],
  ['ReadAccountsBasic', 'ReadStatementsBasic'],
  ['ReadAccountsBasic', 'ReadStatementsDetail'],
  [
    'ReadAccountsBasic',
    'ReadTransactionsBasic',
    'ReadTransactionsCredits',
    'ReadTransactionsDebits',
  ],
  [
    'ReadAccountsBasic',
    'ReadTransactionsDetail',
    'ReadTransactionsCredits',
    'ReadTransactionsDebits',
  ],
]

check(
  'CONS-09/sensible-combinations',
  'Each permission can be asked for without those that it does not need',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn('CONS-09/all-nine', await create(client, { Permissions: NINE_PERMISSIONS }))
    for (const Permissions of COMBINATIONS) {
      expect(await create(client, { Permissions })).toSucceed()
    }
  },
)

/** ReadAccountsDetails is not among them: the document itself spells it so once. */
const UNSUPPORTED = [
  'ReadPAN',
  'ReadParty',
  'ReadOffers',
  'ReadProducts',
  'ReadBeneficiariesBasic',
  'ReadDirectDebits',
  'ReadEverything',
  'readaccountsbasic',
  '',
]

check(
  'CONS-10/other-value',
  'A permission outside the nine causes rejection, beside allowed ones and alone',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client))
    for (const value of UNSUPPORTED) {
      const Permissions = [...everything.permissions, value]
      const deviation = `permission ${brief(value)}`
      expect(await create(client, { Permissions }, { deviation })).toBeRefused()
    }
    const deviation = 'permission ReadParty alone'
    expect(await create(client, { Permissions: ['ReadParty'] }, { deviation })).toBeRefused()
  },
)

check('CONS-11/missing', 'A request without Permissions is refused', {}, async ({ caller }) => {
  const client = await caller()
  relyOn(OWNERS.consent, await create(client))
  const deviation = 'no Permissions'
  expect(await create(client, { Permissions: undefined }, { deviation })).toBeRefused()
  expect(await client.post(CONSENTS, { Risk: {} }, { deviation: 'no Data' })).toBeRefused()
})

check('CONS-12/empty', 'A request for no permission at all is refused', {}, async ({ caller }) => {
  const client = await caller()
  relyOn(OWNERS.consent, await create(client))
  const deviation = 'Permissions []'
  expect(await create(client, { Permissions: [] }, { deviation })).toBeRefused()
})

check(
  'CONS-12/not-an-array',
  'A request whose Permissions is no array of strings is refused',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client))
    for (const Permissions of ['ReadAccountsBasic', null, [1]]) {
      const deviation = `Permissions ${brief(Permissions)}`
      expect(await create(client, { Permissions }, { deviation })).toBeRefused()
    }
  },
)

check(
  'CONS-13/accepted',
  'ExpirationDateTime may be sent, in any RFC 3339 spelling of UTC',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client))
    for (const ExpirationDateTime of spellingsOf(30)) {
      expect(await create(client, { ExpirationDateTime })).toSucceed()
    }
  },
)

check(
  'CONS-14/accepted',
  'TransactionFromDateTime and TransactionToDateTime may be sent, each alone or both',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client))
    const { TransactionFromDateTime, TransactionToDateTime } = PERIOD
    expect(await create(client, { TransactionFromDateTime })).toSucceed()
    expect(await create(client, { TransactionToDateTime })).toSucceed()
    expect(await create(client, PERIOD)).toSucceed()
  },
)

check(
  'CONS-15/malformed',
  'A date-time field that holds no date-time is refused',
  {},
  async ({ caller }) => {
    const client = await caller()
    const { TransactionFromDateTime, TransactionToDateTime } = PERIOD
    const expiry = { ExpirationDateTime: daysFromNow(30) }
    relyOn(OWNERS.consentWithExpiry, await create(client, expiry))
    const tomorrow = { ExpirationDateTime: 'tomorrow' }
    const words = 'holds no date-time'
    expect(
      await create(client, tomorrow, { deviation: `ExpirationDateTime ${words}` }),
    ).toBeRefused()
    relyOn(OWNERS.consentWithPeriod, await create(client, { TransactionFromDateTime }))
    const month13 = { TransactionFromDateTime: '2024-13-45T00:00:00Z' }
    expect(
      await create(client, month13, { deviation: `TransactionFromDateTime ${words}` }),
    ).toBeRefused()
    relyOn(OWNERS.consentWithPeriod, await create(client, { TransactionToDateTime }))
    const number = { TransactionToDateTime: 5 }
    expect(
      await create(client, number, { deviation: `TransactionToDateTime ${words}` }),
    ).toBeRefused()
  },
)

/** Records the status of a request that differs from the correct one. */
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
    TransactionFromDateTime: PERIOD.TransactionToDateTime,
    TransactionToDateTime: PERIOD.TransactionFromDateTime,
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

check(
  'CONS-19/not-adopted',
  'ConsentId and CreationDateTime of the request are not taken for those of the consent',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client))
    const ConsentId = randomUUID()
    const CreationDateTime = '2001-01-01T00:00:00Z'
    const answer = await create(
      client,
      { ConsentId, CreationDateTime, Status: 'Authorised' },
      {
        deviation: 'ConsentId, CreationDateTime and Status in the request',
        about: { owns: ['CONS-06/at-creation'] },
      },
    )
    if (!succeeded(answer)) return expect(answer).toBeRefused()
    const data = member(answer.response?.json, 'Data')
    const adopted = [
      ...(member(data, 'ConsentId') === ConsentId ? ['ConsentId'] : []),
      ...(secondsOf(member(data, 'CreationDateTime')) === secondsOf(CreationDateTime)
        ? ['CreationDateTime']
        : []),
    ]
    expectThat(adopted.length === 0, {
      message: `the bank took ${adopted.join(' and ')} from the request`,
      expected: 'values of its own, or a refusal',
      actual: brief(data),
      exchange: answer,
    })
  },
)

check(
  'CONS-20/malformed-json',
  'A body that is no JSON object is refused',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consent, await create(client))
    const whole = JSON.stringify(consentBody())
    const bodies = {
      'a truncated body': whole.slice(0, -10),
      'an empty body': '',
      'a body []': '[]',
    }
    for (const [deviation, body] of Object.entries(bodies)) {
      expect(await client.post(CONSENTS, body, { deviation })).toBeRefused()
    }
  },
)

check(
  'CONS-21/year-ahead',
  'An ExpirationDateTime a year ahead is accepted',
  {},
  async ({ caller }) => {
    const client = await caller()
    relyOn(OWNERS.consentWithExpiry, await create(client, { ExpirationDateTime: daysFromNow(30) }))
    expect(await create(client, { ExpirationDateTime: daysFromNow(365) })).toSucceed()
  },
)

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
