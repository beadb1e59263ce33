import type { NamedConsent } from '../../engine/journey/consent.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { once } from '../../engine/journey/once.ts'
import { exchangeOf, OWNERS, taken } from '../../engine/journey/steps.ts'
import { refreshed, tokensOf } from '../../engine/journey/tokens.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { refused, succeeded } from '../../engine/judge/matchers.ts'
import { Blocked, NotApplicable } from '../../engine/judge/outcome.ts'
import { rowsOf } from '../../engine/judge/rows.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { everything, noAccounts, secondClient } from '../consents.ts'
import { dataPaths, deleted, type Ended, refreshAfter, revoked } from '../endings.ts'
import { consentBody, consentPath, newConsentId } from './common/consent-requests.ts'
import { accountIds, accountIdsIn, pathOf } from './common/readings.ts'
import { ownerOf } from './common/transaction-readings.ts'

/** What access tokens and refresh tokens give. Requirements: specs/account-information/token.yaml */

const CONSENT = '/account-access-consents'

for (const [name, owner, tail, singleOwner] of [
  ['accounts', OWNERS.accounts, '', 'ACC-02/answers-200'],
  ['balances', OWNERS.balances, '/balances', 'BAL-02/answers-200'],
  ['transactions', OWNERS.transactions, '/transactions', 'TXN-02/answers-200'],
] as const) {
  check(
    `TOK-24/${name}`,
    `An access token of the client_credentials grant gives no ${name}`,
    { uses: ['everything'] },
    async ({ approved, steps }) => {
      const approval = await approved(everything)
      const { get, consentId } = approval
      const bearer = taken(await steps.management())
      relyOn('CONS-22/answers-200', await get(consentPath(consentId), { bearer }))
      relyOn(owner, await get(`/${name}`))
      const deviation = 'a client_credentials token'
      expect(await get(`/${name}`, { bearer, deviation })).toBeRefused()
      const [id = ''] = await accountIds(approval)
      relyOn(singleOwner, await get(pathOf(id, tail)))
      expect(await get(pathOf(id, tail), { bearer, deviation })).toBeRefused()
    },
  )
}

check(
  'TOK-25/query',
  'A consent is not queried with an access token of the authorization_code grant',
  { uses: ['everything'] },
  async ({ approved }) => {
    const { get, consentId, tokens } = await approved(everything)
    const path = consentPath(consentId)
    relyOn('CONS-22/answers-200', await get(path))
    relyOn(OWNERS.accounts, await get('/accounts'))
    const bearer = (await tokens()).accessToken
    expect(await get(path, { bearer, deviation: 'an access token for data' })).toBeRefused()
  },
)

check(
  'TOK-25/create',
  'A consent is not created with an access token of the authorization_code grant',
  { uses: ['everything'] },
  async ({ approved }) => {
    const { get, post, tokens } = await approved(everything)
    relyOn(OWNERS.consent, await post(CONSENT, consentBody()))
    relyOn(OWNERS.accounts, await get('/accounts'))
    const bearer = (await tokens()).accessToken
    const deviation = 'an access token for data'
    expect(await post(CONSENT, consentBody(), { bearer, deviation })).toBeRefused()
  },
)

check(
  'TOK-25/delete',
  'A consent is not deleted with an access token of the authorization_code grant',
  { uses: ['everything'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const path = consentPath(await newConsentId(approval))
    relyOn(OWNERS.query, await approval.get(path))
    relyOn(OWNERS.accounts, await approval.get('/accounts'))
    const bearer = (await approval.tokens()).accessToken
    const deviation = 'an access token for data'
    expect(await approval.delete(path, { bearer, deviation })).toBeRefused()
    expect(await approval.get(path)).toSucceed()
  },
)

/** “no accounts”, or “second client” where the bank takes no such combination of permissions (AMB-13). */
async function toExpire({ steps }: Context): Promise<NamedConsent> {
  const { exchange } = await steps.consent(noAccounts)
  return exchange && refused(exchange) ? secondClient : noAccounts
}

/** What an access token gave before the bank was told to let it expire, and after. */
async function expire({ approved, fact }: Context, consent: NamedConsent) {
  const approval = await approved(consent)
  const tokens = await approval.tokens()
  const transactions = await approval.get('/transactions')
  const served: string[] = []
  for (const path of dataPaths(consent.permissions, accountIdsIn(rowsOf(transactions)))) {
    if (succeeded(await approval.get(path))) served.push(path)
  }
  await fact('token-expired', { accessToken: tokens.accessToken }, tokens.expiresAt)
  const late = { bearer: tokens.accessToken, deviation: 'it has expired' }
  const after: Exchange[] = []
  for (const path of served) after.push(await approval.get(path, late))
  return { consent, approval, tokens, before: transactions, after }
}

const expiredToken = once(async (context) => expire(context, await toExpire(context)))

/** The same of the second client, whose consent opens every endpoint; only where a refresh mends it. */
const expiredOfSecond = once(async (context) => {
  const { target, steps } = context
  const { consent } = await expiredToken(context)
  if (!target.clients.second || consent.name === secondClient.name) return []
  const { refreshToken } = await (await context.approved(secondClient)).tokens()
  if (!refreshToken || !(await steps.refresh(secondClient)).value) return []
  const { approval, tokens, after } = await expire(context, secondClient)
  const grant = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken ?? '' } as const
  const next = refreshed(tokens, await approval.tpp.token(grant))
  if (next) approval.use(next)
  return after
})

check(
  'TOK-21/expired',
  'An access token that has expired gives no data',
  { uses: ['no accounts', 'second client'], spends: 'no accounts', needs: ['hooks.token-expired'] },
  async (context) => {
    const { approval, before, after } = await expiredToken(context)
    relyOn(ownerOf(approval, '/transactions'), before)
    for (const answer of after) expect(answer).toBeRefused()
    for (const answer of await expiredOfSecond(context)) expect(answer).toBeRefused()
  },
)

check(
  'TOK-22/after-expiry',
  'A refresh token replaces an access token that has expired by one that gives data',
  { uses: ['everything', 'no accounts'], spends: 'no accounts', needs: ['hooks.token-expired'] },
  async (context) => {
    const { consent, approval, tokens, before, after } = await expiredToken(context)
    if (!tokens.refreshToken) throw new NotApplicable('the bank issues no refresh token')
    relyOn(ownerOf(approval, '/transactions'), before)
    taken(await context.steps.refresh(everything))
    const alive = after.find((answer) => !refused(answer))
    if (alive) {
      throw new Blocked({ kind: 'check', id: 'TOK-21/expired' }, 'it did not expire', alive)
    }
    const exchange = exchangeOf(await context.steps.refresh(consent))
    expect(exchange).toGiveAToken()
    const next = tokensOf(exchange)?.refreshToken
    const seen =
      next === undefined ? 'none' : next === tokens.refreshToken ? 'the same' : 'a new one'
    context.observe('refresh token in the answer to a refresh', seen, exchange)
    expect(await approval.get('/transactions')).toSucceed()
  },
)

/** The refresh token of an approval that has ended, and what its access token reads, if one comes. */
async function expectNoAccess(ended: Ended, deviation: string): Promise<void> {
  const { tokens } = ended
  if (!ended.refreshed || !tokens.refreshToken) {
    throw new NotApplicable('the bank issues no refresh token')
  }
  relyOn(OWNERS.refresh, ended.refreshed)
  const { grant, data } = await refreshAfter(ended, tokens.refreshToken, deviation)
  for (const answer of data) expect(answer).toBeRefused()
  if (data.length === 0) expect(grant).toGiveNoToken()
}

check(
  'TOK-31/deleted',
  'The refresh token of a consent that the TPP deleted gives no access to data any more',
  { uses: ['debits in a period'], spends: 'debits in a period' },
  async (context) => {
    const ended = await deleted(context)
    relyOn('CLC-01/authorised', ended.deletion)
    await expectNoAccess(ended, 'its consent was deleted')
  },
)

check(
  'TOK-31/revoked',
  'The refresh token of a consent that the customer revoked gives no access to data any more',
  { uses: ['basic credits'], spends: 'basic credits', needs: ['hooks.customer-revokes'] },
  async (context) => expectNoAccess(await revoked(context), 'its consent was revoked'),
)
