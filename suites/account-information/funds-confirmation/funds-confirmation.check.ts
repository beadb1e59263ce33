import { type Context, check } from '../../../engine/suite-api/check.ts'
import { type ClientName, daysFromNow } from '../../../engine/suite-api/consents.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import { type Caller, requireExchange } from '../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import {
  answerOf,
  type Exchange,
  member,
  refused,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { OWNERS } from '../../owners.ts'
import { dear, expectTable, type Place } from '../../tables.ts'
import { type Card, cardEnding } from '../../values/card-ending.ts'
import { schemeName } from '../../values/consent-enumerations.ts'
import { dateTime } from '../../values/date-time.ts'
import type { Enumeration } from '../../values/enumeration-terms.ts'
import { rowsOf as valuesOf } from '../../values/value-type.ts'
import { fundsConfirmation } from '../common/consents/consent-kinds.ts'
import {
  bodiesWithoutObject,
  expectNotAdopted,
  fieldsOfTheBank,
  requireConsentId,
  TELLS_TIMES,
} from '../common/consents/consent-requests.ts'
import {
  atWork,
  create,
  createNamed,
  FUNDS,
  fundsBody,
  NAMES,
  newFundsId,
} from '../common/consents/funds-consents.ts'
import { fundsDateTimePlaces, isMalformed, isSpelled } from '../common/places/date-time-places.ts'
import { placeName } from '../common/registration/clients.ts'

/**
 * Creation of funds confirmation consents.
 * Requirements: specs/account-information/funds-confirmation.yaml
 */

/**
 * The correct request with a client_credentials token, at the target's path or at the first
 * candidate that doesn't answer 404: status 201. The rest of the chapter relies on this step.
 */
check(
  'FCC-01/answers-201',
  'A valid request for a funds confirmation consent answers 201',
  {},
  async ({ steps }) => {
    expect(requireExchange(await steps.fundsConfirmation())).toHaveStatus(201)
  },
)

check(
  'FCC-20/unique',
  'The same request twice gives two ConsentIds',
  { for: 'each client' },
  async (context) => {
    const client = await atWork(context)
    const first = await newFundsId(client)
    const second = await create(client)
    relyOn(OWNERS.fundsConfirmation, second).toSucceed()
    const id = requireConsentId(second, 'FCC-07/consent-id')
    expectThat(id !== first, {
      message: 'two consents have the same ConsentId',
      expected: `another ConsentId than ${first}`,
      actual: id,
      exchange: second,
      place: '/Data/ConsentId',
    })
  },
)

/**
 * Two requests at once with different ExpirationDateTime: the rules judge whether each answer
 * fits its own request. Not applicable where one of them is answered without a consent.
 */
check(
  'FCC-20/at-once',
  'Requests for funds confirmation consents at the same time each give a different ConsentId',
  { follows: ['FCC-20/unique'] },
  async (context) => {
    const client = await atWork(context)
    const lasting = (days: number) =>
      create(client, { data: { ExpirationDateTime: daysFromNow(days) } })
    const created = (await Promise.all([31, 32].map(lasting))).filter(succeeded)
    if (created.length < 2) throw new NotApplicable('the bank serves one such request at a time')
    const ids = created.map((answer) => requireConsentId(answer, 'FCC-07/consent-id'))
    expectThat(ids[0] !== ids[1], {
      message: 'two consents that were created at once have the same ConsentId',
      expected: 'another ConsentId for each',
      actual: ids[1] ?? '',
      exchange: created[1],
      place: '/Data/ConsentId',
    })
  },
)

/** A client whose correct request has just succeeded. */
async function served(client: Promise<Caller>): Promise<Caller> {
  relyOn(OWNERS.fundsConfirmation, await create(await client)).toSucceed()
  return client
}

/** Expects that a creation with another DebtorAccount is refused. */
async function expectAccountRefused(
  client: Caller,
  account: Record<string, unknown>,
  deviation: string,
): Promise<void> {
  expect(await create(client, { account }, { deviation })).toBeRefused()
}

/** The same together with an ExpirationDateTime, which a request may have. */
async function expectRefusedBesideExpiry(
  client: Caller,
  account: Record<string, unknown>,
  what: string,
): Promise<void> {
  const data = { ExpirationDateTime: daysFromNow(30) }
  relyOn(OWNERS.fundsWithExpiry, await create(client, { data })).toSucceed()
  const deviation = `an ExpirationDateTime, and no ${what}`
  expect(await create(client, { data, account }, { deviation })).toBeRefused()
}

check(
  'FCC-02/missing-scheme',
  'A request without DebtorAccount.SchemeName is refused',
  {
    for: [
      'FCC-02/second-client',
      'A request of the second client without DebtorAccount.SchemeName is refused as well',
    ],
  },
  async (context) => {
    const client = await served(atWork(context))
    const what = 'DebtorAccount.SchemeName'
    await expectAccountRefused(client, { SchemeName: undefined }, `no ${what}`)
    await expectAccountRefused(client, { SchemeName: null }, `${what} null`)
    await expectAccountRefused(
      client,
      { SchemeName: undefined, ...NAMES },
      `a Name, and no ${what}`,
    )
    await expectRefusedBesideExpiry(client, { SchemeName: undefined }, what)
  },
)

/**
 * UK.OBIE.IBAN, UK.OBIE.SortCodeAccountNumber, "PAN", the correct one in lower case, an empty one: each is
 * refused. The correct one is the target's literal panScheme, or else the one in /accounts, or else UK.OBIE.PAN.
 */
check(
  'FCC-02/other-scheme',
  'A request with another scheme than UK.STD.PAN is refused',
  { asks: [schemeName] },
  async (context) => {
    const client = await served(atWork(context))
    const inSmallLetters = schemeOf(client).toLowerCase()
    for (const SchemeName of [...OTHER_SCHEMES, inSmallLetters, '']) {
      await expectAccountRefused(client, { SchemeName }, `SchemeName ${SchemeName || '""'}`)
    }
    const [SchemeName] = OTHER_SCHEMES
    const named = { SchemeName, ...NAMES }
    await expectAccountRefused(client, named, `a Name, and SchemeName ${SchemeName}`)
    await expectTable(context, {
      ...{ owner: 'FCC-02/other-scheme', type: schemeName },
      // null counts as missing: FCC-02/missing-scheme.
      rows: ({ id, lawful, level }) => !lawful && level === 'must' && id !== 'null',
      places: (await fundsConfirmation.creators(context)).map(schemePlace),
    })
  },
)

check(
  'FCC-32/other-types',
  'A request whose SchemeName is not a string is refused',
  { asks: [schemeName], follows: ['FCC-02/other-scheme'] },
  async (context) => {
    await atWork(context)
    await expectTable(context, {
      ...{ owner: 'FCC-32/other-types', type: schemeName },
      rows: ({ lawful, level }) => !lawful && level === 'should',
      places: (await fundsConfirmation.creators(context)).map(schemePlace),
    })
  },
)

const schemeOf = (client: Caller) =>
  String(member(fundsBody(client).Data, 'DebtorAccount', 'SchemeName'))

const OTHER_SCHEMES = ['UK.OBIE.IBAN', 'UK.OBIE.SortCodeAccountNumber', 'PAN'] as const

function schemePlace(name: ClientName): Place<Enumeration, unknown> {
  return {
    name: placeName('create-funds-confirmation-consent', name),
    ...{ kind: 'funds confirmation', dear: true },
    async open(context) {
      const client = await context.caller(name)
      relyOn(OWNERS.fundsConfirmation, await create(client)).toSucceed()
      const scheme = schemeOf(client)
      return {
        right: { allowed: [scheme], chosen: [scheme] },
        ask: (SchemeName, deviation) => create(client, { account: { SchemeName } }, { deviation }),
      }
    },
  }
}

/** The member is absent, or null. */
check(
  'FCC-03/missing-identification',
  'A request without DebtorAccount.Identification is refused',
  {
    for: [
      'FCC-03/second-client',
      'A request of the second client without DebtorAccount.Identification is refused as well',
    ],
  },
  async (context) => {
    const client = await served(atWork(context))
    const what = 'DebtorAccount.Identification'
    await expectAccountRefused(client, { Identification: undefined }, `no ${what}`)
    await expectAccountRefused(client, { Identification: null }, `${what} null`)
    const named = { Identification: undefined, ...NAMES }
    await expectAccountRefused(client, named, `a Name, and no ${what}`)
    await expectRefusedBesideExpiry(client, { Identification: undefined }, what)
  },
)

check(
  'FCC-18/missing-debtor-account',
  'A request without DebtorAccount is refused',
  { for: 'each client' },
  async (context) => {
    const client = await atWork(context)
    relyOn(OWNERS.fundsConfirmation, await create(client)).toSucceed()
    for (const [DebtorAccount, deviation] of NO_ACCOUNT) {
      expect(await create(client, { data: { DebtorAccount } }, { deviation })).toBeRefused()
    }
    expect(await client.post(FUNDS, { Risk: {} }, { deviation: 'no Data' })).toBeRefused()
  },
)

const NO_ACCOUNT = [
  [undefined, 'no DebtorAccount'],
  [null, 'DebtorAccount null'],
  [{}, 'a DebtorAccount without members'],
] as const

check(
  'FCC-04/not-four-digits',
  'A request whose Identification is not four digits is refused',
  { asks: [cardEnding], follows: ['FCC-03/missing-identification'] },
  async (context) =>
    expectTable(context, {
      ...{ owner: 'FCC-04/not-four-digits', type: cardEnding },
      rows: ({ lawful, level }) => !lawful && level === 'should',
      places: dear(await cardPlaces(context)),
    }),
)

/** Creation by each client; the client's own correct request is the control. */
async function cardPlaces(context: Context): Promise<Place<Card, unknown>[]> {
  await atWork(context)
  return (await fundsConfirmation.creators(context)).map((name) => ({
    name: placeName('create-funds-confirmation-consent', name),
    kind: 'funds confirmation',
    async open() {
      const client = await context.caller(name)
      const right = await create(client)
      relyOn(OWNERS.fundsConfirmation, right).toSucceed()
      return {
        right: { ending: endingOf(client) },
        ask: (Identification, deviation) =>
          create(client, { account: { Identification } }, { deviation }),
      }
    },
  }))
}

const endingOf = (client: Caller) =>
  String(member(fundsBody(client).Data, 'DebtorAccount', 'Identification'))

check(
  'CONS-15/funds',
  'An ExpirationDateTime that is not a date-time is refused for a funds confirmation consent too',
  { asks: [dateTime], follows: ['CONS-15/malformed'] },
  async (context) =>
    expectTable(context, {
      ...{ owner: 'CONS-15/funds', type: dateTime, rows: isMalformed },
      places: dear(await fundsDateTimePlaces(context, 'of its owner')),
    }),
)

check(
  'CONS-19/funds',
  'ConsentId, Status and times of a request for a funds confirmation consent are not adopted',
  { for: 'each client', follows: ['CONS-19/not-adopted'] },
  async (context) => {
    const client = await atWork(context)
    const without = await create(client)
    relyOn(OWNERS.fundsConfirmation, without).toSucceed()
    const data = fieldsOfTheBank()
    const told = { deviation: 'ConsentId, Status and times in the request', about: TELLS_TIMES }
    expectNotAdopted(await create(client, { data }, told), data, without)
  },
)

check(
  'CONS-20/funds',
  'A body that is not a JSON object is refused for a funds confirmation consent too',
  { for: 'each client', follows: ['CONS-20/malformed-json'] },
  async (context) => {
    const client = await atWork(context)
    relyOn(OWNERS.fundsConfirmation, await create(client)).toSucceed()
    for (const [deviation, body] of bodiesWithoutObject(fundsBody(client))) {
      expect(await client.post(FUNDS, body, { deviation })).toBeRefused()
    }
  },
)

check(
  'FCC-05/accepted',
  'Name and SecondaryIdentification may be sent',
  { for: 'each client' },
  async (context) => {
    const client = await atWork(context)
    relyOn(OWNERS.fundsConfirmation, await create(client)).toSucceed()
    const { created, names } = await createNamed(client)
    const { Name, SecondaryIdentification } = names
    expect(created).toSucceed()
    expect(await create(client, { account: { Name } })).toSucceed()
    expect(await create(client, { account: { SecondaryIdentification } })).toSucceed()
    const data = { ExpirationDateTime: daysFromNow(30) }
    relyOn(OWNERS.fundsWithExpiry, await create(client, { data })).toSucceed()
    expect(await create(client, { account: names, data })).toSucceed()
  },
)

/**
 * Card endings that begin with zero, by each client: those of the target's customers,
 * which the bank accepts, and others, which it may refuse, since perhaps no card has them.
 */
check(
  'FCC-09/leading-zero',
  'An Identification that begins with zero is taken, and comes back as it was sent',
  { follows: ['FCC-09/as-requested'] },
  async (context) => {
    await atWork(context)
    const { first, second } = context.target.document.customers
    const ofCustomers = [first.cardEnding, second?.cardEnding]
    let taken = false
    for (const name of await fundsConfirmation.creators(context)) {
      const client = await context.caller(name)
      relyOn(OWNERS.fundsConfirmation, await create(client)).toSucceed()
      const card = { ending: endingOf(client) }
      const others = valuesOf(cardEnding)
        .filter(({ lawful }) => lawful)
        .map(({ make }) => make(card))
      for (const Identification of new Set([...ofCustomers, ...others])) {
        if (typeof Identification !== 'string' || !Identification.startsWith('0')) continue
        const about = { owns: ['FCC-09/as-requested'] }
        const answer = await create(client, { account: { Identification } }, { about })
        if (!ofCustomers.includes(Identification) && refused(answer)) continue
        expect(answer).toSucceed()
        taken = true
        expectShownEnding(answer, Identification)
      }
    }
    if (!taken) throw new NotApplicable('the bank takes no card whose ending begins with zero')
  },
)

function expectShownEnding(exchange: Exchange, expected: string): void {
  const actual = member(exchange.response?.json, 'Data', 'DebtorAccount', 'Identification')
  // Another type, or a missing member, is judged by the schema.
  if (typeof actual !== 'string') return
  const message = 'Identification is not the one that was sent'
  const place = '/Data/DebtorAccount/Identification'
  expectThat(actual === expected, { message, expected, actual, exchange, place })
}

check(
  'FCC-06/accepted',
  'ExpirationDateTime may be sent, in any RFC 3339 spelling of UTC',
  { asks: [dateTime] },
  async (context) => {
    for (const name of await fundsConfirmation.creators(context)) {
      relyOn(OWNERS.fundsConfirmation, await create(await context.caller(name))).toSucceed()
    }
    await expectTable(context, {
      ...{ owner: 'FCC-06/accepted', type: dateTime, rows: isSpelled },
      places: await fundsDateTimePlaces(context, 'judged here'),
    })
  },
)

check(
  'FCC-27/year-ahead',
  'An ExpirationDateTime a year ahead is accepted for a funds confirmation consent too',
  { follows: ['CONS-21/year-ahead'] },
  async (context) => {
    const client = await atWork(context)
    const until = (days: number) => ({ data: { ExpirationDateTime: daysFromNow(days) } })
    relyOn(OWNERS.fundsWithExpiry, await create(client, until(30))).toSucceed()
    expect(await create(client, until(365))).toSucceed()
  },
)

check('FCC-11/recorded', 'What a request without Risk gives', {}, async (context) => {
  const client = await atWork(context)
  const { Data } = fundsBody(client)
  const answer = await client.post(FUNDS, { Data }, { deviation: 'no Risk' })
  context.observe('no Risk at creation', answerOf(answer), answer)
})
