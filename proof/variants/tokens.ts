import type { Context } from 'koa'
import { stateOf } from '../../bank/state.ts'
import { halfHash, idTokens, signingAs } from '../id-tokens.ts'
import type { Variant } from '../proof.ts'
import { answers, type Json, jsonOf, partOf, successes } from '../rewriting.ts'
import { tokensSpelt } from '../token-spelling.ts'

const tokenResponses = (change: (answer: Json, ctx: Context) => Json | undefined) =>
  successes(['token'], change)

/** Fires when the token endpoint answers: the freedom is in what it says, or does not. */
const seen = answers((ctx) => partOf(ctx) === 'token' && ctx.status === 200)

/** The form of a token request. */
const formOf = (ctx: Context) => new URLSearchParams(stateOf(ctx).body)

const grantOf = (ctx: Context, accessToken: unknown) =>
  stateOf(ctx).bank.inside.records.peek('AccessToken', String(accessToken))?.grantId

const variants: Variant[] = [
  {
    id: 'no-refresh-tokens',
    story: 'refresh_token is not required in the token response; "a refresh token, if issued".',
    settings: { refreshTokens: 'none' },
    middleware: seen,
  },
  {
    id: 'refresh-tokens-rotate',
    story: 'Each refresh_token grant replaces the refresh token too (RFC 6749 6).',
    settings: { refreshTokens: 'rotated' },
    middleware: seen,
  },
  {
    id: 'refresh-without-new-refresh-token',
    story:
      'refresh_token is not required in a token response: a refresh_token grant keeps the old one and does not repeat it (RFC 6749 6).',
    middleware: tokenResponses(({ refresh_token: _same, ...rest }, ctx) =>
      formOf(ctx).get('grant_type') === 'refresh_token' ? rest : undefined,
    ),
  },
  {
    id: 'no-token-type',
    story: 'token_type is not required in the token response.',
    settings: { tokenTypeInResponse: false },
    middleware: seen,
  },
  {
    id: 'token-type-in-lower-case',
    story: '"Bearer is used", and its case is free (RFC 6749 5.1).',
    middleware: tokenResponses((body) => ({ ...body, token_type: 'bearer' })),
  },
  {
    id: 'no-id-token-in-token-response',
    story: 'id_token is not required in the token response.',
    settings: { idTokenInTokenResponse: false },
    middleware: seen,
  },
  {
    id: 'scopes-in-another-order',
    story: 'scope is a list of words in no order; openid opens no resource and stays out.',
    middleware: tokenResponses((body) => {
      const words = String(body.scope).split(' ').reverse()
      const scope = words.filter((word) => word !== 'openid' || words.length === 1).join(' ')
      return { ...body, scope }
    }),
  },
  {
    id: 'short-lived-tokens',
    story:
      '"Token lifetime is reported in expires_in (seconds); its value: not shown": 90 seconds.',
    settings: { accessTokenLifetime: 90, clientTokenLifetime: 60 },
    middleware: seen,
  },
  {
    id: 'client-tokens-of-four-seconds',
    story: '"Token lifetime is reported in expires_in (seconds); its value: not shown": 4 seconds.',
    settings: { clientTokenLifetime: 4 },
    middleware: seen,
  },
  {
    id: 'tokens-of-a-year',
    story: '"Token lifetime is reported in expires_in (seconds); its value: not shown": a year.',
    settings: { accessTokenLifetime: 31_536_000, clientTokenLifetime: 31_536_000 },
    middleware: seen,
  },
  {
    id: 'tokens-are-jwts',
    story: "What an access token looks like is the bank's: signed JWTs of some length.",
    middleware: tokensSpelt((token, ctx) =>
      stateOf(ctx).bank.signAsBank(
        { jti: token, scp: ['accounts'], pad: 'x'.repeat(1500) },
        { typ: 'at+jwt' },
      ),
    ),
  },
  {
    id: 'tokens-with-every-character',
    story:
      'A token may hold each character of RFC 6750 2.1, such as / and +, which a form must encode.',
    middleware: tokensSpelt((token) => `v1/${token}+~.==`),
  },
  {
    id: 'a-refresh-ends-the-access-token',
    story:
      'What becomes of the old access token after a refresh_token grant is not shown: each consent has one at a time.',
    middleware: oneAccessToken('refresh_token'),
  },
  {
    id: 're-confirmation-ends-the-tokens',
    story:
      'What becomes of tokens of the first authorisation after re-confirmation is not shown: they end.',
    async middleware(ctx, next) {
      await next()
      const body = jsonOf(ctx)
      if (partOf(ctx) !== 'token' || ctx.status !== 200 || !body) return
      const { consents, records } = stateOf(ctx).bank.inside
      const grant = grantOf(ctx, body.access_token)
      const consent = grant === undefined ? undefined : consents.ofGrant(grant)
      for (const earlier of consent?.grants ?? []) {
        if (earlier === grant) continue
        records.revokeGrant(earlier)
        ctx.state.fired()
      }
    },
  },
  {
    id: 'a-refused-code-is-void',
    story:
      'Whether a code survives a request that is refused is open (RFC 6749 4.1.2 speaks of its use): it is void.',
    async middleware(ctx, next) {
      const code = partOf(ctx) === 'token' ? formOf(ctx).get('code') : null
      await next()
      if (!code || ctx.status < 400) return
      await stateOf(ctx).bank.inside.records.adapter('AuthorizationCode').destroy(code)
      stateOf(ctx).fired()
    },
  },
  {
    id: 'a-replayed-code-ends-nothing',
    story: 'Whether the tokens of a code survive its second use is open (RFC 6749 4.1.2: SHOULD).',
    async middleware(ctx, next) {
      const code = partOf(ctx) === 'token' ? formOf(ctx).get('code') : null
      const { records } = stateOf(ctx).bank.inside
      if (code === null || !records.peek('AuthorizationCode', code)?.consumed) return next()
      ctx.status = 400
      ctx.body = { error: 'invalid_grant' }
      ctx.state.fired()
    },
  },
  {
    id: 'client-grants-need-a-scope',
    story: 'The form has no scope (AMB-11); what happens without it is not shown: it is refused.',
    policies: (correct, { fired }) => ({
      clientScopes(requested, registered) {
        if (requested.length > 0) return correct.clientScopes(requested, registered)
        fired()
        return []
      },
    }),
  },
  {
    id: 'client-tokens-of-every-scope',
    story:
      'A client_credentials grant is bound to every registered scope of the API, whichever is asked for; scope says so.',
    policies: (correct, { fired }) => ({
      clientScopes(_requested, registered) {
        fired()
        return correct.clientScopes([], registered)
      },
    }),
  },
  {
    id: 'client-credentials-with-refresh-token',
    story:
      'A refresh token beside a client_credentials grant is advised against by RFC 6749 4.4.3 and neither expected nor refused by the document (AMB-12).',
    middleware: tokenResponses((body, ctx) =>
      formOf(ctx).get('grant_type') === 'client_credentials'
        ? { ...body, refresh_token: `cc-${body.access_token}` }
        : undefined,
    ),
  },
  {
    id: 'token-responses-with-consent',
    story: 'More members in a token response, as UK banks have: the consent and its expiry.',
    middleware: tokenResponses((body) => ({
      ...body,
      refresh_token_expires_in: 7_776_000,
      not_before: Math.floor(Date.now() / 1000),
      resource: null,
    })),
  },
  {
    id: 'id-tokens-with-the-least',
    story:
      "Only iss, sub, aud, exp, iat, nonce and c_hash are OpenID Connect's; acr, auth_time, s_hash and the intent are not shown.",
    middleware: idTokens((claims, sign) => {
      const { iss, sub, aud, exp, iat, nonce, c_hash } = claims
      return sign({ iss, sub, aud, exp, iat, nonce, c_hash })
    }),
  },
  {
    id: 'id-tokens-with-much',
    story:
      'More claims, an audience in an array with azp, a subject that is the intent: all lawful.',
    middleware: idTokens((claims, sign) =>
      sign({
        ...claims,
        aud: [claims.aud],
        azp: claims.aud,
        sub: claims.openbanking_intent_id,
        jti: 'b7c1d2',
        amr: ['mfa'],
        'http://openbanking.org.uk/refresh_token_expires_at': 4_102_444_800,
      }),
    ),
  },
  {
    id: 'id-tokens-without-kid',
    story: 'With one key in the JWKS, an ID token need not name it (OpenID Connect Core 10.1).',
    middleware: idTokens((claims, sign) => sign(claims, { kid: undefined })),
    contradicts: [
      'many-keys',
      'signed-by-the-second-key',
      'keys-change-during-the-run',
      'keys-of-other-kinds',
    ],
  },
  {
    id: 'id-tokens-of-a-fast-clock',
    story: "No clocks agree: the bank's is 20 seconds ahead of the TPP's.",
    policies: (correct) => ({
      consentView: (consent, spelling) => {
        const created = consent.created + 20_000
        const statusUpdated = consent.statusUpdated + 20_000
        return correct.consentView({ ...consent, created, statusUpdated }, spelling)
      },
    }),
    middleware: idTokens((claims, sign) =>
      sign({
        ...claims,
        iat: Number(claims.iat) + 20,
        exp: Number(claims.exp) + 20,
        ...(claims.auth_time !== undefined && { auth_time: Number(claims.auth_time) + 20 }),
      }),
    ),
  },
  {
    id: 'a-hash-of-the-access-token',
    story:
      'at_hash in the ID token of the token response is optional (OpenID Connect Core 3.3.3.6).',
    middleware: answers((ctx) => {
      const body = jsonOf(ctx)
      if (partOf(ctx) !== 'token' || typeof body?.id_token !== 'string') return false
      const [, payload = ''] = body.id_token.split('.')
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Json
      const at_hash = halfHash(String(body.access_token))
      const { nonce: _nonce, c_hash: _hash, s_hash: _state, ...rest } = claims
      ctx.body = { ...body, id_token: signingAs(ctx, body.id_token)({ ...rest, at_hash }) }
    }),
  },
]

/** After this grant, earlier access tokens of the same authorisation are void. */
function oneAccessToken(grantType: string): NonNullable<Variant['middleware']> {
  const latest = new Map<string, string>()
  return async (ctx, next) => {
    await next()
    const body = jsonOf(ctx)
    if (partOf(ctx) !== 'token' || ctx.status !== 200 || !body) return
    const grant = grantOf(ctx, body.access_token)
    if (grant === undefined) return
    const earlier = latest.get(grant)
    latest.set(grant, String(body.access_token))
    if (earlier === undefined || formOf(ctx).get('grant_type') !== grantType) return
    await stateOf(ctx).bank.inside.records.adapter('AccessToken').destroy(earlier)
    ctx.state.fired()
  }
}

export default variants
