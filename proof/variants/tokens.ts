import { randomUUID } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import { revokeGrants } from '../../bank/state/services.ts'
import { stateOf } from '../../bank/state/state.ts'
import {
  decoded,
  looksRight,
  signedByItself,
  tokenForm,
  tokenRequests,
} from '../altering/jwt-rewrites.ts'
import { endsTheOneBefore } from '../altering/newest-client-token.ts'
import { answers, isPassing, type Json, jsonOf, partOf, refusals } from '../altering/rewriting.ts'
import { formOf, grantOf, tokenResponses } from '../altering/token-requests.ts'
import { tokensSpelt } from '../altering/token-spelling.ts'
import { bearerOf } from '../cells/parties.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobin, roundRobinOf } from '../run/round-robin.ts'

/** Counts as taking effect when the token endpoint answers: the freedom is about the content of the answer. */
const seen = answers((ctx) => partOf(ctx) === 'token' && ctx.status === 200)

/** The claims of a client assertion that this client signed itself; undefined for others. */
function ownAssertion(form: URLSearchParams, ctx: Context): Json | undefined {
  const [text = '', second] = form.getAll('client_assertion')
  if (second !== undefined) return undefined
  const assertion = decoded(text)
  const { iss, sub } = assertion.claims
  if (iss === undefined || iss !== sub || !knownClient(ctx, sub)) return undefined
  const own = looksRight(ctx, assertion, sub) && signedByItself(ctx, text, sub)
  return own ? assertion.claims : undefined
}

const knownClient = (ctx: Context, id: unknown) =>
  stateOf(ctx).bank.services.records.peek('Client', String(id)) !== undefined

/** Answers to a code or a refresh token that nobody issued. */
const otherWords = roundRobin([
  { error: 'invalid_request' },
  { error: 'unknown_grant' },
  { Code: '400', Message: 'unknown' },
])

/** The access token of each client and grant, by scope. */
const living = ofEachBank(() => new Map<string, string>())

/** Refresh token → when it was issued or used. */
const usedAt = ofEachBank(() => new Map<string, number>())

/** The newest access token of each grant. */
const newest = ofEachBank(() => new Map<string, string>())

/** Characters that name the series of a refresh token. */
const SERIES = 16

const variants: Variant[] = [
  {
    id: 'refresh-tokens-that-work-once',
    story:
      'A refresh token can be used once, and a refresh gives no new one, so the customer re-confirms. refresh_token is optional in the response, and whether the old one stays valid is open.',
    middleware: async (ctx, next) => {
      await next()
      const body = jsonOf(ctx)
      const form = formOf(ctx)
      if (partOf(ctx) !== 'token' || ctx.status !== 200 || !body) return
      if (form.get('grant_type') !== 'refresh_token') return
      const { records } = stateOf(ctx).bank.services
      for (const token of [form.get('refresh_token'), body.refresh_token]) {
        await records.adapter('RefreshToken').destroy(String(token))
      }
      const { refresh_token: _, ...rest } = body
      ctx.body = rest
      stateOf(ctx).fired()
    },
  },
  {
    id: 'refresh-tokens-end-in-foreign-hands',
    story:
      'If another client sends a refresh token, the bank treats it as stolen and ends it (RFC 9700 4.14), so the customer re-confirms. The document does not say what happens.',
    middleware: async (ctx, next) => {
      const form = tokenForm(ctx)
      const token = form?.get('refresh_token')
      const { records } = stateOf(ctx).bank.services
      const { clientId: owner, grantId } = (token && records.peek('RefreshToken', token)) || {}
      await next()
      if (!form || !token || owner === undefined || jsonOf(ctx)?.error !== 'invalid_grant') return
      const { iss } = decoded(form.get('client_assertion')).claims
      if (iss === owner || records.peek('Client', String(iss)) === undefined) return
      await records.adapter('RefreshToken').revokeByGrantId(String(grantId))
      stateOf(ctx).fired()
    },
  },
  {
    id: 'access-tokens-end-in-foreign-hands',
    story:
      "If an access token is sent over another client's certificate, the bank treats it as stolen and ends all tokens of the approval. What such a request gets is open (AMB-32).",
    middleware: async (ctx, next) => {
      const { bank, transport, fired } = stateOf(ctx)
      const { directory, records } = bank.services
      const { client = 'first' } = tokenInfoOf(ctx) ?? {}
      const { grantId } = records.peek('AccessToken', bearerOf(ctx)) ?? {}
      const isOwn = transport.organisationId === directory.clients[client].organisationId
      if (partOf(ctx) !== 'data' || !transport.authorized || !grantId || isOwn) return next()
      records.revokeGrant(grantId)
      ctx.status = 401
      ctx.body = { Code: '401 Unauthorized' }
      fired()
    },
  },
  {
    id: 'refresh-tokens-of-a-series',
    story:
      'A refresh token that begins like a valid one but has a wrong end is treated as stolen, and all tokens of the approval end (RFC 6749 10.4).',
    middleware: async (ctx, next) => {
      const token = tokenForm(ctx)?.get('refresh_token') ?? ''
      const { records } = stateOf(ctx).bank.services
      const series = `RefreshToken ${token.slice(0, SERIES)}`
      const isWrong = token.length >= SERIES && records.peek('RefreshToken', token) === undefined
      const [, stolen] = (isWrong && records.all().find(([key]) => key.startsWith(series))) || []
      await next()
      if (!stolen) return
      records.revokeGrant(String(stolen.grantId))
      stateOf(ctx).fired()
    },
  },
  {
    id: 'assertions-not-remembered',
    story:
      'The bank does not store the jti of client assertions, so jti may be missing or used again; RFC 7523 3 lets a server choose. A code in a refused request stays valid.',
    warns: ['TOK-32/without-jti', 'TOK-32/replayed'],
    because: 'OIDC Core 9 requires jti, and a single use where nothing else was agreed: a should',
    middleware: tokenRequests((form, ctx) => {
      const claims = ownAssertion(form, ctx)
      if (!claims) return false
      const { bank } = stateOf(ctx)
      form.set('client_assertion', bank.signAsClient({ ...claims, jti: randomUUID() }))
    }),
  },
  {
    id: 'assertions-for-the-issuer-only',
    story:
      'The bank accepts only its issuer as aud of a client assertion. OIDC Core 9 says the audience identifies the server and should be the token endpoint.',
    middleware: tokenRequests((form, ctx) => {
      const claims = ownAssertion(form, ctx)
      if (claims?.aud === undefined) return false
      const { bank } = stateOf(ctx)
      const { issuer, token } = bank.services.endpoints
      const aud = claims.aud === issuer ? token : 'https://other.example/token'
      form.set('client_assertion', bank.signAsClient({ ...claims, aud }))
    }),
  },
  {
    id: 'token-bits-that-say-nothing-ignored',
    story:
      'The bank ignores two unused bits in the last character of a token, as a base64url decoder may (RFC 4648 3.5), because it compares the decoded bytes.',
    middleware: tokensSpelt(
      (token) => token,
      (token) => Buffer.from(token, 'base64url').toString('base64url'),
    ),
  },
  {
    id: 'token-behind-its-padding-ignored',
    story:
      'The bank ignores characters after the base64 padding of a token, as a decoder may (RFC 4648 3.3), because it compares the decoded bytes.',
    middleware: tokensSpelt(
      (token) => Buffer.from(token).toString('base64'),
      (token) => Buffer.from(token, 'base64').toString('base64'),
    ),
  },
  {
    id: 'no-refresh-tokens',
    story:
      'The bank issues no refresh tokens. refresh_token is not required in the token response; "a refresh token, if issued".',
    settings: { refreshTokens: 'none' },
    middleware: seen,
  },
  {
    id: 'refresh-tokens-rotate',
    story: 'Each refresh gives a new refresh token that replaces the old one (RFC 6749 6).',
    settings: { refreshTokens: 'rotated' },
    middleware: seen,
  },
  {
    id: 'short-lived-tokens-that-rotate',
    story:
      'Access tokens are valid for four seconds, and each refresh token can be used once. If it is used again, all its tokens end (RFC 9700 4.14.2).',
    settings: { refreshTokens: 'rotated', accessTokenLifetime: 4 },
    middleware: seen,
  },
  {
    id: 'refresh-without-new-refresh-token',
    story:
      'The response to a refresh has no refresh token, because the old one stays valid (RFC 6749 6). refresh_token is not required in a token response.',
    middleware: tokenResponses(({ refresh_token: _same, ...rest }, ctx) =>
      formOf(ctx).get('grant_type') === 'refresh_token' ? rest : undefined,
    ),
  },
  {
    id: 'token-responses-with-little-or-much',
    story:
      'The token response has no token_type, or bearer in lower case (RFC 6749 5.1), and more members, such as a refresh token for client_credentials. RFC 6749 4.4.3 advises against that; the document does not forbid it (AMB-12).',
    middleware: tokenResponses(
      roundRobinOf<[Json, Context], Json>(
        ({ token_type: _none, ...body }) => body,
        (body, ctx) => ({
          ...body,
          token_type: 'bearer',
          refresh_token_expires_in: 7_776_000,
          not_before: Math.floor(Date.now() / 1000),
          resource: null,
          ...(formOf(ctx).get('grant_type') === 'client_credentials' && {
            refresh_token: `cc-${body.access_token}`,
          }),
        }),
      ),
    ),
  },
  {
    id: 'refreshed-tokens-without-openid',
    story:
      'The response to a refresh has no ID token and leaves openid out of the scope. openid gives access to no resource.',
    middleware: tokenResponses(({ id_token: _idToken, ...body }, ctx) => {
      if (formOf(ctx).get('grant_type') !== 'refresh_token') return undefined
      const scopes = String(body.scope).split(' ')
      return { ...body, scope: scopes.filter((scope) => scope !== 'openid').join(' ') }
    }),
  },
  {
    id: 'scopes-of-the-server-itself',
    story:
      'The scope of each token response also has a value of the server, another one each time, such as the id of the consent. It lists the "space-separated scopes the access token is bound to".',
    middleware: tokenResponses((body) => ({
      ...body,
      scope: `${body.scope} OB_${randomUUID()}`,
    })),
  },
  {
    id: 'scopes-of-data-tokens-are-those-of-the-server',
    story:
      'The scope of an access token for data is a value of the server instead of the requested one. Names of the scopes are not shown.',
    middleware: tokenResponses((body, ctx) =>
      grantOf(ctx, body.access_token) === undefined
        ? undefined
        : { ...body, scope: `openid aisp_${grantOf(ctx, body.access_token)}` },
    ),
  },
  {
    id: 'unknown-grants-in-other-words',
    story:
      'An unknown code or refresh token gets the error invalid_request, a value of the bank, or an error that is not of OAuth. The error body of this interface is not shown.',
    middleware: refusals(['token'], (ctx) => {
      const { records } = stateOf(ctx).bank.services
      const form = formOf(ctx)
      const { status } = ctx
      const presented = form.get('code') ?? form.get('refresh_token')
      const isKnown = ['AuthorizationCode', 'RefreshToken'].some(
        (model) => records.peek(model, presented ?? '') !== undefined,
      )
      if (presented === null || isKnown || jsonOf(ctx)?.error !== 'invalid_grant') return false
      ctx.body = otherWords()
      ctx.status = status
    }),
  },
  {
    id: 'short-lived-tokens',
    story:
      'Access tokens for data are valid for 90 seconds, and client_credentials tokens for 4. "Token lifetime is reported in expires_in (seconds); its value: not shown".',
    settings: { accessTokenLifetime: 90, clientTokenLifetime: 4 },
    middleware: seen,
  },
  {
    id: 'short-lived-tokens-without-refresh',
    story:
      'Access tokens are valid for five seconds, and there is no refresh token, so the customer re-confirms for a new one. "A refresh token, if issued"; the lifetime of tokens is not shown.',
    settings: { refreshTokens: 'none', accessTokenLifetime: 5 },
    middleware: seen,
  },
  {
    id: 'refresh-tokens-end-when-unused',
    story:
      'A refresh token ends if it is not used for seven seconds, and an access token is valid for three. How long it may be unused is not shown. "A refresh token, if issued, refreshes an expired access token".',
    settings: { accessTokenLifetime: 3 },
    // A fast run leaves no token unused for so long.
    silent: true,
    async middleware(ctx, next) {
      const form = partOf(ctx) === 'token' ? formOf(ctx) : undefined
      await next()
      const body = form && ctx.status === 200 ? jsonOf(ctx) : undefined
      const token = String(body?.refresh_token ?? form?.get('refresh_token'))
      if (!body || token === 'null') return
      const since = usedAt().get(token) ?? Date.now()
      if (Date.now() - since < 7000) {
        usedAt().set(token, Date.now())
        return
      }
      ctx.status = 400
      ctx.body = { error: 'invalid_grant' }
      stateOf(ctx).fired()
    },
  },
  {
    id: 'tokens-of-a-year',
    story:
      'Tokens are valid for a year. "Token lifetime is reported in expires_in (seconds); its value: not shown".',
    settings: { accessTokenLifetime: 31_536_000, clientTokenLifetime: 31_536_000 },
    middleware: seen,
  },
  {
    id: 'new-tokens-end-the-old',
    story:
      'A new access token ends the old ones of the consent: after a refresh the earlier one, after a re-confirmation all earlier ones. What becomes of them is not shown.',
    async middleware(ctx, next) {
      await oneAccessToken(ctx, next)
      const body = jsonOf(ctx)
      if (partOf(ctx) !== 'token' || ctx.status !== 200 || !body) return
      const { consents, records } = stateOf(ctx).bank.services
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
    id: 'tokens-are-kept-while-they-live',
    story:
      'While an access token is valid, a client_credentials request or a refresh returns the same token again, with the remaining expires_in. The document does not say that each grant gives a new one.',
    async middleware(ctx, next) {
      await next()
      const body = jsonOf(ctx)
      if (partOf(ctx) !== 'token' || ctx.status !== 200 || !body) return
      const { records } = stateOf(ctx).bank.services
      const token = String(body.access_token)
      const record = records.peek('ClientCredentials', token) ?? records.peek('AccessToken', token)
      const of = `${record?.grantId ?? record?.clientId} ${body.scope}`
      const before = living().get(of) ?? ''
      const known = records.peek(record?.grantId ? 'AccessToken' : 'ClientCredentials', before)
      const left = (known?.exp ?? 0) - Math.floor(Date.now() / 1000)
      if (left < 5 || formOf(ctx).get('grant_type') === 'authorization_code') {
        living().set(of, token)
        return
      }
      const { id_token: _ofTheOther, ...rest } = body
      ctx.body = { ...rest, access_token: before, expires_in: left }
      ctx.state.fired()
    },
  },
  {
    id: 'only-the-newest-client-token',
    story:
      'Each client_credentials request ends the earlier token of the client. The document does not promise that several access tokens are valid at the same time (AMB-43).',
    async middleware(ctx, next) {
      await next()
      if (partOf(ctx) === 'token' && (await endsTheOneBefore(ctx))) ctx.state.fired()
    },
  },
  {
    id: 'theft-ends-the-consent-for-good',
    story:
      'If a code or a refresh token is used again, all tokens of the consent end, even those of other authorisations. What becomes of other tokens is not said (RFC 6749 4.1.2, RFC 9700 4.14.2).',
    settings: { refreshTokens: 'rotated' },
    async middleware(ctx, next) {
      const form = partOf(ctx) === 'token' ? formOf(ctx) : undefined
      const { services } = stateOf(ctx).bank
      const { records, consents } = services
      const used = [
        records.peek('AuthorizationCode', form?.get('code') ?? ''),
        records.peek('RefreshToken', form?.get('refresh_token') ?? ''),
      ].find((record) => record?.consumed)
      const consent = consents.ofGrant(String(used?.grantId))
      await next()
      if (!consent || ctx.status < 400) return
      revokeGrants(services, consent)
      stateOf(ctx).fired()
    },
  },
  {
    id: 'a-refused-code-is-void',
    story:
      'A code in a refused request cannot be used again, and its tokens stay valid after a second use. Both are open (RFC 6749 4.1.2).',
    async middleware(ctx, next) {
      const code = partOf(ctx) === 'token' ? formOf(ctx).get('code') : null
      const { records } = stateOf(ctx).bank.services
      if (code && records.peek('AuthorizationCode', code)?.consumed) {
        ctx.status = 400
        ctx.body = { error: 'invalid_grant' }
        ctx.state.fired()
        return
      }
      await next()
      if (!code || ctx.status < 400 || isPassing(ctx)) return
      await records.adapter('AuthorizationCode').destroy(code)
      stateOf(ctx).fired()
    },
  },
]

/** After a refresh, earlier access tokens of the same authorisation are invalid. */
const oneAccessToken: Middleware = async (ctx, next) => {
  await next()
  const body = jsonOf(ctx)
  if (partOf(ctx) !== 'token' || ctx.status !== 200 || !body) return
  const grant = grantOf(ctx, body.access_token)
  if (grant === undefined) return
  const earlier = newest().get(grant)
  newest().set(grant, String(body.access_token))
  if (earlier === undefined || formOf(ctx).get('grant_type') !== 'refresh_token') return
  await stateOf(ctx).bank.services.records.adapter('AccessToken').destroy(earlier)
  ctx.state.fired()
}

export default variants
