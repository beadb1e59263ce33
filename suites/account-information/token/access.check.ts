import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { NamedConsent } from '../../../engine/suite-api/consents.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { requireExchange, requireValue, tokensOf } from '../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import {
  type Exchange,
  percentEncoded,
  refused,
  rowsOf,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { debitsInPeriod, everything, noAccounts, secondClient } from '../../consents.ts'
import { deleted, type Ended, refreshAfter } from '../../ended-consents.ts'
import { OWNERS } from '../../owners.ts'
import { consentBody, consentPath, createConsent } from '../common/consents/consent-requests.ts'
import { approvedUnlessRefused } from '../common/consents/optional-consents.ts'
import { revocationChecks } from '../common/consents/revocation-checks.ts'
import { ABSENT, filtersOf, waysToAsk } from '../common/data/absent-reads.ts'
import { accountIdsIn, dataPaths, pathOf, requireAccountIds } from '../common/data/data-reads.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { everyPath } from '../common/data/same-rows.ts'
import { goOnRefreshed, newestRefreshToken } from '../common/tokens/refreshed-access.ts'

/** Access tokens, refresh tokens and what they open. Requirements: specs/account-information/token.yaml */

const CONSENT = '/account-access-consents'

for (const [id, name, owner, tail, singleOwner] of [
  ['TOK-24/accounts', 'accounts', OWNERS.accounts, '', 'ACC-02/answers-200'],
  ['TOK-24/balances', 'balances', OWNERS.balances, '/balances', 'BAL-02/answers-200'],
  [
    'TOK-24/transactions',
    'transactions',
    OWNERS.transactions,
    '/transactions',
    'TXN-02/answers-200',
  ],
] as const) {
  check(
    id,
    `An access token of the client_credentials grant gives no ${name}`,
    { uses: [everything] },
    async ({ approved, steps }) => {
      const approval = await approved(everything)
      const { get, consentId } = approval
      // Without a bearer given here: if the bank ended the token early, the client renews it.
      relyOn('CONS-22/answers-200', await get(consentPath(consentId))).toSucceed()
      const bearer = requireValue(await steps.management())
      relyOn(owner, await get(`/${name}`)).toSucceed()
      const deviation = 'a client_credentials token'
      for (const way of waysToAsk(`/${name}`)) {
        expect(await get(`/${name}`, { bearer, deviation, ...way })).toBeRefused()
      }
      const [account = ''] = await requireAccountIds(approval)
      const path = pathOf(account, tail)
      relyOn(singleOwner, await get(path)).toSucceed()
      for (const way of waysToAsk(path)) {
        expect(await get(path, { bearer, deviation, ...way })).toBeRefused()
      }
    },
  )
}

check(
  'TOK-24/other-tokens',
  'No client_credentials token of the second client, and none for funds confirmation, gives data',
  { uses: [everything, secondClient] },
  async (context) => {
    const first = await context.approved(everything)
    const parties = [{ approval: first, forFunds: true }]
    if (context.target.clients.second) {
      const approval = await context.approved(secondClient)
      parties.push({ approval, forFunds: false })
    }
    const deviation = 'a client_credentials token'
    for (const { approval, forFunds } of parties) {
      const name = approval.tpp.name as 'first' | 'second'
      if (forFunds && approval.tpp.client.scopes.fundsConfirmation === undefined) continue
      const [id = ''] = await requireAccountIds(approval)
      for (const path of everyPath(approval, id)) {
        relyOn(readOwner(approval, path), await approval.get(path)).toSucceed()
        const kind = path.split('/').at(-1) ?? ''
        const owner = `TOK-24/${['balances', 'transactions'].includes(kind) ? kind : 'accounts'}`
        const bearer = requireValue(await context.steps.management(name, forFunds))
        const answer = await approval.get(path, { bearer, deviation })
        if (succeeded(answer)) {
          const own = requireValue(await context.steps.management())
          const [own1 = ''] = await requireAccountIds(first)
          const same = path.startsWith('/accounts/')
            ? path.replace(percentEncoded(id), percentEncoded(own1))
            : path
          relyOn(owner, await first.get(same, { bearer: own, deviation })).toBeRefused()
        }
        expect(answer).toBeRefused()
      }
    }
  },
)

check(
  'TOK-25/query',
  'A consent is not queried with an access token of the authorization_code grant',
  { uses: [everything], over: [secondClient] },
  async ({ approved }, consent) => {
    const { get, consentId, tokens } = await approved(consent)
    const path = consentPath(consentId)
    relyOn(OWNERS.accounts, await get('/accounts')).toSucceed()
    relyOn('CONS-22/answers-200', await get(path)).toSucceed()
    const bearer = (await tokens()).accessToken
    expect(await get(path, { bearer, deviation: 'an access token for data' })).toBeRefused()
  },
)

check(
  'TOK-25/create',
  'A consent is not created with an access token of the authorization_code grant',
  { uses: [everything], over: [secondClient] },
  async ({ approved }, consent) => {
    const { get, post, tokens } = await approved(consent)
    relyOn(OWNERS.accounts, await get('/accounts')).toSucceed()
    relyOn(OWNERS.consent, await post(CONSENT, consentBody())).toSucceed()
    const bearer = (await tokens()).accessToken
    const deviation = 'an access token for data'
    expect(await post(CONSENT, consentBody(), { bearer, deviation })).toBeRefused()
  },
)

check(
  'TOK-25/delete',
  'A consent is not deleted with an access token of the authorization_code grant',
  { uses: [everything], over: [secondClient] },
  async ({ approved }, consent) => {
    const approval = await approved(consent)
    const path = consentPath(await createConsent(approval))
    relyOn(OWNERS.accounts, await approval.get('/accounts')).toSucceed()
    relyOn(OWNERS.query, await approval.get(path)).toSucceed()
    const bearer = (await approval.tokens()).accessToken
    const deviation = 'an access token for data'
    expect(await approval.delete(path, { bearer, deviation })).toBeRefused()
    expect(await approval.get(path)).toSucceed()
  },
)

/** “no accounts”, or “second client” where the bank refuses that combination of permissions (AMB-13). */
async function toExpire({
  steps,
}: Context<typeof noAccounts>): Promise<typeof noAccounts | typeof secondClient> {
  const { exchange } = await steps.consent(noAccounts)
  return exchange && refused(exchange) ? secondClient : noAccounts
}

/** What an access token gives before it expires, by hook or by waiting, and after. */
async function expire<Used extends NamedConsent>({ approved, hook }: Context<Used>, consent: Used) {
  const approval = await approved(consent)
  const transactions = await approval.get('/transactions')
  const served: string[] = []
  for (const path of dataPaths(consent.permissions, accountIdsIn(rowsOf(transactions)))) {
    if (succeeded(await approval.get(path))) served.push(path)
  }
  // The latest tokens: a bank may have ended earlier ones for a newer approval (AMB-43).
  const tokens = await approval.tokens()
  const { accessToken, expiresAt } = tokens
  const late = { bearer: accessToken, deviation: 'it has expired' }
  const isOver = async () => refused(await approval.get(served[0] ?? '/transactions', late))
  await hook('token-expired', { accessToken }, expiresAt, isOver)
  const after: Exchange[] = []
  for (const path of served) {
    for (const way of [{}, ...filtersOf(path)]) {
      after.push(await approval.get(path, { ...way, ...late }))
    }
  }
  // Only a list and a single address: banks allow few requests without the customer.
  const absent = [served[0], served.find((path) => path.startsWith('/accounts/'))]
  for (const path of absent.filter((one) => one !== undefined)) {
    after.push(await approval.get(path, { ...ABSENT, ...late }))
  }
  return { consent, approval, tokens, before: transactions, after }
}

const expiredToken = sharedFixture([noAccounts, secondClient], async (context) =>
  expire(context, await toExpire(context)),
)

/** The same for the second client, whose consent opens every endpoint; only if a refresh can replace the token. */
const expiredOfSecond = sharedFixture([noAccounts, secondClient], async (context) => {
  const { target, steps } = context
  const { consent } = await expiredToken(context)
  if (!target.clients.second || consent.name === secondClient.name) return []
  const { refreshToken } = await (await context.approved(secondClient)).tokens()
  if (!refreshToken || !(await steps.refresh(secondClient)).value) return []
  const { approval, after } = await expire(context, secondClient)
  await goOnRefreshed(approval)
  return after
})

/**
 * The data endpoints of an approval with its access token, after the hook
 * token-expired; those for accounts with one of the second client, if a
 * refresh can then replace it. Fails: 2xx. Not applicable without the hook.
 */
check(
  'TOK-21/expired',
  'An access token that has expired gives no data',
  { uses: [noAccounts, secondClient], spends: noAccounts, needs: ['hooks.token-expired'] },
  async (context) => {
    const { approval, before, after } = await expiredToken(context)
    relyOn(readOwner(approval, '/transactions'), before).toSucceed()
    for (const answer of after) expect(answer).toBeRefused()
    for (const answer of await expiredOfSecond(context)) expect(answer).toBeRefused()
  },
)

/**
 * After TOK-21/expired, refresh_token grant, then GET /transactions. Fails: no
 * access_token, or the new one does not read /transactions. Records the rotation. Not
 * applicable when no refresh token was issued, or where TOK-21/expired is not applicable.
 */
check(
  'TOK-22/after-expiry',
  'A refresh token replaces an access token that has expired by one that gives data',
  {
    uses: [everything, noAccounts, secondClient],
    spends: noAccounts,
    needs: ['hooks.token-expired'],
  },
  async (context) => {
    const { consent, approval, tokens, before, after } = await expiredToken(context)
    if (!tokens.refreshToken) throw new NotApplicable('the bank issues no refresh token')
    relyOn(readOwner(approval, '/transactions'), before).toSucceed()
    requireValue(await context.steps.refresh(everything))
    for (const answer of after) relyOn('TOK-21/expired', answer).toBeRefused()
    const known = requireExchange(await context.steps.refresh(consent))
    // The approval of another consent may have been refreshed before this token expired.
    const isLater = after.every(({ startedAt }) => startedAt <= known.startedAt)
    const exchange = isLater ? known : (await approval.refresh()).exchange
    expect(exchange).toGiveAToken()
    const next = tokensOf(exchange)?.refreshToken
    const seen =
      next === undefined ? 'none' : next === tokens.refreshToken ? 'the same' : 'a new one'
    context.observe('refresh token in the answer to a refresh', seen, exchange)
    expect(await approval.get('/transactions')).toSucceed()
  },
)

// A bank may treat this as theft and end the approval: this is the last use of it.
check(
  'TOK-13/second-client',
  'A refresh token of the first client is not exchanged for the second',
  {
    uses: [everything, noAccounts, secondClient],
    spends: noAccounts,
    needs: ['clients.second'],
    follows: ['TOK-13/other-client'],
  },
  async (context) => {
    await approvedUnlessRefused(context, noAccounts)
    const expired = await expiredToken(context).catch(() => undefined)
    const step = await context.steps.refresh(noAccounts)
    if (expired && step.exchange) relyOn('TOK-22/after-expiry', step.exchange).toGiveAToken()
    const refreshToken = await newestRefreshToken(context, noAccounts)
    const { tpp } = await context.caller('second')
    relyOn(OWNERS.management, await tpp.token({ grant_type: 'client_credentials' })).toSucceed()
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken } as const
    const deviation = 'a refresh token of the first client'
    expect(await tpp.token(grant, { deviation })).toGiveNoToken()
  },
)

/** Expects that the refresh token of an ended approval gives no access token, or one that reads no data. */
async function expectNoAccess(
  context: Context<never>,
  ended: Ended,
  deviation: string,
): Promise<void> {
  const { tokens } = ended
  if (!ended.refreshed || !tokens.refreshToken) {
    throw new NotApplicable('the bank issues no refresh token')
  }
  relyOn(OWNERS.refresh, ended.refreshed).toSucceed()
  const all = [tokens, ...ended.older].flatMap(({ refreshToken }) => refreshToken ?? [])
  for (const refreshToken of new Set(all)) {
    const { grant, data, still } = await refreshAfter(context, ended, refreshToken, deviation)
    for (const answer of data) expect(answer).toBeRefused()
    if (data.length === 0) expect(grant).toGiveNoToken()
    // A refused grant must not restore anything.
    if (still) expect(still).toBeRefused()
  }
}

check(
  'TOK-31/deleted',
  'The refresh token of a consent that the TPP deleted gives no access to data any more',
  { uses: [everything, debitsInPeriod], spends: debitsInPeriod },
  async (context) => {
    const ended = await deleted(context)
    relyOn('CLC-01/authorised', ended.deletion).toSucceed()
    await expectNoAccess(context, ended, 'its consent was deleted')
  },
)

revocationChecks(
  [
    'TOK-31/revoked',
    'The refresh token of a consent that the customer revoked gives no access to data any more',
  ],
  [
    'TOK-31/second-client',
    'The refresh token of the second client gives no access to data once the customer revoked its consent',
  ],
  (ended, context) => expectNoAccess(context, ended, 'its consent was revoked'),
)
