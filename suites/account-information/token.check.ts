import { randomBytes, randomUUID } from 'node:crypto'
import type { TokenDeviation } from '../../engine/client/tpp.ts'
import type { NamedConsent } from '../../engine/journey/consent.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { once } from '../../engine/journey/once.ts'
import { tokensOf } from '../../engine/journey/session.ts'
import { exchangeOf, OWNERS, taken } from '../../engine/journey/steps.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { answerOf, refused } from '../../engine/judge/matchers.ts'
import { Blocked, lacking, NotApplicable } from '../../engine/judge/outcome.ts'
import { member } from '../../engine/judge/rows.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import {
  codeForAnotherRedirect,
  codeOfAnotherClient,
  everything,
  noAccounts,
  secondClient,
} from '../consents.ts'
import { deleted, type Ended, revoked } from '../endings.ts'
import { elsewhere } from './visits.ts'

/** POST /oauth/token. Requirements: specs/account-information/token.yaml */

const CLIENT = { grant_type: 'client_credentials' } as const
const CONSENT = '/account-access-consents'

/** A client_credentials request with one thing wrong, right after the same one without it. */
async function wrong(
  { caller }: Context,
  deviation: TokenDeviation & { deviation: string },
): Promise<Exchange> {
  const { tpp } = await caller()
  relyOn(OWNERS.management, await tpp.token(CLIENT))
  return tpp.token(CLIENT, deviation)
}

check(
  'TOK-03/client-credentials',
  'A client_credentials request gets an access token',
  {},
  async ({ steps }) => {
    expect(exchangeOf(await steps.management())).toGiveAToken()
  },
)

check(
  'TOK-03/authorization-code',
  'The code of an approval is exchanged for an access token',
  { uses: ['everything'] },
  async ({ steps }) => {
    expect(exchangeOf(await steps.exchange(everything))).toGiveAToken()
  },
)

check(
  'TOK-03/refresh-token',
  'A refresh token gets an access token',
  { uses: ['everything'] },
  async ({ steps }) => {
    expect(exchangeOf(await steps.refresh(everything))).toGiveAToken()
  },
)

check('TOK-02/missing', 'A token request without grant_type is refused', {}, async (context) => {
  const form = { grant_type: undefined }
  expect(await wrong(context, { form, deviation: 'no grant_type' })).toGiveNoToken()
})

check('TOK-02/unknown', 'A grant_type that does not exist is refused', {}, async (context) => {
  const form = { grant_type: 'urn:example:unknown' }
  expect(await wrong(context, { form, deviation: 'unknown grant_type' })).toGiveNoToken()
})

check(
  'TOK-04/no-assertion',
  'A token request without client authentication is refused',
  {},
  async (context) => {
    const deviation = 'client_id alone'
    expect(await wrong(context, { authentication: 'none', deviation })).toGiveNoToken()
  },
)

for (const method of ['client_secret_post', 'client_secret_basic'] as const) {
  check(
    `TOK-05/${method.replaceAll('_', '-')}`,
    `A token request that authenticates by ${method} is refused`,
    {},
    async (context) => {
      const answer = await wrong(context, { authentication: method, deviation: method })
      expect(answer).toGiveNoToken()
    },
  )
}

check(
  'TOK-06/saml',
  'A client_assertion_type other than the JWT-bearer URN is refused',
  {},
  async (context) => {
    const type = 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer'
    const form = { client_assertion_type: type }
    expect(await wrong(context, { form, deviation: 'assertion type SAML' })).toGiveNoToken()
  },
)

check(
  'TOK-07/tampered',
  'A client assertion that was changed after signing is refused',
  {},
  async (context) => {
    const assertion = { tampered: 'payload' } as const
    expect(await wrong(context, { assertion, deviation: 'changed assertion' })).toGiveNoToken()
  },
)

check(
  'TOK-07/other-client',
  'A client assertion that another client signed is refused',
  {},
  async (context) => {
    const { kid } = context.tpp('second').client.signing
    const assertion = { key: 'other-client', header: { kid } } as const
    const deviation = 'assertion signed by another client'
    expect(await wrong(context, { assertion, deviation })).toGiveNoToken()
  },
)

check(
  'TOK-07/issuer',
  'A client assertion whose iss is not the client_id is refused',
  {},
  async (context) => {
    const assertion = { claims: { iss: randomUUID() } }
    expect(await wrong(context, { assertion, deviation: 'another iss' })).toGiveNoToken()
  },
)

check(
  'TOK-07/subject',
  'A client assertion whose sub is not the client_id is refused',
  {},
  async (context) => {
    const assertion = { claims: { sub: randomUUID() } }
    expect(await wrong(context, { assertion, deviation: 'another sub' })).toGiveNoToken()
  },
)

check(
  'TOK-07/audience',
  'A client assertion for another server is refused',
  {},
  async (context) => {
    const assertion = { claims: { aud: 'https://other.example/token' } }
    expect(await wrong(context, { assertion, deviation: 'another aud' })).toGiveNoToken()
  },
)

check(
  'TOK-07/expired',
  'A client assertion that expired an hour ago is refused',
  {},
  async (context) => {
    const now = Math.floor(Date.now() / 1000)
    const assertion = { claims: { iat: now - 3720, exp: now - 3600 } }
    expect(await wrong(context, { assertion, deviation: 'expired assertion' })).toGiveNoToken()
  },
)

check(
  'TOK-08/rs256',
  'A client assertion that is signed with RS256 is refused',
  {},
  async (context) => {
    const assertion = { alg: 'RS256' }
    expect(await wrong(context, { assertion, deviation: 'assertion in RS256' })).toGiveNoToken()
  },
)

check(
  'TOK-08/unsigned',
  'A client assertion that is not signed is refused',
  {},
  async (context) => {
    const assertion = { alg: 'none' }
    expect(await wrong(context, { assertion, deviation: 'unsigned assertion' })).toGiveNoToken()
  },
)

check(
  'TOK-09/without-client-id',
  'A token request needs no client_id beside its client assertion',
  {},
  async (context) => {
    // The document lets it out, so this is no deviation.
    const { tpp } = await context.caller()
    relyOn(OWNERS.management, await tpp.token(CLIENT))
    expect(await tpp.token(CLIENT, { form: { client_id: undefined } })).toGiveAToken()
  },
)

check(
  'TOK-11/unknown',
  'A code that the bank did not issue is refused',
  { uses: ['everything'] },
  async ({ approved }) => {
    const { tpp, visit } = await approved(everything)
    const code = made(visit.code)
    const answer = await tpp.token(
      { grant_type: 'authorization_code', code, redirect_uri: visit.request.redirectUri },
      { deviation: 'a made-up code' },
    )
    expect(answer).toGiveNoToken()
  },
)

/** A random value as long as a real one. */
function made({ length }: string): string {
  return randomBytes(length).toString('base64url').slice(0, length)
}

/** One code: with another redirect URI, then as it should be, then once more. */
const triedCode = once(async ({ approved }) => {
  await approved(everything)
  const { tpp, visit } = await approved(codeForAnotherRedirect)
  const { code, request } = visit
  const exchange = (redirect_uri: string, deviation: string) =>
    tpp.token({ grant_type: 'authorization_code', code, redirect_uri }, { deviation })
  const uris = tpp.registered?.redirect_uris ?? []
  const other = uris.find((uri) => uri !== request.redirectUri) ?? elsewhere()
  return {
    elsewhere: await exchange(other, 'another redirect URI'),
    // Whether a code survives a refusal is open.
    right: await exchange(request.redirectUri, 'a code that was refused before'),
    again: await exchange(request.redirectUri, 'a code that was exchanged before'),
  }
})

check(
  'TOK-12/other',
  'A code is not exchanged with another redirect URI than that of its request',
  { uses: ['everything', 'code for another redirect URI'] },
  async (context) => expect((await triedCode(context)).elsewhere).toGiveNoToken(),
)

check(
  'TOK-14/replayed',
  'An authorisation code works once',
  { uses: ['everything', 'code for another redirect URI'] },
  async (context) => {
    const tried = await triedCode(context)
    if (tokensOf(tried.elsewhere)) {
      throw new Blocked(
        { kind: 'check', id: 'TOK-12/other' },
        'the code was spent',
        tried.elsewhere,
      )
    }
    if (!tokensOf(tried.right)) lacking('a code that works once a wrong request was refused')
    expect(tried.again).toGiveNoToken()
  },
)

check(
  'TOK-13/unknown',
  'A refresh token that the bank did not issue is refused',
  { uses: ['everything'] },
  async ({ approved, steps }) => {
    const { refreshToken = '' } = taken(await steps.refresh(everything))
    const { tpp } = await approved(everything)
    const answer = await tpp.token(
      { grant_type: 'refresh_token', refresh_token: made(refreshToken) },
      { deviation: 'a made-up refresh token' },
    )
    expect(answer).toGiveNoToken()
  },
)

check(
  'TOK-23/not-wider',
  'A refreshed access token has no scope that the first one did not have',
  { uses: ['everything'] },
  async ({ steps }) => {
    const exchanged = await steps.exchange(everything)
    taken(exchanged)
    const first = scopesOf(exchangeOf(exchanged))
    const refreshed = await steps.refresh(everything)
    taken(refreshed)
    const later = scopesOf(exchangeOf(refreshed))
    const wider = later.filter((scope) => !first.includes(scope))
    expectThat(wider.length === 0, {
      message: `the refreshed token has more scopes: ${wider.join(' ')}`,
      expected: first.join(' '),
      actual: later.join(' '),
      exchange: refreshed.exchange,
    })
  },
)

function scopesOf(exchange: Exchange): string[] {
  const scope = member(exchange.response?.json, 'scope')
  if (typeof scope === 'string') return scope.split(' ').filter(Boolean)
  throw new Blocked({ kind: 'check', id: 'TOK-16/scope' }, 'it names no scope', exchange)
}

for (const [name, owner] of [
  ['accounts', OWNERS.accounts],
  ['balances', OWNERS.balances],
  ['transactions', OWNERS.transactions],
] as const) {
  check(
    `TOK-24/${name}`,
    `An access token of the client_credentials grant gives no ${name}`,
    { uses: ['everything'] },
    async ({ approved, steps }) => {
      const { get, consentId } = await approved(everything)
      const bearer = taken(await steps.management())
      relyOn('CONS-22/answers-200', await get(`${CONSENT}/${consentId}`, { bearer }))
      relyOn(owner, await get(`/${name}`))
      const deviation = 'a client_credentials token'
      expect(await get(`/${name}`, { bearer, deviation })).toBeRefused()
    },
  )
}

check(
  'TOK-25/query',
  'A consent is not queried with an access token of the authorization_code grant',
  { uses: ['everything'] },
  async ({ approved }) => {
    const { get, consentId, tokens } = await approved(everything)
    const path = `${CONSENT}/${consentId}`
    relyOn('CONS-22/answers-200', await get(path))
    relyOn(OWNERS.accounts, await get('/accounts'))
    const bearer = (await tokens()).accessToken
    expect(await get(path, { bearer, deviation: 'an access token for data' })).toBeRefused()
  },
)

check(
  'TOK-27/recorded',
  'What the token endpoint answers without a client certificate',
  {},
  async ({ caller, observe }) => {
    const { tpp } = await caller()
    const answer = await tpp.token(CLIENT, { identity: 'none', deviation: 'no certificate' })
    observe('token request without client certificate', answerOf(answer), answer)
  },
)

check(
  'TOK-30/recorded',
  'What a client_credentials request without scope is answered',
  {},
  async ({ caller, observe }) => {
    const { tpp } = await caller()
    const answer = await tpp.token(CLIENT, { form: { scope: undefined }, deviation: 'no scope' })
    observe('client_credentials without scope', answerOf(answer), answer)
    observe('its scope', tokensOf(answer)?.scope ?? 'absent', answer)
  },
)

check('TOK-32/without-expiry', 'A client assertion without exp is refused', {}, async (context) => {
  const assertion = { claims: { exp: undefined } }
  expect(await wrong(context, { assertion, deviation: 'assertion without exp' })).toGiveNoToken()
})

check('TOK-32/without-jti', 'A client assertion without jti is refused', {}, async (context) => {
  const assertion = { claims: { jti: undefined } }
  expect(await wrong(context, { assertion, deviation: 'assertion without jti' })).toGiveNoToken()
})

check(
  'TOK-32/replayed',
  'A client assertion that was used before is refused',
  {},
  async ({ caller }) => {
    const { tpp } = await caller()
    const control = await tpp.token(CLIENT)
    relyOn(OWNERS.management, control)
    const { body } = control.request
    expect(await tpp.token(CLIENT, { body, deviation: 'the same assertion' })).toGiveNoToken()
  },
)

check(
  'TOK-33/other-client',
  'A client_id in the form that is not that of the client assertion is refused',
  {},
  async (context) => {
    const other = context.target.clients.second && (await context.caller('second')).tpp.registered
    const form = { client_id: other?.client_id ?? randomUUID() }
    expect(await wrong(context, { form, deviation: 'another client_id' })).toGiveNoToken()
  },
)

check(
  'TOK-35/other-client',
  'A code is not exchanged for another client than the one that it was issued to',
  { uses: ['everything', 'code for another client'] },
  async ({ approved, caller, tpp }) => {
    tpp('second')
    await approved(everything)
    const { tpp: other } = await caller('second')
    const { visit } = await approved(codeOfAnotherClient)
    relyOn(OWNERS.management, await other.token(CLIENT))
    const answer = await other.token(
      {
        grant_type: 'authorization_code',
        code: visit.code,
        redirect_uri: visit.request.redirectUri,
      },
      { deviation: 'a code of the first client' },
    )
    expect(answer).toGiveNoToken()
  },
)

/** “no accounts”, or “second client” where the bank takes no such combination of permissions (AMB-13). */
async function toExpire({ steps }: Context): Promise<NamedConsent> {
  const { exchange } = await steps.consent(noAccounts)
  return exchange && refused(exchange) ? secondClient : noAccounts
}

/** An access token before and after the bank was told to let it expire. */
const expiredToken = once(async (context) => {
  const { approved, fact } = context
  const consent = await toExpire(context)
  const approval = await approved(consent)
  const tokens = await approval.tokens()
  const before = await approval.get('/transactions')
  await fact('token-expired', { accessToken: tokens.accessToken })
  const bearer = tokens.accessToken
  const after = await approval.get('/transactions', { bearer, deviation: 'it has expired' })
  return { consent, approval, tokens, before, after }
})

check(
  'TOK-21/expired',
  'An access token that has expired gives no data',
  { uses: ['no accounts'], spends: 'no accounts' },
  async (context) => {
    const { before, after } = await expiredToken(context)
    relyOn(OWNERS.transactions, before)
    expect(after).toBeRefused()
  },
)

check(
  'TOK-22/after-expiry',
  'A refresh token replaces an access token that has expired by one that gives data',
  { uses: ['everything', 'no accounts'], spends: 'no accounts' },
  async (context) => {
    const { consent, approval, tokens, before, after } = await expiredToken(context)
    if (!tokens.refreshToken) throw new NotApplicable('the bank issues no refresh token')
    relyOn(OWNERS.transactions, before)
    taken(await context.steps.refresh(everything))
    if (!refused(after)) {
      throw new Blocked({ kind: 'check', id: 'TOK-21/expired' }, 'it did not expire', after)
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
  const { approval, tokens, refreshed } = ended
  if (!refreshed || !tokens.refreshToken) {
    throw new NotApplicable('the bank issues no refresh token')
  }
  relyOn(OWNERS.refresh, refreshed)
  const grant = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken } as const
  const answer = await approval.tpp.token(grant, { deviation })
  const fresh = tokensOf(answer)
  if (!fresh) return expect(answer).toGiveNoToken()
  const bearer = fresh.accessToken
  expect(await approval.get('/accounts', { bearer, deviation })).toBeRefused()
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
  { uses: ['basic credits'], spends: 'basic credits' },
  async (context) => expectNoAccess(await revoked(context), 'its consent was revoked'),
)

// The last one here: a bank may take it for theft and end the approval.
check(
  'TOK-13/other-client',
  'A refresh token is not exchanged for another client than the one that it was issued to',
  { uses: ['second client'], spends: 'second client' },
  async ({ approved, caller, steps, observe }) => {
    const owner = await approved(secondClient)
    const { refreshToken = '' } = taken(await steps.refresh(secondClient))
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken } as const
    const { tpp } = await caller()
    relyOn(OWNERS.management, await tpp.token(CLIENT))
    expect(
      await tpp.token(grant, { deviation: 'a refresh token of another client' }),
    ).toGiveNoToken()
    const still = await owner.tpp.token(grant)
    const tokens = tokensOf(still)
    if (tokens) owner.use({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken })
    observe('its owner’s refresh afterwards', answerOf(still), still)
  },
)
