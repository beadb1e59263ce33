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
      'Whether a refresh gives another refresh token is open (refresh_token is optional), and whether the old one stays valid: here neither, and the customer re-confirms.',
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
      'What becomes of a refresh token that another client presents is open: here it counts as stolen and ends (RFC 9700 4.14), and the customer re-confirms.',
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
      'What an access token gives over the certificate of another client is open (AMB-32): here it counts as stolen, and everything that was issued for the approval ends.',
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
      'A refresh token is the name of a series and a secret: who has the name with a wrong secret stole it, and everything that was issued for it ends (RFC 6749 10.4).',
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
      'Nobody keeps the jti of a client assertion, so it need not be there: RFC 7523 3 lets a server choose. Everything else about the client is looked at, and a code that was refused for it stays good.',
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
      'OIDC Core 9: the audience identifies the server, and should be the token endpoint. A bank may take its issuer alone, so that no other server can pass an assertion on.',
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
      'A token is 32 bytes in base64url, whose last character has two bits that say nothing: a decoder may ignore them (RFC 4648 3.5), and what is compared is the bytes.',
    middleware: tokensSpelt(
      (token) => token,
      (token) => Buffer.from(token, 'base64url').toString('base64url'),
    ),
  },
  {
    id: 'token-behind-its-padding-ignored',
    story:
      'A token is base64 with its padding, at which a decoder may stop (RFC 4648 3.3), and what is compared is the bytes.',
    middleware: tokensSpelt(
      (token) => Buffer.from(token).toString('base64'),
      (token) => Buffer.from(token, 'base64').toString('base64'),
    ),
  },
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
    id: 'short-lived-tokens-that-rotate',
    story:
      'Both at once: access tokens of four seconds, each with a refresh token that works once. If that comes again, all of its tokens end (RFC 9700 4.14.2).',
    settings: { refreshTokens: 'rotated', accessTokenLifetime: 4 },
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
    id: 'token-responses-with-little-or-much',
    story:
      'token_type is not required in the token response, and the case of Bearer is free (RFC 6749 5.1). More members may be there, as UK banks have them; a refresh token beside a client_credentials grant is advised against by RFC 6749 4.4.3 and neither expected nor refused by the document (AMB-12).',
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
      'openid asks for an ID token and gives access to nothing: a server that sends none with a refresh leaves it out of the scope there.',
    middleware: tokenResponses(({ id_token: _idToken, ...body }, ctx) => {
      if (formOf(ctx).get('grant_type') !== 'refresh_token') return undefined
      const scopes = String(body.scope).split(' ')
      return { ...body, scope: scopes.filter((scope) => scope !== 'openid').join(' ') }
    }),
  },
  {
    id: 'scopes-of-the-server-itself',
    story:
      '"Space-separated scopes the access token is bound to": a server that binds tokens to consents may say so by a scope of its own, another one at each answer.',
    middleware: tokenResponses((body) => ({
      ...body,
      scope: `${body.scope} OB_${randomUUID()}`,
    })),
  },
  {
    id: 'scopes-of-data-tokens-are-those-of-the-server',
    story:
      'Names of the scopes are not shown: the token of a consent has one of the server, in the place of the one that was asked for.',
    middleware: tokenResponses((body, ctx) =>
      grantOf(ctx, body.access_token) === undefined
        ? undefined
        : { ...body, scope: `openid aisp_${grantOf(ctx, body.access_token)}` },
    ),
  },
  {
    id: 'unknown-grants-in-other-words',
    story:
      'The error body of this interface is not shown: an unknown code or refresh token is no request of the form that is asked for, an error of the bank, or an error that is none of OAuth.',
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
      '"Token lifetime is reported in expires_in (seconds); its value: not shown": 90 seconds, and 4 for a client\'s own.',
    settings: { accessTokenLifetime: 90, clientTokenLifetime: 4 },
    middleware: seen,
  },
  {
    id: 'short-lived-tokens-without-refresh',
    story:
      '"A refresh token, if issued", and the lifetime of tokens is not shown: access tokens of five seconds, and another one only by confirming the consent again.',
    settings: { refreshTokens: 'none', accessTokenLifetime: 5 },
    middleware: seen,
  },
  {
    id: 'refresh-tokens-end-when-unused',
    story:
      '"A refresh token, if issued, refreshes an expired access token": how long it may rest is not shown. It ends seven seconds after it was issued or used, and an access token lives for three.',
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
    story: '"Token lifetime is reported in expires_in (seconds); its value: not shown": a year.',
    settings: { accessTokenLifetime: 31_536_000, clientTokenLifetime: 31_536_000 },
    middleware: seen,
  },
  {
    id: 'new-tokens-end-the-old',
    story:
      'What becomes of the old access token after a refresh_token grant, and of all tokens of the first authorisation after re-confirmation, is not shown: each consent has one at a time.',
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
      'No sentence says that every grant makes another access token: while one lives, the client, and the consent at a refresh, is given it again, and expires_in is what is left.',
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
      'No sentence promises that several access tokens stand side by side (AMB-43): each client_credentials grant ends the token of the one before.',
    async middleware(ctx, next) {
      await next()
      if (partOf(ctx) === 'token' && (await endsTheOneBefore(ctx))) ctx.state.fired()
    },
  },
  {
    id: 'theft-ends-the-consent-for-good',
    story:
      'What becomes of other tokens when a code or a refresh token comes again is not said (RFC 6749 4.1.2, RFC 9700 4.14.2): all tokens of the consent end, those of its other authorisations too.',
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
      'Whether a code survives a request that is refused is open (RFC 6749 4.1.2 speaks of its use): it is void. Whether its tokens survive its second use is open too (SHOULD): they do.',
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
