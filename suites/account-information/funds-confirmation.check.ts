import { type Context, check } from '../../engine/suite-api/check.ts'
import { daysFromNow, fundsConfirmationBody } from '../../engine/suite-api/consents.ts'
import { expect, expectThat, relyOn } from '../../engine/suite-api/expect.ts'
import {
  type CallDeviation,
  type Caller,
  requireExchange,
  requireValue,
} from '../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../engine/suite-api/outcomes.ts'
import {
  answerOf,
  type Exchange,
  member,
  refused,
  succeeded,
} from '../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../engine/suite-api/shared-fixture.ts'
import { everything } from '../consents.ts'
import { OWNERS } from '../owners.ts'
import {
  CONSENTS,
  consentBody,
  consentPath,
  createConsent,
  invalidIds,
  requireConsentId,
} from './common/consent-requests.ts'
import { fundsAroundExpiry } from './common/expired-token.ts'
import { spellingsOf } from './common/instants.ts'
import { unknownTokens } from './common/unknown-tokens.ts'

/**
 * POST and DELETE of funds confirmation consents.
 * Requirements: specs/account-information/funds-confirmation.yaml
 */

const FUNDS = '/funds-confirmation-consents'

const fundsPath = (id: string) => `${FUNDS}/${encodeURIComponent(id)}`

/** A client at work, once the place of these consents is known. */
async function atWork({ steps, caller }: Context): Promise<Caller> {
  requireValue(await steps.fundsConfirmation())
  return caller()
}

/** The same, once it is known where they are deleted too. */
async function ableToDelete(context: Context): Promise<Caller> {
  const client = await atWork(context)
  requireValue(await context.steps.fundsDeletion())
  return client
}

/** POST with other members in Data, or in its DebtorAccount; an undefined one is left out. */
function create(
  caller: Caller,
  { data, account }: { data?: Record<string, unknown>; account?: Record<string, unknown> } = {},
  deviation?: CallDeviation,
): Promise<Exchange> {
  const { Data, Risk } = fundsConfirmationBody(caller.tpp.target, caller.funds().scheme)
  const DebtorAccount = { ...(Data.DebtorAccount as object), ...account }
  return caller.post(FUNDS, { Data: { ...Data, DebtorAccount, ...data }, Risk }, deviation)
}

/** The id of one more consent; its creation is the control of what follows. */
async function newFundsId(caller: Caller): Promise<string> {
  const exchange = await create(caller)
  relyOn(OWNERS.fundsConfirmation, exchange).toSucceed()
  return requireConsentId(exchange, 'FCC-07/consent-id')
}

/**
 * The correct request with a client_credentials token, at the target's path or at the first of its
 * candidates that isn't 404; status 201. The step that the chapter rests on.
 */
check(
  'FCC-01/answers-201',
  'A valid request for a funds confirmation consent answers 201',
  {},
  async ({ steps }) => {
    expect(requireExchange(await steps.fundsConfirmation())).toHaveStatus(201)
  },
)

check('FCC-20/unique', 'The same request twice gives two ConsentIds', {}, async (context) => {
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
})

/** A creation with another DebtorAccount is refused, right after the correct one. */
async function expectAccountRefused(
  client: Caller,
  account: Record<string, unknown>,
  deviation: string,
): Promise<void> {
  relyOn(OWNERS.fundsConfirmation, await create(client)).toSucceed()
  expect(await create(client, { account }, { deviation })).toBeRefused()
}

/** The same beside an ExpirationDateTime, which may be sent. */
async function expectRefusedBesideExpiry(
  client: Caller,
  account: Record<string, unknown>,
  what: string,
): Promise<void> {
  const data = { ExpirationDateTime: daysFromNow(30) }
  relyOn('FCC-06/accepted', await create(client, { data })).toSucceed()
  const deviation = `an ExpirationDateTime, and no ${what}`
  expect(await create(client, { data, account }, { deviation })).toBeRefused()
}

/** The second client at work. */
async function secondAtWork(context: Context): Promise<Caller> {
  context.tpp('second')
  await atWork(context)
  requireValue(await context.steps.fundsConfirmation('second'))
  return context.caller('second')
}

/** Members that may be sent besides. */
const NAMES = { Name: 'Credit Card', SecondaryIdentification: '0001' }

check(
  'FCC-02/missing-scheme',
  'A request without DebtorAccount.SchemeName is refused',
  {},
  async (context) => {
    const client = await atWork(context)
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
 * UK.OBIE.IBAN, UK.OBIE.SortCodeAccountNumber, "PAN", the right one in small letters, an empty one: each
 * refused. The real spelling is the target's literal panScheme, or else what /accounts shows, or else UK.OBIE.PAN.
 */
check(
  'FCC-02/other-scheme',
  'A request with another scheme than UK.STD.PAN is refused',
  {},
  async (context) => {
    const client = await atWork(context)
    const { Data } = fundsConfirmationBody(context.target, client.funds().scheme)
    const inSmallLetters = String(member(Data, 'DebtorAccount', 'SchemeName')).toLowerCase()
    for (const SchemeName of [...OTHER_SCHEMES, inSmallLetters, '']) {
      await expectAccountRefused(client, { SchemeName }, `SchemeName ${SchemeName || '""'}`)
    }
    const [SchemeName] = OTHER_SCHEMES
    const named = { SchemeName, ...NAMES }
    await expectAccountRefused(client, named, `a Name, and SchemeName ${SchemeName}`)
  },
)

const OTHER_SCHEMES = ['UK.OBIE.IBAN', 'UK.OBIE.SortCodeAccountNumber', 'PAN'] as const

check(
  'FCC-02/second-client',
  'Without DebtorAccount.SchemeName, or with another scheme, the second client is refused as well',
  { follows: ['FCC-02/missing-scheme', 'FCC-02/other-scheme'] },
  async (context) => {
    const client = await secondAtWork(context)
    const [other] = OTHER_SCHEMES
    await expectAccountRefused(client, { SchemeName: undefined }, 'no DebtorAccount.SchemeName')
    await expectAccountRefused(client, { SchemeName: other }, `SchemeName ${other}`)
  },
)

const NO_IDENTIFICATION = [
  [{ Identification: undefined }, 'no DebtorAccount.Identification'],
  [{ Identification: null }, 'DebtorAccount.Identification null'],
] as const

check(
  'FCC-03/missing-identification',
  'A request without DebtorAccount.Identification is refused',
  {},
  async (context) => {
    const client = await atWork(context)
    for (const [account, deviation] of NO_IDENTIFICATION) {
      await expectAccountRefused(client, account, deviation)
    }
    const what = 'DebtorAccount.Identification'
    const named = { Identification: undefined, ...NAMES }
    await expectAccountRefused(client, named, `a Name, and no ${what}`)
    await expectRefusedBesideExpiry(client, { Identification: undefined }, what)
  },
)

check(
  'FCC-03/second-client',
  'Without DebtorAccount.Identification the second client is refused as well',
  { follows: ['FCC-03/missing-identification'] },
  async (context) => {
    const client = await secondAtWork(context)
    for (const [account, deviation] of NO_IDENTIFICATION) {
      await expectAccountRefused(client, account, deviation)
    }
  },
)

check(
  'FCC-18/missing-debtor-account',
  'A request without DebtorAccount is refused',
  {},
  async (context) => {
    const client = await atWork(context)
    relyOn(OWNERS.fundsConfirmation, await create(client)).toSucceed()
    for (const [DebtorAccount, deviation] of NO_ACCOUNT) {
      expect(await create(client, { data: { DebtorAccount } }, { deviation })).toBeRefused()
    }
    expect(await client.post(FUNDS, { Risk: {} }, { deviation: 'no Data' })).toBeRefused()
    if (!context.target.clients.second) return
    const second = await secondAtWork(context)
    relyOn(OWNERS.fundsConfirmation, await create(second)).toSucceed()
    const [[DebtorAccount, deviation]] = NO_ACCOUNT
    expect(await create(second, { data: { DebtorAccount } }, { deviation })).toBeRefused()
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
  {},
  async (context) => {
    const client = await atWork(context)
    const refuse = (caller: Caller, Identification: string) =>
      expectAccountRefused(
        caller,
        { Identification },
        `Identification of ${Identification.length} characters, not four digits`,
      )
    for (const digits of ['', '123', '12345', 'abcd', WHOLE_NUMBER]) await refuse(client, digits)
    if (context.target.clients.second) await refuse(await secondAtWork(context), WHOLE_NUMBER)
  },
)

const WHOLE_NUMBER = '4000000000000002'

check(
  'CONS-15/funds',
  'An ExpirationDateTime that holds no date-time is refused for a funds confirmation consent too',
  { follows: ['CONS-15/malformed'] },
  async (context) => {
    const client = await atWork(context)
    const data = { ExpirationDateTime: daysFromNow(30) }
    relyOn('FCC-06/accepted', await create(client, { data })).toSucceed()
    for (const ExpirationDateTime of ['tomorrow', '2024-13-45T00:00:00Z', 5]) {
      const deviation = `ExpirationDateTime holds no date-time: ${ExpirationDateTime}`
      expect(await create(client, { data: { ExpirationDateTime } }, { deviation })).toBeRefused()
    }
  },
)

check('FCC-05/accepted', 'Name and SecondaryIdentification may be sent', {}, async (context) => {
  const client = await atWork(context)
  relyOn(OWNERS.fundsConfirmation, await create(client)).toSucceed()
  const { Name, SecondaryIdentification } = NAMES
  expect(await create(client, { account: NAMES })).toSucceed()
  expect(await create(client, { account: { Name } })).toSucceed()
  expect(await create(client, { account: { SecondaryIdentification } })).toSucceed()
  const data = { ExpirationDateTime: daysFromNow(30) }
  relyOn('FCC-06/accepted', await create(client, { data })).toSucceed()
  expect(await create(client, { account: NAMES, data })).toSucceed()
})

/** Not applicable where no card ends so, as far as the bank says: then it is refused. */
check(
  'FCC-09/leading-zero',
  'An Identification that begins with zero comes back as it was sent',
  { follows: ['FCC-09/as-requested'] },
  async (context) => {
    const client = await atWork(context)
    relyOn(OWNERS.fundsConfirmation, await create(client)).toSucceed()
    const { first, second } = context.target.document.customers
    const endings = [first.cardEnding, second?.cardEnding, '0017']
    const Identification = endings.find((ending) => ending?.startsWith('0')) ?? '0017'
    const about = { owns: ['FCC-09/as-requested'] }
    const answer = await create(client, { account: { Identification } }, { about })
    if (refused(answer))
      throw new NotApplicable(`the bank takes no card that ends ${Identification}`)
    relyOn(OWNERS.fundsConfirmation, answer).toSucceed()
    const shown = member(answer.response?.json, 'Data', 'DebtorAccount', 'Identification')
    // Another type, and one that is missing, are the schema's.
    if (typeof shown !== 'string') return
    expectThat(shown === Identification, {
      message: 'Identification is not the one that was sent',
      expected: Identification,
      actual: shown,
      exchange: answer,
      place: '/Data/DebtorAccount/Identification',
    })
  },
)

check(
  'FCC-06/accepted',
  'ExpirationDateTime may be sent, in any RFC 3339 spelling of UTC',
  {},
  async (context) => {
    const client = await atWork(context)
    relyOn(OWNERS.fundsConfirmation, await create(client)).toSucceed()
    for (const ExpirationDateTime of spellingsOf(30)) {
      expect(await create(client, { data: { ExpirationDateTime } })).toSucceed()
    }
    if (!context.target.clients.second) return
    const second = await secondAtWork(context)
    for (const ExpirationDateTime of spellingsOf(30).slice(0, 1)) {
      expect(await create(second, { data: { ExpirationDateTime } })).toSucceed()
    }
  },
)

check('FCC-11/recorded', 'What a request without Risk gives', {}, async (context) => {
  const client = await atWork(context)
  const { Data } = fundsConfirmationBody(context.target, client.funds().scheme)
  const answer = await client.post(FUNDS, { Data }, { deviation: 'no Risk' })
  context.observe('no Risk at creation', answerOf(answer), answer)
})

/**
 * A new consent, at the target's path or at the first of its candidates that isn't 404 or 405; 204.
 * Later deletes of the chapter use the path that worked.
 */
check(
  'FCC-12/answers-204',
  'DELETE of a funds confirmation consent answers 204',
  {},
  async ({ steps }) => {
    expect(requireExchange(await steps.fundsDeletion())).toHaveStatus(204)
  },
)

/**
 * Two consents for the same card; each is there for its own deletion. Not applicable where the newer has
 * taken the place of the older: no sentence says that a client may hold both.
 */
check(
  'FCC-12/one-alone',
  'DELETE of a funds confirmation consent leaves another one for the same card to be deleted',
  { follows: ['FCC-12/answers-204', 'FCC-20/unique'] },
  async (context) => {
    const client = await ableToDelete(context)
    const [one, other] = [await newFundsId(client), await newFundsId(client)]
    const first = await client.delete(fundsPath(one))
    if (refused(first))
      throw new NotApplicable('the newer of two consents for a card replaced the older')
    relyOn(OWNERS.fundsDeletion, first).toSucceed()
    expect(await client.delete(fundsPath(other))).toSucceed()
  },
)

/** A consent of each kind; not applicable where the newer has taken the place of the older. */
async function oneOfEach(client: Caller): Promise<{ accounts: string; funds: string }> {
  const accounts = await createConsent(client)
  const funds = await newFundsId(client)
  const query = await client.get(consentPath(accounts))
  if (refused(query)) throw new NotApplicable('a newer consent ends one that waits')
  relyOn(OWNERS.query, query).toSucceed()
  return { accounts, funds }
}

check(
  'CLC-19/not-by-funds',
  'Deleting a funds confirmation consent leaves an account access consent of the client',
  { follows: ['CLC-19/others-untouched'] },
  async (context) => {
    const client = await ableToDelete(context)
    const { accounts, funds } = await oneOfEach(client)
    relyOn(OWNERS.fundsDeletion, await client.delete(fundsPath(funds))).toSucceed()
    expect(await client.get(consentPath(accounts))).toSucceed()
  },
)

check(
  'CLC-19/funds-untouched',
  'Deleting an account access consent leaves a funds confirmation consent of the client to be deleted',
  { follows: ['CLC-19/others-untouched', 'FCC-12/answers-204'] },
  async (context) => {
    const client = await ableToDelete(context)
    const { accounts, funds } = await oneOfEach(client)
    relyOn(OWNERS.deletion, await client.delete(consentPath(accounts))).toSucceed()
    expect(await client.delete(fundsPath(funds))).toSucceed()
  },
)

/** One deletion with a missing or invalid Authorization, and then the owner's own. */
const unauthorised = sharedFixture([], async (context) => {
  const client = await ableToDelete(context)
  const path = fundsPath(await newFundsId(client))
  const without = await client.delete(path, { bearer: null, deviation: 'no Authorization header' })
  const issued = requireValue(await context.steps.management('first', true))
  const unknown: Exchange[] = []
  for (const wrong of unknownTokens(issued)) unknown.push(await client.delete(path, wrong))
  // What was deleted before can't be deleted: the check that let it happen says so.
  const survived = [without, ...unknown].every(refused)
  return { without, unknown, own: survived ? await client.delete(path) : undefined }
})

check(
  'FCC-13/without-authorization',
  'DELETE of a funds confirmation consent without Authorization header answers 401',
  {},
  async (context) => {
    expect((await unauthorised(context)).without).toHaveStatus(401)
  },
)

check(
  'FCC-13/invalid-token',
  'DELETE of a funds confirmation consent with an invalid access token answers 401',
  { follows: ['DATA-03/unknown-token'] },
  async (context) => {
    const { unknown, without } = await unauthorised(context)
    relyOn('FCC-13/without-authorization', without).toBeRefused()
    for (const answer of unknown) expect(answer).toHaveStatus(401)
  },
)

check(
  'FCC-13/expired-token',
  'DELETE of a funds confirmation consent with an expired access token answers 401',
  { needs: ['hooks.token-expired'] },
  async (context) => {
    const { unknown } = await unauthorised(context)
    for (const answer of unknown) relyOn('FCC-13/invalid-token', answer).toHaveStatus(401)
    await ableToDelete(context)
    const { before, after } = await fundsAroundExpiry(context)
    relyOn(OWNERS.fundsDeletion, await before.deletion()).toSucceed()
    expect(await after.deletion()).toHaveStatus(401)
  },
)

check(
  'FCC-13/nothing-deleted',
  'A funds confirmation consent survives a DELETE with a missing or invalid Authorization header',
  {},
  async (context) => {
    const { without, unknown, own } = await unauthorised(context)
    relyOn('FCC-13/without-authorization', without).toBeRefused()
    for (const answer of unknown) relyOn('FCC-13/invalid-token', answer).toBeRefused()
    if (own) expect(own).toSucceed()
  },
)

check(
  'FCC-13/expired-deletes-nothing',
  'A funds confirmation consent survives a DELETE with an expired access token',
  { needs: ['hooks.token-expired'], follows: ['FCC-13/nothing-deleted'] },
  async (context) => {
    await ableToDelete(context)
    const { before, after, own } = await fundsAroundExpiry(context)
    relyOn(OWNERS.fundsDeletion, await before.deletion()).toSucceed()
    relyOn('FCC-13/expired-token', await after.deletion()).toBeRefused()
    expect(await own()).toSucceed()
  },
)

/** The second client's attempt to delete a consent of the first, and the owner's own after it. */
const deletedByAnother = sharedFixture([], async (context) => {
  context.tpp('second')
  const owner = await ableToDelete(context)
  const id = await newFundsId(owner)
  requireValue(await context.steps.fundsConfirmation('second'))
  const other = await context.caller('second')
  const control = await other.delete(fundsPath(await newFundsId(other)))
  const attempt = await other.delete(fundsPath(id), { deviation: 'a consent of another client' })
  const own = await owner.delete(fundsPath(id))
  return { control, attempt, own }
})

/**
 * The second client deletes the first one's consent; an error response. Not applicable where the
 * second client has no scope for it.
 */
check(
  'FCC-14/refused',
  'DELETE of a funds confirmation consent that another client owns is refused',
  {},
  async (context) => {
    const { control, attempt } = await deletedByAnother(context)
    relyOn(OWNERS.fundsDeletion, control).toSucceed()
    expect(attempt).toBeAnError()
  },
)

check(
  'FCC-14/survives',
  'A funds confirmation consent survives the DELETE of another client',
  {},
  async (context) => {
    const { control, attempt, own } = await deletedByAnother(context)
    relyOn(OWNERS.fundsDeletion, control).toSucceed()
    relyOn('FCC-14/refused', attempt).toBeAnError()
    expect(own).toSucceed()
  },
)

check(
  'FCC-23/with-403',
  'The refusal to delete another client’s funds confirmation consent has status 403',
  {},
  async (context) => {
    const { control, attempt } = await deletedByAnother(context)
    relyOn(OWNERS.fundsDeletion, control).toSucceed()
    relyOn('FCC-14/refused', attempt).toBeAnError()
    expect(attempt).toHaveStatus(403)
  },
)

check(
  'FCC-15/invalid-id',
  'DELETE of an invalid ConsentId of a funds confirmation consent gives an error response',
  {},
  async (context) => {
    const one = await newFundsId(await atWork(context))
    const client = await ableToDelete(context)
    for (const id of invalidIds(one)) {
      const deviation = `ConsentId of nothing, ${id.length} characters`
      expect(await client.delete(fundsPath(id), { deviation })).toBeAnError()
    }
  },
)

/**
 * DELETE of an own, new account access ConsentId at the funds confirmation path: an error response,
 * or at least the consent can still be queried.
 */
check(
  'FCC-17/kinds-apart',
  'The funds confirmation path does not delete an account access consent',
  {},
  async (context) => {
    const client = await ableToDelete(context)
    const id = await createConsent(client)
    relyOn(OWNERS.query, await client.get(consentPath(id))).toSucceed()
    const deviation = 'the ConsentId of an account access consent'
    const answer = await client.delete(fundsPath(id), { deviation })
    context.observe(
      'DELETE of an account access consent as one for funds',
      answerOf(answer),
      answer,
    )
    if (succeeded(answer)) expect(await client.get(consentPath(id))).toSucceed()
  },
)

/**
 * GET of a new funds confirmation ConsentId at the path of account access consents gives an error
 * response; a DELETE there, where it succeeds, leaves it to be deleted at its own path.
 */
check(
  'FCC-17/not-as-accounts',
  'The path of account access consents neither shows nor deletes a funds confirmation consent',
  {},
  async (context) => {
    const client = await ableToDelete(context)
    const id = await newFundsId(client)
    const deviation = 'the ConsentId of a funds confirmation consent'
    expect(await client.get(consentPath(id), { deviation })).toBeAnError()
    const answer = await client.delete(consentPath(id), { deviation })
    if (succeeded(answer)) expect(await client.delete(fundsPath(id))).toSucceed()
  },
)

check(
  'TOK-25/funds-confirmation',
  'No funds confirmation consent is created or deleted with a customer’s access token for data',
  { uses: [everything] },
  async (context) => {
    const approval = await context.approved(everything)
    const client = await ableToDelete(context)
    const path = fundsPath(await newFundsId(client))
    relyOn(OWNERS.accounts, await approval.get('/accounts')).toSucceed()
    const bearer = (await approval.tokens()).accessToken
    const wrong = { bearer, deviation: 'an access token for data' }
    expect(await create(client, {}, wrong)).toBeRefused()
    const deletion = await client.delete(path, wrong)
    expect(deletion).toBeRefused()
    relyOn(OWNERS.fundsDeletion, await client.delete(path)).toSucceed()
  },
)

check(
  'TOK-38/other-scope',
  'A client_credentials token for the other kind of consent creates and deletes none of this kind',
  {},
  async (context) => {
    const client = await ableToDelete(context)
    const { accounts, fundsConfirmation } = client.tpp.client.scopes
    if (fundsConfirmation === undefined || fundsConfirmation === accounts) {
      throw new NotApplicable('the target names one scope for both kinds of consent')
    }
    const ofAccounts = await context.steps.management('first', false)
    const ofFunds = await context.steps.management('first', true)
    const forAccounts = requireValue(ofAccounts)
    const forFunds = requireValue(ofFunds)
    for (const { exchange } of [ofAccounts, ofFunds]) {
      const granted = String(member(exchange?.response?.json, 'scope') ?? '').split(' ')
      if (granted.includes(accounts) && granted.includes(fundsConfirmation)) {
        throw new NotApplicable('the bank issues tokens of every scope, and says so')
      }
    }
    if (forAccounts === forFunds) throw new NotApplicable('one token has both scopes')
    const funds = fundsPath(await newFundsId(client))
    const access = consentPath(await createConsent(client))
    const tokenFor = async (forFunds: boolean) => ({
      bearer: requireValue(await context.steps.management('first', forFunds)),
      deviation: `a token for ${forFunds ? fundsConfirmation : accounts}`,
    })
    expect(await create(client, {}, await tokenFor(false))).toBeRefused()
    expect(await client.get(access, await tokenFor(true))).toBeRefused()
    expect(await client.post(CONSENTS, consentBody(), await tokenFor(true))).toBeRefused()
    const deletions = [
      await client.delete(funds, await tokenFor(false)),
      await client.delete(access, await tokenFor(true)),
    ] as const
    await client.delete(funds)
    if (deletions.some(succeeded)) await relyOnOwnership(context, deletions.map(succeeded))
    for (const deletion of deletions) expect(deletion).toBeRefused()
  },
)

/** A bank that lets everybody delete looks at no token: that is judged elsewhere. */
async function relyOnOwnership(context: Context, [funds, access]: boolean[]): Promise<void> {
  if (!context.target.clients.second) return
  if (funds) relyOn('FCC-14/refused', (await deletedByAnother(context)).attempt).toBeAnError()
  if (!access) return
  const path = consentPath(await createConsent(await context.caller()))
  const attempt = await (await context.caller('second')).delete(path, { deviation: OF_ANOTHER })
  relyOn('CLC-08/refused', attempt).toBeAnError()
}

const OF_ANOTHER = 'a consent of another client'

check(
  'FCC-25/recorded',
  'What a second DELETE of a funds confirmation consent gives is recorded',
  {},
  async (context) => {
    const client = await ableToDelete(context)
    const path = fundsPath(await newFundsId(client))
    relyOn(OWNERS.fundsDeletion, await client.delete(path)).toSucceed()
    const again = await client.delete(path, { deviation: 'it was deleted before' })
    context.observe('DELETE of a deleted funds confirmation consent', answerOf(again), again)
  },
)

/** The first client’s attempt to delete a consent of the second. */
check(
  'FCC-14/other-direction',
  'DELETE by the first client of a funds confirmation consent of the second is refused',
  { follows: ['FCC-14/refused', 'FCC-14/survives'] },
  async (context) => {
    context.tpp('second')
    const first = await ableToDelete(context)
    requireValue(await context.steps.fundsConfirmation('second'))
    const owner = await context.caller('second')
    const id = await newFundsId(owner)
    relyOn(OWNERS.fundsDeletion, await first.delete(fundsPath(await newFundsId(first)))).toSucceed()
    const { attempt } = await deletedByAnother(context)
    relyOn('FCC-14/refused', attempt).toBeAnError()
    expect(
      await first.delete(fundsPath(id), { deviation: 'a consent of another client' }),
    ).toBeAnError()
    expect(await owner.delete(fundsPath(id))).toSucceed()
  },
)
