import type { Approval } from '../engine/journey/approvals.ts'
import type { NamedConsent } from '../engine/journey/consent.ts'
import type { Context } from '../engine/journey/context.ts'
import type { Steps } from '../engine/journey/happy-path.ts'
import { once } from '../engine/journey/once.ts'
import { taken } from '../engine/journey/steps.ts'
import { type TokenSet, tokensOf } from '../engine/journey/tokens.ts'
import { refused, succeeded } from '../engine/judge/matchers.ts'
import { Blocked } from '../engine/judge/outcome.ts'
import { member } from '../engine/judge/rows.ts'
import type { HookName } from '../engine/target/target.ts'
import type { Exchange } from '../engine/wire/exchange.ts'
import {
  accountsOnly,
  basicCredits,
  debitsInPeriod,
  everything,
  secondCustomer,
} from './consents.ts'

/** An approval that something ended for good: what it could do just before, and just after. */
export interface Ended extends Before {
  after: Answers
  /** When it ended, by our clock, in milliseconds since the epoch. */
  at: number
}

/** An approval that time ended, and what its refresh token gave just after. */
export interface Outlived extends Ended {
  /** Absent where the bank issues no refresh token, or refused to use it before. */
  late?: Late
}

/** A refresh_token grant after the end; where a token comes of it, the data requests with that. */
export interface Late {
  grant: Exchange
  data: Exchange[]
}

interface Before extends Answers {
  approval: Approval
  /** The tokens that were good until then. */
  tokens: TokenSet
  /** The refresh_token grant that gave them; absent where the bank issues no refresh token. */
  refreshed?: Exchange
}

interface Answers {
  /** Query of the consent. */
  query: Exchange
  /** The data requests that its permissions allow, with the access token of before. */
  requests: { path: string; answer: Exchange }[]
}

/** What another consent of the same client and customer still gives. */
interface Others {
  query: Exchange
  accounts: Exchange
}

interface Deleted extends Ended {
  /** Answer of the DELETE. */
  deletion: Exchange
  /** The approval “everything” just before the deletion, and just after. */
  others: { before: Others; after: Others }
}

/** “debits in a period”, which another client tries to delete. */
export const attacked = once(async (context) => {
  const before = await atWork(context, debitsInPeriod)
  const { approval } = before
  if (!context.target.clients.second) return { before }
  const other = await context.caller('second')
  const deviation = 'an authorised consent of another client'
  const attempt = await other.delete(consentPath(approval), { deviation })
  return { before, attempt, after: await again(before, undefined) }
})

/** Did a consent lose anything that it had before? */
export function harmed({ query, requests }: Answers, after: Answers): Exchange | undefined {
  const status = (exchange: Exchange) => member(exchange.response?.json, 'Data', 'Status')
  if (succeeded(query) && (!succeeded(after.query) || status(query) !== status(after.query))) {
    return after.query
  }
  return after.requests.find(
    // A limit that is reached meanwhile harms no consent.
    ({ answer }, index) =>
      refused(answer) &&
      answer.response?.status !== 429 &&
      succeeded(requests[index]?.answer ?? answer),
  )?.answer
}

/** “debits in a period”, deleted by the TPP. */
export const deleted = once(async (context): Promise<Deleted> => {
  const { before, after: attackedAfter } = await attacked(context)
  const { approval } = before
  const harm = attackedAfter && harmed(before, attackedAfter)
  if (harm) {
    const because = { kind: 'check', id: 'CLC-08/authorised' } as const
    throw new Blocked(because, 'another client has ended it before', harm)
  }
  const other = await context.approved(everything)
  const look = async (): Promise<Others> => ({
    query: await other.get(consentPath(other)),
    accounts: await other.get('/accounts'),
  })
  const otherBefore = await look()
  const at = Date.now()
  const deletion = await approval.delete(consentPath(approval))
  const others = { before: otherBefore, after: await look() }
  const lost = [others.after.query, others.after.accounts].find((answer) => !succeeded(answer))
  if (lost) spoilt.set(context.steps, lost)
  const after = await again(before, 'its consent was deleted')
  return { ...before, at, deletion, others, after }
})

/** “basic credits”, revoked by the customer at the bank; not applicable without the hook. */
export const revoked = once((context) =>
  endedBy(context, 'customer-revokes', basicCredits, 'its consent was revoked'),
)

/** “accounts only”, past its ExpirationDateTime; not applicable without the hook. */
export const expired = once(async (context): Promise<Outlived> => {
  const words = 'its consent has expired'
  return refreshedLate(await endedBy(context, 'consent-expired', accountsOnly, words), words)
})

/** “second customer”, not confirmed for ninety days; not applicable without the hook. */
export const outOfDate = once(async (context): Promise<Outlived> => {
  const words = 'ninety days have passed'
  return refreshedLate(await endedBy(context, 'ninety-days-passed', secondCustomer, words), words)
})

async function endedBy(
  context: Context,
  hook: HookName,
  consent: NamedConsent,
  words: string,
): Promise<Ended> {
  context.able(hook)
  const before = await atWork(context, consent)
  const { consentId, facts } = before.approval
  const end = hook === 'consent-expired' ? Date.parse(facts.expiration ?? '') : undefined
  const at = Date.now()
  await context.fact(hook, { consentId }, end)
  return { ...before, at, after: await again(before, words) }
}

/** The same, with a refresh after the end. */
async function refreshedLate(ended: Ended, deviation: string): Promise<Outlived> {
  const { refreshed, tokens } = ended
  if (!refreshed || !succeeded(refreshed) || !tokens.refreshToken) return ended
  return { ...ended, late: await refreshAfter(ended, tokens.refreshToken, deviation) }
}

/** A refresh after the end and, where a token comes of it, the data requests of before with that. */
export async function refreshAfter(
  { approval, requests }: Ended,
  refreshToken: string,
  deviation: string,
): Promise<Late> {
  const grant = await approval.tpp.token(
    { grant_type: 'refresh_token', refresh_token: refreshToken },
    { deviation },
  )
  const bearer = tokensOf(grant)?.accessToken
  const data: Exchange[] = []
  if (!bearer) return { grant, data }
  for (const { path, answer } of requests) {
    if (succeeded(answer)) data.push(await approval.get(path, { bearer, deviation }))
  }
  return { grant, data }
}

const consentPath = ({ consentId }: Approval) =>
  `/account-access-consents/${encodeURIComponent(consentId)}`

/** The answers of others that a deletion has spoilt, by run. */
const spoilt = new WeakMap<Steps, Exchange>()

/** Ends the check where an earlier deletion of another consent took from this one what it had. */
function blameDeletion(steps: Steps): void {
  const exchange = spoilt.get(steps)
  if (!exchange) return
  const because = { kind: 'check', id: 'CLC-19/others-untouched' } as const
  throw new Blocked(because, 'the deletion of another consent has ended it', exchange)
}

async function atWork({ approved, steps }: Context, consent: NamedConsent): Promise<Before> {
  const approval = await approved(consent)
  const { refreshToken } = await approval.tokens()
  // First, since a bank may end an access token when it issues the next.
  const refreshed = refreshToken ? (await steps.refresh(consent)).exchange : undefined
  const tokens = await approval.tokens()
  const accounts = await steps.accounts(consent)
  const query = await approval.get(consentPath(approval))
  if (accounts.value === undefined || !succeeded(query)) blameDeletion(steps)
  const accountIds = taken(accounts)
  const requests: Answers['requests'] = []
  for (const path of dataPaths(consent.permissions, accountIds)) {
    requests.push({ path, answer: await approval.get(path) })
  }
  return { approval, tokens, refreshed, query, requests }
}

/** The same once more, with the same access token; a deviation where it is no correct request any more. */
async function again(
  { approval, tokens, requests }: Before,
  deviation: string | undefined,
): Promise<Answers> {
  const query = await approval.get(consentPath(approval), { deviation })
  const repeated: Answers['requests'] = []
  for (const { path } of requests) {
    const answer = await approval.get(path, { bearer: tokens.accessToken, deviation })
    repeated.push({ path, answer })
  }
  return { query, requests: repeated }
}

/** The data endpoints that these permissions open, for all accounts and for each of these. */
export function dataPaths(permissions: readonly string[], accountIds: string[]): string[] {
  const opened = [
    { path: '/accounts', single: '', by: 'ReadAccounts' },
    { path: '/balances', single: '/balances', by: 'ReadBalances' },
    { path: '/transactions', single: '/transactions', by: 'ReadTransactions' },
  ].filter(({ by }) => permissions.some((permission) => permission.startsWith(by)))
  return opened.flatMap(({ path, single }) => [
    path,
    ...accountIds.map((id) => `/accounts/${encodeURIComponent(id)}${single}`),
  ])
}
