import type { NamedConsent } from '../engine/journey/consent.ts'
import type { Context } from '../engine/journey/context.ts'
import { once } from '../engine/journey/once.ts'
import type { Approval, TokenSet } from '../engine/journey/session.ts'
import { taken } from '../engine/journey/steps.ts'
import { NotApplicable } from '../engine/judge/outcome.ts'
import type { HookName } from '../engine/target/target.ts'
import type { Exchange } from '../engine/wire/exchange.ts'
import { accountsOnly, basicCredits, debitsInPeriod, secondCustomer } from './consents.ts'

/** An approval that something ended for good: what it could do just before, and just after. */
export interface Ended extends Before {
  after: Answers
  /** When it ended, by our clock, in milliseconds since the epoch. */
  at: number
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

/** “debits in a period”, deleted by the TPP; `deletion` is the answer. */
export const deleted = once(async (context): Promise<Ended & { deletion: Exchange }> => {
  const before = await atWork(context, debitsInPeriod)
  const { approval } = before
  const at = Date.now()
  const deletion = await approval.delete(consentPath(approval))
  return { ...before, at, deletion, after: await again(before, 'its consent was deleted') }
})

/** “basic credits”, revoked by the customer at the bank; not applicable without the hook. */
export const revoked = once((context) =>
  endedBy(context, 'customer-revokes', basicCredits, 'its consent was revoked'),
)

/** “accounts only”, past its ExpirationDateTime; not applicable without the hook. */
export const expired = once((context) =>
  endedBy(context, 'consent-expired', accountsOnly, 'its consent has expired'),
)

/** “second customer”, not confirmed for ninety days; not applicable without the hook. */
export const outOfDate = once((context) =>
  endedBy(context, 'ninety-days-passed', secondCustomer, 'ninety days have passed'),
)

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
