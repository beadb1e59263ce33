import type { Approval } from '../engine/journey/approvals.ts'
import type { NamedConsent } from '../engine/journey/consent.ts'
import type { Context } from '../engine/journey/context.ts'
import { once } from '../engine/journey/once.ts'
import { taken } from '../engine/journey/steps.ts'
import { type TokenSet, tokensOf } from '../engine/journey/tokens.ts'
import { succeeded } from '../engine/judge/matchers.ts'
import { NotApplicable } from '../engine/judge/outcome.ts'
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
  late?: { grant: Exchange; data?: Exchange }
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

/** “debits in a period”, deleted by the TPP. */
export const deleted = once(async (context): Promise<Deleted> => {
  const before = await atWork(context, debitsInPeriod)
  const { approval } = before
  const other = await context.approved(everything)
  const look = async (): Promise<Others> => ({
    query: await other.get(consentPath(other)),
    accounts: await other.get('/accounts'),
  })
  const otherBefore = await look()
  const at = Date.now()
  const deletion = await approval.delete(consentPath(approval))
  const others = { before: otherBefore, after: await look() }
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
  if (!context.target.document.hooks?.[hook]) {
    throw new NotApplicable(`the target has no hook ${hook}`)
  }
  const before = await atWork(context, consent)
  const at = Date.now()
  await context.fact(hook, { consentId: before.approval.consentId })
  return { ...before, at, after: await again(before, words) }
}

/** A refresh after the end and, where a token comes of it, the first data request with that. */
async function refreshedLate(ended: Ended, deviation: string): Promise<Outlived> {
  const { approval, tokens, refreshed, requests } = ended
  const [first] = requests
  if (!refreshed || !succeeded(refreshed) || !tokens.refreshToken || !first) return ended
  const grant = await approval.tpp.token(
    { grant_type: 'refresh_token', refresh_token: tokens.refreshToken },
    { deviation },
  )
  const bearer = tokensOf(grant)?.accessToken
  if (!bearer) return { ...ended, late: { grant } }
  return { ...ended, late: { grant, data: await approval.get(first.path, { bearer, deviation }) } }
}

const consentPath = ({ consentId }: Approval) =>
  `/account-access-consents/${encodeURIComponent(consentId)}`

async function atWork({ approved, steps }: Context, consent: NamedConsent): Promise<Before> {
  const approval = await approved(consent)
  const { refreshToken } = await approval.tokens()
  // First, since a bank may end an access token when it issues the next.
  const refreshed = refreshToken ? (await steps.refresh(consent)).exchange : undefined
  const tokens = await approval.tokens()
  const [accountId] = taken(await steps.accounts(consent))
  const query = await approval.get(consentPath(approval))
  const requests: Answers['requests'] = []
  for (const path of dataPaths(consent.permissions, accountId)) {
    requests.push({ path, answer: await approval.get(path) })
  }
  return { approval, tokens, refreshed, query, requests }
}

/** The same once more, with the same access token. */
async function again({ approval, tokens, requests }: Before, deviation: string): Promise<Answers> {
  const query = await approval.get(consentPath(approval), { deviation })
  const repeated: Answers['requests'] = []
  for (const { path } of requests) {
    const answer = await approval.get(path, { bearer: tokens.accessToken, deviation })
    repeated.push({ path, answer })
  }
  return { query, requests: repeated }
}

/** The data endpoints that these permissions open, those of one account where one is known. */
function dataPaths(permissions: readonly string[], accountId: string | undefined): string[] {
  const opened = [
    { path: '/accounts', single: '', by: 'ReadAccounts' },
    { path: '/balances', single: '/balances', by: 'ReadBalances' },
    { path: '/transactions', single: '/transactions', by: 'ReadTransactions' },
  ].filter(({ by }) => permissions.some((permission) => permission.startsWith(by)))
  const account = accountId === undefined ? undefined : encodeURIComponent(accountId)
  return opened.flatMap(({ path, single }) =>
    account === undefined ? [path] : [path, `/accounts/${account}${single}`],
  )
}
