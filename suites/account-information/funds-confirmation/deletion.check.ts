import { type Context, check } from '../../../engine/suite-api/check.ts'
import { type ClientName, daysFromNow } from '../../../engine/suite-api/consents.ts'
import { expect, expectThat, noteNegative, relyOn } from '../../../engine/suite-api/expect.ts'
import {
  type Caller,
  grantsBoth,
  requireExchange,
  requireValue,
} from '../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import {
  answerOf,
  brief,
  type Exchange,
  member,
  percentEncoded,
  refused,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { everything } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { expectTable, relyOnNoneBroken } from '../../tables.ts'
import { consentIdInPath } from '../../values/identifier.ts'
import {
  CONSENTS,
  consentBody,
  consentPath,
  createConsent,
  requireConsentId,
} from '../common/consents/consent-requests.ts'
import {
  ableToDelete,
  create,
  createNamed,
  fundsPath,
  newFundsId,
} from '../common/consents/funds-consents.ts'
import { attempts, OF_FUNDS } from '../common/consents/unauthorised-deletions.ts'
import { allIdPlaces, deletedFundsIds, isInvalid } from '../common/places/consent-id-places.ts'
import { fundsAroundExpiry } from '../common/tokens/expired-token.ts'
import { settling } from '../common/visits/settling.ts'

/**
 * Deletion of funds confirmation consents, and which tokens create and delete them.
 * Requirements: specs/account-information/funds-confirmation.yaml
 */

/**
 * A new consent is deleted at the target's path, or at the first candidate that doesn't
 * answer 404 or 405: 204. Later deletions of the chapter use the path that worked.
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
 * Two consents for the same card; each can be deleted. Not applicable where the
 * newer one has replaced the older: no requirement says that a client may hold both.
 */
check(
  'FCC-12/one-alone',
  'DELETE of a funds confirmation consent leaves another one for the same card to be deleted',
  { for: 'each client', follows: ['FCC-12/answers-204', 'FCC-20/unique'] },
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

check(
  'FCC-12/optional-members',
  'DELETE of a funds confirmation consent that has every optional member answers 204',
  { for: 'each client', follows: ['FCC-12/answers-204', 'FCC-05/accepted'] },
  async (context) => {
    const client = await ableToDelete(context)
    const { created } = await createNamed(client, { ExpirationDateTime: daysFromNow(30) })
    relyOn('FCC-05/accepted', created).toSucceed()
    const id = requireConsentId(created, 'FCC-07/consent-id')
    expect(await client.delete(fundsPath(id))).toHaveStatus(204)
  },
)

/** A consent of each kind; not applicable where the newer one has replaced the older. */
async function oneOfEach(client: Caller): Promise<{ accounts: string; funds: string }> {
  const accounts = await createConsent(client)
  const funds = await newFundsId(client)
  const query = await client.get(consentPath(accounts))
  if (refused(query)) throw new NotApplicable('a newer consent ends one that awaits authorisation')
  relyOn(OWNERS.query, query).toSucceed()
  return { accounts, funds }
}

check(
  'CLC-19/not-by-funds',
  'Deleting a funds confirmation consent leaves an account access consent of the client',
  { for: 'each client', follows: ['CLC-19/others-untouched'] },
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
  { for: 'each client', follows: ['CLC-19/others-untouched', 'FCC-12/answers-204'] },
  async (context) => {
    const client = await ableToDelete(context)
    const { accounts, funds } = await oneOfEach(client)
    relyOn(OWNERS.deletion, await client.delete(consentPath(accounts))).toSucceed()
    expect(await client.delete(fundsPath(funds))).toSucceed()
  },
)

check(
  'FCC-13/expired-token',
  'DELETE of a funds confirmation consent with an expired access token answers 401',
  { needs: ['hooks.token-expired'] },
  async (context) => {
    relyOnNoneBroken(await attempts.funds.invalid(context), OF_FUNDS.invalid)
    await ableToDelete(context)
    const { before, after } = await fundsAroundExpiry(context)
    relyOn(OWNERS.fundsDeletion, await before.deletion()).toSucceed()
    expect(await after.deletion()).toHaveStatus(401)
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

/**
 * GET at the path of the consent, before its deletion and within the settling time after it. Fails: it is shown with the
 * Status of before, or without one. The document has no query of these consents: most banks refuse both.
 */
check(
  'FCC-12/gone',
  'A funds confirmation consent that was deleted is not shown as before',
  { follows: ['FCC-12/answers-204'] },
  async (context) => {
    const client = await ableToDelete(context)
    const path = fundsPath(await newFundsId(client))
    const show = () => client.delete(path, { method: 'GET', deviation: 'a query' })
    const shownIn = (answer: Exchange) => member(answer.response?.json, 'Data', 'DebtorAccount')
    const statusIn = (answer: Exchange) => member(answer.response?.json, 'Data', 'Status')
    const before = await show()
    const deletion = await client.delete(path)
    relyOn(OWNERS.fundsDeletion, deletion).toSucceed()
    noteNegative()
    const isGone = (answer: Exchange) => !shownIn(answer) || statusIn(answer) !== statusIn(before)
    const after = await settling(context).until(show, isGone)
    expectThat(isGone(after), {
      message: 'the consent that was deleted is shown as before',
      expected: 'a refusal, or another Status',
      actual: `Status ${brief(statusIn(after))}`,
      exchange: after,
    })
  },
)

const OF_ANOTHER = 'a consent of another client'

/** A client asks for a consent of the other one and tries to delete it, and then its owner deletes it. */
const deletedBy = (name: ClientName) =>
  sharedFixture([], async (context) => {
    context.tpp('second')
    await ableToDelete(context)
    requireValue(await context.steps.fundsConfirmation('second'))
    const owner = await context.caller(name === 'first' ? 'second' : 'first')
    const other = await context.caller(name)
    const path = fundsPath(await newFundsId(owner))
    const control = await other.delete(fundsPath(await newFundsId(other)))
    const wrong = { deviation: OF_ANOTHER }
    const shown = await other.delete(path, { ...wrong, method: 'GET' })
    const attempt = await other.delete(path, wrong)
    return { path, control, shown, attempt, own: await owner.delete(path) }
  })

const deletedByAnother = deletedBy('second')

const deletedByTheFirst = deletedBy('first')

/**
 * The second client tries to delete the first client's consent: an error
 * response. Not applicable where the second client has no scope for it.
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

/**
 * At each address that the document leaves open, beside the one in use: new consents of the first client, by a token of the
 * second and without a token. Fails: then their owner cannot delete it.
 */
check(
  'FCC-14/other-addresses',
  'Another client cannot delete a funds confirmation consent at another address either',
  {
    follows: [
      'FCC-14/refused',
      'FCC-14/survives',
      'FCC-13/without-authorization',
      'FCC-13/nothing-deleted',
    ],
  },
  async (context) => {
    const { steps, target } = context
    const second = context.tpp('second')
    const owner = await ableToDelete(context)
    const { url } = requireExchange(await steps.fundsDeletion()).request
    const others = target.endpoints.cbpii.delete.filter((base) => !url.startsWith(`${base}/`))
    if (others.length === 0) throw new NotApplicable('the target names the one address')
    requireValue(await steps.fundsConfirmation('second'))
    const own = requireValue(await steps.management('second', true))
    const sent = { method: 'DELETE', identity: second.name }
    const control = await newFundsId(await context.caller('second'))
    const path = `${url.slice(0, url.lastIndexOf('/'))}/${percentEncoded(control)}`
    const named = { path, bearer: own, subject: control }
    relyOn(
      OWNERS.fundsDeletion,
      await second.call('delete-funds-confirmation-consent', { ...sent, ...named }),
    ).toSucceed()
    const tokens = { 'a token of another client': own, 'no access token': null }
    for (const base of others) {
      for (const [words, bearer] of Object.entries(tokens)) {
        const id = await newFundsId(owner)
        const deviation = `${words}, at another address`
        const path = `${base}/${percentEncoded(id)}`
        const attempt = await second.call('elsewhere', { ...sent, path, bearer, deviation })
        const deletion = await owner.delete(fundsPath(id))
        noteNegative()
        expectThat(succeeded(deletion), {
          message: `a consent is deleted by ${deviation}`,
          expected: 'a refusal, or a consent that is still there',
          actual: `${answerOf(attempt)}, and its owner cannot delete it any more`,
          exchange: attempt,
        })
      }
    }
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
  'FCC-14/deleted',
  'DELETE of a funds confirmation consent that another client has deleted gives an error response',
  { follows: ['FCC-14/refused', 'FCC-14/survives', 'FCC-15/invalid-id', 'CLC-08/deleted'] },
  async (context) => {
    const { path, control, attempt, own } = await deletedByAnother(context)
    relyOn(OWNERS.fundsDeletion, control).toSucceed()
    relyOn('FCC-14/refused', attempt).toBeAnError()
    relyOn('FCC-14/survives', own).toSucceed()
    const other = await context.caller('second')
    const deviation = 'a consent that another client has deleted'
    expect(await other.delete(path, { deviation })).toBeAnError()
  },
)

/** The document has no query of these consents. A bank that has one refuses this one. */
check(
  'FCC-14/not-shown',
  'GET of a funds confirmation consent that another client owns does not show it',
  {},
  async (context) => {
    for (const attempts of [deletedByAnother, deletedByTheFirst]) {
      const { control, shown } = await attempts(context)
      relyOn(OWNERS.fundsDeletion, control).toSucceed()
      noteNegative()
      const account = member(shown.response?.json, 'Data', 'DebtorAccount')
      expectThat((account ?? undefined) === undefined, {
        message: 'the consent of another client is shown',
        expected: 'a refusal, or an answer without the consent',
        actual: brief(account),
        exchange: shown,
      })
    }
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
  { asks: [consentIdInPath] },
  async (context) => {
    await expectTable(context, {
      ...{ owner: 'FCC-15/invalid-id', type: consentIdInPath, rows: isInvalid },
      places: await deletedFundsIds(context),
      beside: await allIdPlaces(context),
    })
  },
)

/**
 * DELETE of the client's own new account access ConsentId at the funds confirmation
 * path: an error response, or at least the consent can still be queried.
 */
check(
  'FCC-17/kinds-apart',
  'The funds confirmation path does not delete an account access consent',
  { for: 'each client' },
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
 * response. After a successful DELETE there, the consent can still be deleted at its own path.
 */
check(
  'FCC-17/not-as-accounts',
  'The path of account access consents neither shows nor deletes a funds confirmation consent',
  { for: 'each client' },
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
      if (exchange && grantsBoth(exchange, client.tpp.client.scopes)) {
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

/** If the bank lets any client delete, it ignores the token: that is judged elsewhere. */
async function relyOnOwnership(context: Context, [funds, access]: boolean[]): Promise<void> {
  if (!context.target.clients.second) return
  if (funds) relyOn('FCC-14/refused', (await deletedByAnother(context)).attempt).toBeAnError()
  if (!access) return
  const path = consentPath(await createConsent(await context.caller()))
  const attempt = await (await context.caller('second')).delete(path, { deviation: OF_ANOTHER })
  relyOn('CLC-08/refused', attempt).toBeAnError()
}

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

check(
  'FCC-14/other-direction',
  'DELETE by the first client of a funds confirmation consent of the second is refused',
  { follows: ['FCC-14/refused', 'FCC-14/survives'] },
  async (context) => {
    const { control, attempt, own } = await deletedByTheFirst(context)
    relyOn(OWNERS.fundsDeletion, control).toSucceed()
    expect(attempt).toBeAnError()
    expect(own).toSucceed()
  },
)

check(
  'FCC-23/other-direction',
  'The refusal to delete a funds confirmation consent of the second client for the first has status 403, too',
  { follows: ['FCC-23/with-403'] },
  async (context) => {
    const { control, attempt } = await deletedByTheFirst(context)
    relyOn(OWNERS.fundsDeletion, control).toSucceed()
    relyOn('FCC-14/other-direction', attempt).toBeAnError()
    expect(attempt).toHaveStatus(403)
  },
)
