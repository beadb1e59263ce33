import { randomUUID } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import type { Consent } from '../../bank/consents.ts'
import { revoke } from '../../bank/services.ts'
import { stateOf } from '../../bank/state.ts'
import { ofEachBank } from '../each-bank.ts'
import { extraScopesLeftOut } from '../extra-scopes.ts'
import { halfHash, idTokens, remade, type Sign } from '../id-tokens.ts'
import { decoded, looksRight, signedByItself, tokenRequests } from '../jwt-rewrites.ts'
import { endsTheOneBefore } from '../newest-client-token.ts'
import type { Variant } from '../proof.ts'
import { answers, type Json, jsonOf, partOf, successes } from '../rewriting.ts'
import { roundRobinOf } from '../round-robin.ts'
import { tokensSpelt } from '../token-spelling.ts'

const tokenResponses = (change: (answer: Json, ctx: Context) => Json | undefined) =>
  successes(['token'], change)

/** Fires when the token endpoint answers: the freedom is in what it says, or does not. */
const seen = answers((ctx) => partOf(ctx) === 'token' && ctx.status === 200)

/** The form of a token request. */
const formOf = (ctx: Context) => new URLSearchParams(stateOf(ctx).body)

const grantOf = (ctx: Context, accessToken: unknown) =>
  stateOf(ctx).bank.services.records.peek('AccessToken', String(accessToken))?.grantId

/** The claims of a client assertion that this client signed for itself; undefined for any other. */
function ownAssertion(form: URLSearchParams, ctx: Context): Json | undefined {
  const text = form.get('client_assertion') ?? ''
  const assertion = decoded(text)
  const { iss, sub } = assertion.claims
  if (iss === undefined || iss !== sub || !knownClient(ctx, sub)) return undefined
  const own = looksRight(ctx, assertion, sub) && signedByItself(ctx, text, sub)
  return own ? assertion.claims : undefined
}

const knownClient = (ctx: Context, id: unknown) =>
  stateOf(ctx).bank.services.records.peek('Client', String(id)) !== undefined

/** The access token that each client and each grant was given, by scope. */
const living = ofEachBank(() => new Map<string, string>())

/** The newest access token of each grant. */
const newest = ofEachBank(() => new Map<string, string>())

/** An approval ends those that the same customer gave the same client before. */
const newestApprovalAlone: Variant['middleware'] = async (ctx, next) => {
  await next()
  const body = jsonOf(ctx)
  if (partOf(ctx) !== 'token' || ctx.status !== 200 || !body) return
  if (formOf(ctx).get('grant_type') !== 'authorization_code') return
  const { consents, records } = stateOf(ctx).bank.services
  const consent = consents.ofGrant(grantOf(ctx, body.access_token) ?? '')
  for (const other of consents.ofCustomer(consent?.customerId ?? '')) {
    if (other === consent || other.clientId !== consent?.clientId) continue
    for (const grant of other.grants) records.revokeGrant(grant)
    ctx.state.fired()
  }
}

/** What a customer decides to share ends, at once, what the same customer shared with the client before. */
const decisionsEnd =
  (end: (earlier: Consent, ctx: Context) => void): NonNullable<Variant['middleware']> =>
  async (ctx, next) => {
    await next()
    if (!ctx.path.endsWith('/decision')) return
    const shared = stateOf(ctx)
      .bank.services.consents.all()
      .filter(({ kind, status }) => kind === 'account-access' && status === 'Authorised')
      .sort((a, b) => (b.confirmed ?? 0) - (a.confirmed ?? 0))
    const seen = new Set<string>()
    for (const consent of shared) {
      const pair = `${consent.clientId} ${consent.customerId}`
      if (seen.has(pair)) {
        end(consent, ctx)
        ctx.state.fired()
      }
      seen.add(pair)
    }
  }

const variants: Variant[] = [
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
    id: 'id-tokens-of-the-token-endpoint',
    story:
      'id_token is not required in the token response; where it is there, at_hash is optional (OpenID Connect Core 3.3.3.6), and nonce, c_hash and s_hash belong to the redirect.',
    middleware: tokenResponses((body, ctx) =>
      typeof body.id_token === 'string' ? withOrWithout(body, body.id_token, ctx) : undefined,
    ),
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
    id: 'only-the-newest-approval',
    story:
      'No sentence promises that several approvals stand side by side (AMB-43): what a customer approves for a client replaces what the same customer approved for it before.',
    middleware: newestApprovalAlone,
  },
  {
    id: 'newest-approval-of-one-client',
    story:
      'The same at a bank that has one client for each software: an approval is replaced before its refresh token was ever used.',
    policies: () => ({ clientIdFor: ({ software_id }) => String(software_id) }),
    middleware: newestApprovalAlone,
  },
  {
    id: 'newest-approval-revokes-at-the-decision',
    story:
      'The same where the decision itself ends what was shared before, its code used or not, and the query shows Revoked.',
    middleware: decisionsEnd((earlier, ctx) => revoke(stateOf(ctx).bank.services, earlier)),
  },
  {
    id: 'newest-approval-revokes-consents-alone',
    story:
      'The same where tokens outlive the consent that was replaced: its data are refused with 403, as for want of a right.',
    middleware: decisionsEnd((earlier) => {
      earlier.status = 'Revoked'
      earlier.statusUpdated = Date.now()
    }),
  },
  {
    id: 'newest-approval-though-it-asked-for-more',
    story:
      'The same where a scope beyond the registered ones is left out: an approval that asked for one replaces those before it too.',
    middleware: (ctx, next) => extraScopesLeftOut(ctx, () => newestApprovalAlone?.(ctx, next)),
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
      if (!code || ctx.status < 400) return
      await records.adapter('AuthorizationCode').destroy(code)
      stateOf(ctx).fired()
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
    id: 'client-tokens-without-funds',
    story:
      'RFC 6749 3.3 lets a bank ignore a part of the scope that is asked for: no client_credentials grant is bound to that of funds confirmation, and scope says so.',
    policies: (correct, { fired }) => ({
      clientScopes(requested, registered) {
        const scopes = correct.clientScopes(requested, registered)
        const narrowed = scopes.filter((scope) => scope !== 'fundsconfirmations')
        if (narrowed.length < scopes.length) fired()
        return narrowed.length > 0 ? narrowed : ['accounts']
      },
    }),
  },
  {
    id: 'odd-token-requests-answered-oddly',
    story:
      'What a request without scope gives is not shown (AMB-11): a token, and an answer that says little.',
    middleware: tokenResponses(({ scope: _scope, expires_in: _expires, ...body }, ctx) => {
      const form = formOf(ctx)
      const odd = form.get('grant_type') === 'client_credentials' && !form.get('scope')
      return odd ? body : undefined
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
    id: 'id-tokens-with-little-or-much',
    story:
      "Only iss, sub, aud, exp, iat, nonce and c_hash are OpenID Connect's; acr, auth_time, s_hash and the intent are not shown. More claims, an audience in an array with azp, a subject that is the intent: all lawful.",
    middleware: idTokens(
      roundRobinOf<[Json, Sign, Context], string>(
        (claims, sign, ctx) => {
          const { iss, aud, exp, iat, nonce, c_hash } = claims
          return sign({ iss, sub: intentFor(claims, ctx), aud, exp, iat, nonce, c_hash })
        },
        (claims, sign, ctx) =>
          sign({
            ...claims,
            sub: intentFor(claims, ctx),
            aud: [claims.aud],
            azp: claims.aud,
            jti: 'b7c1d2',
            amr: ['mfa'],
            'http://openbanking.org.uk/refresh_token_expires_at': 4_102_444_800,
          }),
      ),
    ),
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
]

/** The intent in place of the customer; a subject that is no customer stays. */
function intentFor({ sub, openbanking_intent_id: intent }: Json, ctx: Context): unknown {
  return stateOf(ctx).bank.customers.some(({ id }) => id === sub) ? intent : sub
}

/** Without the ID token, or with one for this answer. */
const withOrWithout = roundRobinOf<[Json, string, Context], Json>(
  ({ id_token: _none, ...body }) => body,
  (body, idToken, ctx) => {
    const at_hash = halfHash(String(body.access_token))
    const other = remade(
      idToken,
      ({ nonce: _nonce, c_hash: _hash, s_hash: _state, ...claims }, sign) =>
        sign({ at_hash, ...claims }),
      ctx,
    )
    return { ...body, id_token: other ?? idToken }
  },
)

/** After a refresh, earlier access tokens of the same authorisation are void. */
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
