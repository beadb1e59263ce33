import { randomBytes } from 'node:crypto'
import type { Context } from '../engine/suite-api/check.ts'
import type { HookName } from '../engine/suite-api/client.ts'
import { now } from '../engine/suite-api/clock.ts'
import type { Approval, NamedConsent } from '../engine/suite-api/consents.ts'
import { expectThat, relyOn } from '../engine/suite-api/expect.ts'
import {
  type CallDeviation,
  requireValue,
  type TokenSet,
  tokensOf,
  untilTimeHasMoved,
  type Visit,
} from '../engine/suite-api/flow.ts'
import { blockBy, NotApplicable } from '../engine/suite-api/outcomes.ts'
import {
  answerOf,
  type Exchange,
  percentEncoded,
  refused,
  succeeded,
} from '../engine/suite-api/responses.ts'
import { sharedFixture } from '../engine/suite-api/shared-fixture.ts'
import { statusOf } from './account-information/common/consents/consent-requests.ts'
import { ofOneAccount, waysToAsk } from './account-information/common/data/absent-reads.ts'
import { dataPaths } from './account-information/common/data/data-reads.ts'
import { ELSEWHERE } from './account-information/common/elsewhere.ts'
import { approvedAfterTries } from './account-information/common/tokens/codes.ts'
import { confirmAgain } from './account-information/common/visits/re-confirmations.ts'
import { type Settling, settling } from './account-information/common/visits/settling.ts'
import { approvedBefore } from './account-information/common/visits/visits.ts'
import { type Bystander, bystanders, looking, noteLost, relyOnEndsOfOthers } from './bystanders.ts'
import {
  accountsOnly,
  basicCredits,
  codeOfAnotherClient,
  debitsInPeriod,
  everything,
  noAccounts,
  reconfirmed,
  secondClient,
  secondCustomer,
} from './consents.ts'

/** An approval that ended for good, with its answers just before and just after. */
export interface Ended extends Before {
  after: Answers
  /** When it ended, by our clock, in milliseconds since 1970. */
  at: number
  /** Other approvals, just before the end and just after. */
  others: Bystander[]
}

/** An approval that ended by time, and what its refresh token gave just after. */
export interface Outlived extends Ended {
  /** Absent where the bank issues no refresh token, or refused it before the end. */
  late?: Late
}

/** A refresh_token grant after the end and, if it gives a token, the data requests with that token. */
export interface Late {
  grant: Exchange
  data: Exchange[]
  /** A refused request with the earlier access token, sent again. Absent where nothing was refused. */
  still?: Exchange
}

interface Before extends Answers {
  approval: Approval
  /** The tokens that were valid until then. */
  tokens: TokenSet
  /** Tokens of the same consent that these replaced. */
  older: TokenSet[]
  /** The refresh_token grant that gave these tokens; absent where the bank issues no refresh token. */
  refreshed?: Exchange
}

interface Answers {
  query: Exchange
  /** The data requests that its permissions allow, with the earlier access token. */
  requests: { path: string; answer: Exchange }[]
  /** The same with other tokens, with filters, or while the customer is absent. After the end none may give data. */
  beyond?: Exchange[]
}

interface Deleted extends Ended {
  deletion: Exchange
}

/** “debits in a period”, after another client's attempt to delete it. */
export const attacked = sharedFixture([debitsInPeriod], async (context) => {
  const before = await atWork(context, debitsInPeriod)
  const { approval } = before
  if (!context.target.clients.second) return { before }
  const other = await context.caller('second')
  const deviation = 'an authorised consent of another client'
  const attempt = await other.delete(consentPath(approval), { deviation })
  return { before, attempt, after: await again(before, undefined) }
})

/** The same consent, after attempts to delete it without its access token, and its state afterwards. */
export const triedWithoutToken = sharedFixture([debitsInPeriod], async (context) => {
  const { before, after } = await attacked(context)
  const harm = after && harmed(before, after)
  if (harm) blockBy('CLC-08/authorised', 'another client has ended the consent before', harm)
  const { approval, tokens } = before
  const attempt = (deviation: CallDeviation) => approval.delete(consentPath(approval), deviation)
  const without = await attempt({ bearer: null, deviation: 'no Authorization header' })
  const bearer = randomBytes(32).toString('base64url')
  const unknown = await attempt({ bearer, deviation: 'an unknown access token' })
  const query = await approval.get(consentPath(approval))
  const data = await attempt({ bearer: tokens.accessToken, deviation: 'its token for data' })
  return { before, without, unknown, data, query }
})

/** The same consent, after requests to add a permission to it; its query afterwards, where one was not refused. */
export const widened = sharedFixture([debitsInPeriod], async (context) => {
  const { before } = await triedWithoutToken(context)
  const { approval } = before
  const Permissions = [...approval.facts.permissions, 'ReadTransactionsCredits']
  for (const method of ['PUT', 'PATCH']) {
    const deviation = `${method} of an authorised consent, with one permission more`
    const body = { Data: { Permissions }, Risk: {} }
    const attempt = await approval.post(consentPath(approval), body, { method, deviation })
    if (refused(attempt)) continue
    const about = { owns: ['CONS-37/kept'] }
    return { before, query: await approval.get(consentPath(approval), { about }) }
  }
  return { before }
})

/** Did a consent lose anything that it gave before? */
export function harmed({ query, requests }: Answers, after: Answers): Exchange | undefined {
  // A change to Authorised is not judged: a query may lag behind the approval.
  const same = [statusOf(query), 'Authorised'].includes(statusOf(after.query))
  if (succeeded(query) && !(succeeded(after.query) && same)) return after.query
  return after.requests.find(
    // A limit that was reached in the meantime does not harm the consent.
    ({ answer }, index) =>
      refused(answer) &&
      answer.response?.status !== 429 &&
      succeeded(requests[index]?.answer ?? answer),
  )?.answer
}

/** Ends the check with a finding where a refused deletion has changed what the consent gives. */
export function expectUnharmed(before: Answers, after: Answers): void {
  const harm = harmed(before, after)
  expectThat(harm === undefined, {
    message: 'the refused deletion has changed what the consent gives',
    expected: 'the same answers as before',
    actual: harm ? `${harm.endpoint} answered ${answerOf(harm)}` : '',
    exchange: harm,
  })
}

/** “debits in a period”, deleted by the TPP. */
export const deleted = sharedFixture(
  [debitsInPeriod, everything],
  async (context): Promise<Deleted> => {
    const { before, without, unknown, data, query } = await triedWithoutToken(context)
    await widened(context)
    const { approval } = before
    relyOn('CLC-07/authorised', without).toBeAnError()
    relyOn('CLC-07/authorised', unknown).toBeAnError()
    relyOn('TOK-25/delete-authorised', data).toBeAnError()
    if (refused(query))
      blockBy('CLC-07/authorised', 'a refused deletion has ended the consent', query)
    const other = await looking(await context.approved(everything))
    const otherBefore = await other()
    const at = now()
    const deletion = await approval.delete(consentPath(approval))
    const settled = settling(context)
    const others = [{ before: otherBefore, after: await other() }]
    noteLost(context, others, 'CLC-19/others-untouched')
    const gone = { ...settled, ended: refused }
    const after = await again(before, 'its consent was deleted', gone)
    return { ...before, at, deletion, others, after }
  },
)

/** “basic credits”, revoked by the customer at the bank; not applicable without the hook. */
export const revoked = sharedFixture([basicCredits], (context) =>
  endedBy(context, 'customer-revokes', basicCredits, 'its consent was revoked', seesRevoked),
)

/**
 * The same for “second client”, with “no accounts” as the other approval,
 * after its last use. With only one customer it is deleted instead.
 */
export const revokedForSecond = sharedFixture([noAccounts, secondClient], async (context) => {
  context.customer('second')
  context.requireHook('customer-revokes')
  // The check of that approval reports why it was not granted.
  await context.approved(noAccounts).catch(() => undefined)
  await requireOpen(context, await context.approved(secondClient))
  return endedBy(context, 'customer-revokes', secondClient, 'its consent was revoked', seesRevoked)
})

/**
 * Not applicable if the tokens were ended: a bank may end them after a wrong client used one of them.
 *
 * @returns the accounts
 */
export async function requireOpen(
  { session }: Context<never>,
  approval: Approval,
): Promise<Exchange> {
  const list = await approval.get('/accounts')
  if ([401, 403].includes(list.response?.status ?? 0)) {
    relyOnEndsOfOthers(session)
    throw new NotApplicable('an earlier refusal has ended the tokens of this approval')
  }
  return list
}

/** “accounts only”, past its ExpirationDateTime; not applicable without the hook. */
export const expired = sharedFixture([accountsOnly], async (context): Promise<Outlived> => {
  const words = 'its consent has expired'
  const ended = await endedBy(context, 'consent-expired', accountsOnly, words)
  return refreshedLate(context, ended, words)
})

export const ONE_AGAIN = 'to be re-confirmed: choose ONE account only'

/** The lists of “code for another client”, when its own client has tokens for it. */
export const listsOfOne = sharedFixture([everything, codeOfAnotherClient], async (context) => {
  const approval = await approvedAfterTries(context)
  await requireOpen(context, approval)
  return listsOf(approval)
})

/** “code for another client”, re-confirmed by its customer for one account, and its lists afterwards. */
export const confirmedForOne = sharedFixture(
  [everything, reconfirmed, codeOfAnotherClient],
  async (context) => {
    const approval = await approvedAfterTries(context)
    await context.approved(reconfirmed)
    await requireOpen(context, approval)
    const again = await confirmAgain(context, approval, ONE_AGAIN, { oneAccount: true })
    return { approval, ...again, lists: again.data ? await listsOf(approval) : [] }
  },
)

/** The answers of the bulk endpoints under an approval. */
export async function listsOf(approval: Approval): Promise<Answers['requests']> {
  const lists: Answers['requests'] = []
  for (const path of ['/accounts', '/balances', '/transactions']) {
    lists.push({ path, answer: await approval.get(path) })
  }
  return lists
}

/**
 * The same after its ExpirationDateTime, which its re-confirmation does not change: it opens every endpoint.
 * Only where a hook makes it expire, and where its own client got tokens for its code after others had tried it.
 */
export const expiredWhole = sharedFixture(
  [everything, reconfirmed, codeOfAnotherClient],
  async (context) => {
    context.requireHook('consent-expired')
    await approvedAfterTries(context)
    await confirmedForOne(context).catch(() => undefined)
    return endedBy(context, 'consent-expired', codeOfAnotherClient, 'its consent has expired')
  },
)

/** “second customer”, not confirmed for ninety days; not applicable without the hook. */
export const outOfDate = sharedFixture([secondCustomer], async (context): Promise<Outlived> => {
  const words = 'ninety days have passed'
  const ended = await endedBy(context, 'ninety-days-passed', secondCustomer, words)
  return refreshedLate(context, ended, words)
})

export const LATE = 'to be re-confirmed after ninety days'

/** The same, authorised again by its customer, and the exchange of the code, if there is one. */
export const confirmedLate = sharedFixture(
  [everything, reconfirmed, secondCustomer],
  async (context): Promise<Outlived & { visit: Visit; answer?: Exchange }> => {
    const ended = await outOfDate(context)
    await approvedBefore(context, reconfirmed)
    const { consentId, tpp } = ended.approval
    const visit = await context.visit({ purpose: LATE, customer: 'second', consentId })
    if (visit.kind !== 'granted') return { ...ended, visit }
    const { code, request } = visit
    const redirect_uri = request.redirectUri
    const answer = await tpp.token({ grant_type: 'authorization_code', code, redirect_uri })
    return { ...ended, visit, answer }
  },
)

async function endedBy<Used extends NamedConsent>(
  context: Context<Used>,
  hook: HookName,
  consent: Used,
  words: string,
  queryShows: (query: Exchange) => boolean = () => true,
): Promise<Ended> {
  context.requireHook(hook)
  const before = await atWork(context, consent)
  const { consentId, facts } = before.approval
  const end = hook === 'consent-expired' ? Date.parse(facts.expiration ?? '') : undefined
  const lookAtOthers = await bystanders(context, before.approval)
  // Its customer may have confirmed it again since the approval, which also counts as an update.
  if (hook === 'customer-revokes') await untilTimeHasMoved(before.query, before.query)
  const at = now()
  await context.hook(hook, { consentId }, end)
  // "The TPP can still query the consent" after revocation: that is a correct request.
  const queryable = hook === 'customer-revokes'
  const settled = { ...settling(context), ended: queryShows, queryable }
  const others = await lookAtOthers()
  const ofSecond = before.approval.tpp.name === 'second'
  const owner = ofSecond ? 'CLC-19/second-client' : OF_OTHERS[hook]
  if (owner) noteLost(context, others, owner)
  return { ...before, at, others, after: await again(before, words, settled) }
}

/** The same, with a refresh after the end. */
async function refreshedLate(
  context: Context<never>,
  ended: Ended,
  deviation: string,
): Promise<Outlived> {
  const { refreshed, tokens } = ended
  if (!refreshed || !succeeded(refreshed) || !tokens.refreshToken) return ended
  return { ...ended, late: await refreshAfter(context, ended, tokens.refreshToken, deviation) }
}

/**
 * A refresh after the end and, if it gives a token, the earlier data
 * requests with that token. The end may take effect there with a delay.
 */
export async function refreshAfter(
  context: Context<never>,
  { approval, requests, tokens, after }: Ended,
  refreshToken: string,
  deviation: string,
): Promise<Late> {
  let latest = refreshToken
  let data: Exchange[] = []
  const ask = async () => {
    const grant = { grant_type: 'refresh_token', refresh_token: latest } as const
    const answer = await approval.tpp.token(grant, { deviation })
    const given = tokensOf(answer)
    latest = given?.refreshToken ?? latest
    data = []
    for (const { path, answer: before } of given ? requests : []) {
      if (!succeeded(before)) continue
      data.push(await approval.get(path, { bearer: given?.accessToken, deviation }))
    }
    return answer
  }
  const grant = await settling(context).until(ask, () => data.every(refused))
  const lost = after.requests.find(
    ({ answer }, index) => refused(answer) && succeeded(requests[index]?.answer ?? answer),
  )
  if (!lost) return { grant, data }
  const bearer = tokens.accessToken
  const still = await approval.get(lost.path, {
    bearer,
    deviation: `${deviation}, after a refresh`,
  })
  return { grant, data, still }
}

const consentPath = ({ consentId }: Approval) =>
  `/account-access-consents/${percentEncoded(consentId)}`

/** The check that judges whether an end has affected other approvals, by the hook that caused it. */
const OF_OTHERS: Partial<Record<HookName, string>> = {
  'customer-revokes': 'CLC-19/not-by-revocation',
  'consent-expired': 'CLC-19/not-by-expiry',
}

/** An approval in use: all requests that its permissions allow, and its query. */
export async function atWork<Used extends NamedConsent>(
  { approved, steps, session }: Context<Used>,
  consent: Used,
): Promise<Before> {
  const approval = await approved(consent)
  const first = await approval.tokens()
  const { refreshToken } = first
  // This comes first, since a bank may end an access token when it issues the next.
  const refreshed = refreshToken ? (await steps.refresh(consent)).exchange : undefined
  const tokens = await approval.tokens()
  // A code that checks have tried is not sent again: a bank treats a second use as theft.
  const exchanged = consent.keepsCode ? undefined : (await steps.exchange(consent)).value
  const older = [first, exchanged].filter(
    (each): each is TokenSet => each !== undefined && each.accessToken !== tokens.accessToken,
  )
  const accounts = await steps.accounts(consent)
  const query = await approval.get(consentPath(approval))
  if (accounts.value === undefined || !succeeded(query)) relyOnEndsOfOthers(session)
  const accountIds = requireValue(accounts)
  const requests: Answers['requests'] = []
  for (const path of dataPaths(consent.permissions, accountIds)) {
    requests.push({ path, answer: await approval.get(path) })
  }
  return { approval, tokens, older: distinct(older), refreshed, query, requests }
}

/** Does the TPP see that the customer has revoked the consent? */
const seesRevoked = (query: Exchange) => refused(query) || statusOf(query) === 'Revoked'

/** The same requests again with the same access token; with a deviation if they are no longer correct. */
export async function again(
  { approval, tokens, older, requests }: Before,
  deviation: string | undefined,
  settled?: Settling & { ended: (query: Exchange) => boolean; queryable?: boolean },
): Promise<Answers> {
  const { until, ended } = settled ?? { until: (ask) => ask(), ended: () => true }
  const asking = settled?.queryable ? {} : { deviation }
  const query = await until(() => approval.get(consentPath(approval), asking), ended)
  const repeated: Answers['requests'] = []
  for (const { path, answer: before } of requests) {
    const ask = () => approval.get(path, { bearer: tokens.accessToken, deviation })
    const answer = await until(ask, (now) => !succeeded(before) || refused(now))
    repeated.push({ path, answer })
  }
  if (deviation === undefined) return { query, requests: repeated }
  const beyond: Exchange[] = []
  for (const { path, answer } of ofOneAccount(requests)) {
    if (!succeeded(answer)) continue
    const asked = [
      ...older.map(({ accessToken: bearer }) => ({
        bearer,
        deviation: `${deviation}, an older token`,
      })),
      ...waysToAsk(path)
        .slice(1)
        .map((way) => ({ ...way, ...ELSEWHERE, bearer: tokens.accessToken, deviation })),
    ]
    for (const how of asked) {
      beyond.push(await until(() => approval.get(path, how), refused, how))
    }
  }
  return { query, requests: repeated, beyond }
}

/** Token sets with different access tokens. */
function distinct(tokens: TokenSet[]): TokenSet[] {
  return tokens.filter(
    ({ accessToken }, at) => tokens.findIndex((one) => one.accessToken === accessToken) === at,
  )
}
