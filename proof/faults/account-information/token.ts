import type { Context } from 'koa'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { isFirst } from '../../altering/connections.ts'
import { idTokens, inRs256 } from '../../altering/id-tokens.ts'
import {
  acceptsAssertion,
  decoded,
  goodAssertion,
  goodTimes,
  tokenForm,
  tokenRequests,
} from '../../altering/jwt-rewrites.ts'
import { answers, type Json, jsonOf, type Part, partOf } from '../../altering/rewriting.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

const seconds = () => Math.floor(Date.now() / 1000)

/** Changes successful token responses. `change` returns false to leave one unchanged. */
function tokens(change: (body: Json, form: URLSearchParams, ctx: Context) => Json | false) {
  return answers((ctx) => {
    const form = tokenForm(ctx)
    const body = jsonOf(ctx)
    if (!form || !body || ctx.status !== 200) return false
    const changed = change(body, form, ctx)
    if (changed === false) return false
    ctx.body = changed
  })
}

/** Signs the ID tokens of the token endpoint again, with other claims. */
function tokenIdTokens(
  change: (claims: Json, form: URLSearchParams) => Json | undefined,
  signed = (ctx: Context, claims: Json) => stateOf(ctx).bank.signAsBank(claims),
) {
  return tokens((body, form, ctx) => {
    const claims = body.id_token ? change(decoded(body.id_token).claims, form) : undefined
    return claims ? { ...body, id_token: signed(ctx, claims) } : false
  })
}

/** Refuses token requests with an OAuth error. */
function refuses(wrong: (form: URLSearchParams, ctx: Context) => unknown, error: string) {
  return async (ctx: Context, next: () => Promise<unknown>) => {
    const form = tokenForm(ctx)
    if (!form || !wrong(form, ctx)) return next()
    ctx.status = 400
    ctx.body = { error }
    stateOf(ctx).fired()
  }
}

/** What was issued last, by client: code, refresh token, access tokens of both kinds. */
const issued = ofEachBank(() => new Map<string, string>())

/** Remembers what the token endpoint issues. `use` is called with each request first. */
function remembering(use: (ctx: Context, last: Map<string, string>) => void) {
  return async (ctx: Context, next: () => Promise<unknown>) => {
    const { bank } = stateOf(ctx)
    const last = issued()
    use(ctx, last)
    const form = tokenForm(ctx)
    await next()
    const { access_token: access, refresh_token: refresh } = jsonOf(ctx) ?? {}
    if (!form || typeof access !== 'string') return
    const { records } = bank.services
    const client = records.peek('AccessToken', access) ?? records.peek('ClientCredentials', access)
    const kind = form.get('grant_type') === 'client_credentials' ? 'management' : 'data'
    // Keeps the remembered token unless it was revoked since.
    const keep = (key: string, model: string, token: unknown) => {
      if (typeof token !== 'string' || records.peek(model, last.get(key) ?? '')) return
      last.set(key, token)
    }
    const model = kind === 'data' ? 'AccessToken' : 'ClientCredentials'
    keep(`${kind} ${client?.clientId}`, model, access)
    keep(`refresh ${client?.clientId}`, 'RefreshToken', refresh)
    last.set(String(refresh), 'issued')
    const code = form.get('code')
    if (code) last.set(`code ${client?.clientId}`, code)
    if (code) last.set(`uri ${client?.clientId}`, form.get('redirect_uri') ?? '')
  }
}

/** The client that a token request authenticates. */
const clientOf = (form: URLSearchParams) => String(decoded(form.get('client_assertion')).claims.sub)

/** Replaces an unknown code by the client's latest one. */
function latestCode(ctx: Context, form: URLSearchParams, last: Map<string, string>) {
  const { records } = stateOf(ctx).bank.services
  const code = form.get('code')
  if (!code || records.peek('AuthorizationCode', code)) return undefined
  const latest = last.get(`code ${clientOf(form)}`)
  const record = records.peek('AuthorizationCode', latest ?? '')
  if (!latest || !record) return undefined
  record.consumed = undefined
  return { code: latest, redirect_uri: last.get(`uri ${clientOf(form)}`) ?? '' }
}

/** Replaces an unknown refresh token by the client's latest one. */
function latestRefreshToken(ctx: Context, form: URLSearchParams, last: Map<string, string>) {
  const refresh = form.get('refresh_token')
  if (!refresh || last.has(refresh)) return undefined
  const latest = last.get(`refresh ${clientOf(form)}`)
  if (!latest || !stateOf(ctx).bank.services.records.peek('RefreshToken', latest)) return undefined
  return { refresh_token: latest }
}

/** Accepts tokens of one kind in place of the other when the request matches. */
function takesTokens(kind: 'management' | 'data', fits: (ctx: Context) => boolean) {
  return remembering((ctx, last) => {
    const { records } = stateOf(ctx).bank.services
    const bearer = ctx.get('authorization').replace(/^Bearer /, '')
    const model = kind === 'data' ? 'ClientCredentials' : 'AccessToken'
    const other = last.get(`${kind} ${records.peek(model, bearer)?.clientId}`)
    if (other === undefined || !fits(ctx)) return
    ctx.req.headers.authorization = `Bearer ${other}`
    stateOf(ctx).fired()
  })
}

/** The access token that came with each refresh token. */
const companions = ofEachBank(() => new Map<string, string>())

/** Calls `use` for refreshes whose access token has expired, and notes what is issued. */
function afterExpiry(
  use: (ctx: Context, expired: number, before: () => Promise<unknown>) => Promise<unknown>,
) {
  return async (ctx: Context, next: () => Promise<unknown>) => {
    const { records } = stateOf(ctx).bank.services
    const known = companions()
    const form = tokenForm(ctx)
    if (!form) return next()
    const refresh = form.get('refresh_token') ?? ''
    const exp = records.peek('AccessToken', known.get(refresh) ?? '')?.exp
    if (exp !== undefined && exp < seconds()) await use(ctx, exp, next)
    else await next()
    const body = jsonOf(ctx)
    known.set(String(body?.refresh_token ?? refresh), String(body?.access_token))
  }
}

/** Access tokens that were issued for consents that had already ended. */
const undead = ofEachBank(() => new Set<string>())

/** Refreshes tokens of deleted or revoked consents, and lets the new ones read data. */
function refreshesAfter(): Pick<Fault, 'middleware' | 'policies'> {
  const ended = ({ deleted, status }: { deleted?: number; status: string }) =>
    deleted !== undefined || status === 'Revoked'
  return {
    async middleware(ctx, next) {
      const { bank, fired } = stateOf(ctx)
      const { records, consents } = bank.services
      await next()
      if (tokenForm(ctx)?.get('grant_type') !== 'refresh_token') return
      const access = jsonOf(ctx)?.access_token
      const grant = records.peek('AccessToken', String(access))?.grantId ?? ''
      const consent = consents.ofGrant(grant)
      if (!consent || !ended(consent)) return
      undead().add(String(access))
      fired()
    },
    policies: (correct) => ({
      tokensDie: (what) => what !== 'deleted' && what !== 'revoked' && correct.tokensDie(what),
      refreshable: (consent, age) => ended(consent) || correct.refreshable(consent, age),
      consentUsable(consent, age) {
        const authorization = currentRequest()?.get('authorization') ?? ''
        if (undead().has(authorization.replace(/^Bearer /, ''))) return undefined
        return correct.consentUsable(consent, age)
      },
    }),
  }
}

/**
 * Answers 401 to an access token after this many uses, however new it is. A token that expires within seconds is not
 * affected, because the cause would look like its expiry.
 */
function tiresAfter(times: number, parts: Part[]): NonNullable<Fault['middleware']> {
  const uses = ofEachBank(() => new Map<string, number>())
  return async (ctx, next) => {
    const token = ctx.get('authorization')
    const used = uses()
    if (!parts.includes(partOf(ctx)) || token === '') return next()
    if ((used.get(token) ?? 0) < times || lifeLeft(ctx, token) < 10) {
      await next()
      if (ctx.status < 300) used.set(token, (used.get(token) ?? 0) + 1)
      return
    }
    stateOf(ctx).fired()
    ctx.status = 401
    ctx.set('www-authenticate', 'Bearer error="invalid_token"')
    ctx.body = { Message: 'the access token has expired' }
  }
}

/** Seconds until the access token of an Authorization header expires. */
function lifeLeft(ctx: Context, header: string): number {
  const { records } = stateOf(ctx).bank.services
  const token = header.replace(/^Bearer +/i, '')
  const { exp } =
    records.peek('AccessToken', token) ?? records.peek('ClientCredentials', token) ?? {}
  return exp === undefined ? 0 : exp - seconds()
}

const grantsOfAnyClient: Fault = {
  id: 'grants-of-any-client',
  story:
    'A client can use codes and refresh tokens of another client, because the bank looks them up only by value.',
  fails: ['TOK-13/other-client', 'TOK-35/other-client'],
  policies: (_correct, { fired }) => ({
    stored(model, _id, record) {
      const ctx = currentRequest()
      const form = ctx && tokenForm(ctx)
      const presented = form?.has('refresh_token') || form?.has('code')
      const asked = ['RefreshToken', 'AuthorizationCode', 'Grant'].includes(model)
      if (!record || !form || !presented || !asked) return record
      const clientId = clientOf(form)
      if (record.clientId === clientId) return record
      fired()
      return { ...record, clientId }
    },
  }),
}

const faults: Fault[] = [
  {
    id: 'token-scopes-with-commas',
    story: 'The token response separates the scopes with commas instead of spaces.',
    fails: ['TOK-16/space-separated'],
    middleware: tokens((body) => {
      const { scope } = body
      if (typeof scope !== 'string' || !scope.includes(' ')) return false
      return { ...body, scope: scope.replaceAll(' ', ',') }
    }),
  },
  {
    id: 'client-tokens-die-young',
    story:
      'Tokens of the client_credentials grant stop working before expires_in, because the cache of the gateway is small.',
    fails: ['TOK-17/honoured'],
    middleware: tiresAfter(30, ['consents']),
  },
  {
    id: 'data-tokens-die-young',
    story:
      'Access tokens for data stop working before expires_in, because the session store has a shorter lifetime.',
    fails: ['TOK-17/honoured'],
    middleware: tiresAfter(120, ['data']),
  },
  {
    id: 'refreshed-tokens-with-201',
    story: 'The response to a refresh has status 201 instead of 200.',
    fails: ['TOK-01/status-200'],
    middleware: tokens((body, form, ctx) => {
      if (form.get('grant_type') !== 'refresh_token') return false
      ctx.status = 201
      return body
    }),
  },
  {
    id: 'grant-type-by-default',
    story:
      'A token request without grant_type, or with an unknown one, is handled as client_credentials.',
    fails: ['TOK-02/missing', 'TOK-02/unknown'],
    middleware: tokenRequests((form) => {
      const grant = form.get('grant_type')
      if (grant !== null && !grant.startsWith('urn:')) return false
      form.set('grant_type', 'client_credentials')
    }),
  },
  {
    id: 'a-code-tells-the-grant',
    story: 'A token request with a code but without grant_type is handled as authorization_code.',
    fails: ['TOK-02/with-code'],
    middleware: tokenRequests((form) => {
      if (form.get('grant_type') !== null || !form.has('code')) return false
      form.set('grant_type', 'authorization_code')
    }),
  },
  {
    id: 'no-client-credentials',
    story: 'The client_credentials grant is refused for all clients.',
    stops: true,
    fails: ['TOK-03/client-credentials'],
    middleware: refuses(
      (form) => form.get('grant_type') === 'client_credentials',
      'unauthorized_client',
    ),
  },
  {
    id: 'no-code-exchange',
    story:
      'The exchange of every authorisation code is refused. Codes are stored in one data centre and exchanged in another.',
    stops: true,
    fails: ['TOK-03/authorization-code'],
    middleware: refuses((form) => form.get('grant_type') === 'authorization_code', 'invalid_grant'),
  },
  {
    id: 'no-refresh',
    story:
      'Every refresh is refused, because the bank stores refresh tokens under another hash than it searches for.',
    fails: ['TOK-03/refresh-token'],
    middleware: refuses((form) => form.get('grant_type') === 'refresh_token', 'invalid_grant'),
  },
  {
    id: 'certificate-is-enough',
    story:
      'The token endpoint accepts a client without a client assertion, because the gateway authenticates it by its certificate.',
    fails: ['TOK-04/no-assertion'],
    middleware: acceptsAssertion((_assertion, form, ctx) => {
      const id = form.get('client_id')
      if (!id || form.has('client_assertion') || form.has('client_secret')) return undefined
      return goodAssertion(ctx, id)
    }),
  },
  {
    id: 'secrets-not-compared',
    story:
      'The token endpoint accepts any client_secret, in the form or in the Authorization header, instead of a client assertion.',
    fails: ['TOK-05/client-secret-post', 'TOK-05/client-secret-basic'],
    middleware: acceptsAssertion((_assertion, form, ctx) => {
      const basic = /^Basic (.+)$/.exec(ctx.get('authorization'))?.[1]
      if (form.has('client_assertion') || (!basic && !form.has('client_secret'))) return undefined
      form.delete('client_secret')
      delete ctx.req.headers.authorization
      const [id = ''] = Buffer.from(basic ?? '', 'base64')
        .toString()
        .split(':')
      return goodAssertion(ctx, basic ? decodeURIComponent(id) : (form.get('client_id') ?? ''))
    }),
  },
  {
    id: 'secret-beside-an-assertion-not-compared',
    story:
      'The token endpoint accepts an unsigned client assertion (alg none) if any client_secret is sent too.',
    fails: ['TOK-05/beside-an-assertion'],
    middleware: acceptsAssertion(({ header, claims }, form) => {
      if (header.alg !== 'none' || !form.get('client_secret')) return undefined
      form.delete('client_secret')
      return claims
    }),
  },
  {
    id: 'any-assertion-type',
    story: 'The token endpoint accepts the client_assertion_type of SAML with a JWT.',
    fails: ['TOK-06/saml'],
    middleware: acceptsAssertion(({ claims }, form) =>
      form.get('client_assertion_type')?.endsWith('saml2-bearer') ? claims : undefined,
    ),
  },
  {
    id: 'grant-type-as-assertion-type',
    story: 'The token endpoint accepts the JWT-bearer URN of grants as client_assertion_type.',
    fails: ['TOK-06/saml'],
    middleware: acceptsAssertion(({ claims }, form) =>
      form.get('client_assertion_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer'
        ? claims
        : undefined,
    ),
  },
  {
    id: 'assertion-for-anybody',
    story: 'The token endpoint does not compare the aud of a client assertion.',
    fails: ['TOK-07/audience'],
    middleware: acceptsAssertion(({ claims }, _form, ctx) => {
      const { issuer, token } = stateOf(ctx).bank.services.endpoints
      const fine = [claims.aud].flat().some((one) => one === issuer || one === token)
      return claims.aud === undefined || fine ? undefined : { ...claims, aud: token }
    }),
  },
  {
    id: 'expired-assertion',
    story:
      'The token endpoint accepts an expired client assertion. Its tolerance is in milliseconds and is read as seconds.',
    fails: ['TOK-07/expired'],
    middleware: acceptsAssertion(({ claims }) =>
      typeof claims.exp === 'number' && claims.exp < seconds()
        ? { ...claims, ...goodTimes() }
        : undefined,
    ),
  },
  {
    id: 'client-id-required',
    story: 'The token endpoint refuses a request without client_id, although it is optional.',
    fails: ['TOK-09/without-client-id'],
    middleware: refuses((form) => !form.has('client_id'), 'invalid_request'),
  },
  {
    id: 'unknown-grants-become-the-latest',
    story:
      'The token endpoint replaces an unknown code or refresh token with the latest one of the client.',
    fails: ['TOK-11/unknown', 'TOK-13/unknown'],
    middleware: remembering((ctx, last) => {
      const state = stateOf(ctx)
      const form = tokenForm(ctx)
      const put = form && (latestCode(ctx, form, last) ?? latestRefreshToken(ctx, form, last))
      if (!form || !put) return
      for (const [name, value] of Object.entries(put)) form.set(name, value)
      state.body = form.toString()
      state.fired()
    }),
  },
  {
    id: 'code-for-any-redirect-uri',
    story:
      'The token endpoint accepts a redirect_uri other than the one of the authorisation request.',
    fails: ['TOK-12/other'],
    policies: (_correct, { fired }) => ({
      stored(model, _id, record) {
        const ctx = currentRequest()
        const asked = ctx && tokenForm(ctx)?.get('redirect_uri')
        if (model !== 'AuthorizationCode' || !record || !asked || asked === record.redirectUri)
          return record
        fired()
        return { ...record, redirectUri: asked }
      },
    }),
  },
  grantsOfAnyClient,
  {
    ...grantsOfAnyClient,
    id: 'rotating-grants-of-any-client',
    story: `${grantsOfAnyClient.story} Each refresh issues a new refresh token.`,
    settings: { refreshTokens: 'rotated' },
  },
  {
    id: 'code-works-twice',
    story: 'An authorisation code can be used more than once while it is valid.',
    fails: [],
    warns: ['TOK-14/replayed'],
    policies: (_correct, { fired }) => ({
      stored(model, _id, record) {
        if (model !== 'AuthorizationCode' || !record?.consumed) return record
        fired()
        return { ...record, consumed: undefined }
      },
    }),
  },
  {
    id: 'codes-are-remembered-by-each-node',
    story:
      'A used authorisation code can be used again over a new connection, because each server remembers used codes only itself.',
    fails: [],
    warns: ['TOK-14/replayed'],
    policies: (_correct, { fired }) => ({
      stored(model, _id, record) {
        const ctx = currentRequest()
        const isElsewhere = ctx !== undefined && isFirst(ctx)
        if (model !== 'AuthorizationCode' || !record?.consumed || !isElsewhere) return record
        fired()
        return { ...record, consumed: undefined }
      },
    }),
    async middleware(ctx, next) {
      isFirst(ctx)
      await next()
    },
  },
  {
    id: 'no-scope-after-refresh',
    story: 'The response to a refresh has no scope.',
    fails: ['TOK-16/scope'],
    middleware: tokens(({ scope: _, ...body }, form) =>
      form.get('grant_type') === 'refresh_token' ? body : false,
    ),
  },
  {
    id: 'refreshed-tokens-for-openid-alone',
    story: 'A refreshed token response has only scope openid instead of the scopes of the grant.',
    fails: [],
    warns: ['TOK-23/not-narrower'],
    middleware: tokens((body, form) =>
      form.get('grant_type') === 'refresh_token' ? { ...body, scope: 'openid' } : false,
    ),
  },
  {
    id: 'token-id-token-in-rs256',
    story: 'ID tokens of the token endpoint are signed with RS256 instead of PS256.',
    fails: ['TOK-20/signed'],
    middleware: tokenIdTokens((claims) => claims, inRs256),
  },
  {
    id: 'refreshed-id-token-of-unpublished-key',
    story: 'The ID token of a refresh is signed with a key that is not published.',
    fails: ['TOK-20/signed'],
    middleware: tokenIdTokens(
      (claims, form) => (form.has('refresh_token') ? claims : undefined),
      (ctx, claims) => stateOf(ctx).bank.signAsBank(claims, { kid: 'node-2' }),
    ),
  },
  {
    id: 'refresh-in-time-only',
    story: 'A refresh token cannot be used after its access token has expired.',
    fails: ['TOK-22/after-expiry'],
    middleware: afterExpiry(async (ctx) => {
      ctx.status = 400
      ctx.body = { error: 'invalid_grant' }
      stateOf(ctx).fired()
    }),
  },
  {
    id: 'refreshed-token-is-expired',
    story: 'After the access token has expired, a refresh gives a new one that is already expired.',
    fails: ['TOK-22/after-expiry'],
    middleware: afterExpiry(async (ctx, expired, next) => {
      await next()
      const { records } = stateOf(ctx).bank.services
      const fresh = records.peek('AccessToken', String(jsonOf(ctx)?.access_token))
      if (!fresh) return
      fresh.exp = expired
      stateOf(ctx).fired()
    }),
  },
  {
    id: 'refresh-widens-scope',
    story: 'A refresh gives more scopes than the grant has.',
    fails: [],
    warns: ['TOK-23/not-wider'],
    middleware: tokens((body, form) =>
      form.has('refresh_token') ? { ...body, scope: `${body.scope} fundsconfirmations` } : false,
    ),
  },
  {
    id: 'client-token-reads-data',
    story:
      'A token of the client_credentials grant reads data, because the data service checks only the scope.',
    fails: ['TOK-24/accounts', 'TOK-24/balances', 'TOK-24/transactions'],
    middleware: takesTokens('data', ({ path }) =>
      /aisp\/(accounts|balances|transactions)/.test(path),
    ),
  },
  {
    id: 'customer-token-queries-consent',
    story: 'An access token of the authorization_code grant can query the consent.',
    fails: [],
    warns: ['TOK-25/query'],
    middleware: takesTokens(
      'management',
      ({ method, path }) => method === 'GET' && path.includes('/account-access-consents/'),
    ),
  },
  {
    id: 'refresh-after-the-end',
    story:
      'After a consent was deleted or revoked, a refresh gives an access token that reads data.',
    fails: ['TOK-31/deleted', 'TOK-31/revoked'],
    ...refreshesAfter(),
  },
  {
    id: 'assertion-without-exp-or-jti',
    story: 'The token endpoint accepts a client assertion without exp or without jti.',
    fails: [],
    warns: ['TOK-32/without-expiry', 'TOK-32/without-jti'],
    middleware: acceptsAssertion(({ claims }) =>
      claims.iss !== undefined && (claims.exp === undefined || claims.jti === undefined)
        ? { exp: seconds() + 60, jti: `${Math.random()}`, ...claims }
        : undefined,
    ),
  },
  {
    id: 'client-id-beside-assertion-ignored',
    story: 'The token endpoint ignores a client_id that differs from the client of the assertion.',
    fails: [],
    warns: ['TOK-33/other-client'],
    middleware: tokenRequests((form) => {
      const { sub } = decoded(form.get('client_assertion')).claims
      if (!form.has('client_id') || form.get('client_id') === sub || !knownClient(sub)) return false
      form.set('client_id', String(sub))
    }),
  },
  {
    id: 'scope-beyond-registration',
    story: 'Every token response has the scope payments, which is not registered for the client.',
    fails: [],
    warns: ['TOK-36/within-registration'],
    middleware: tokens((body) => ({ ...body, scope: `${body.scope} payments` })),
  },
  {
    id: 'at-hash-of-refresh-token',
    story: 'The at_hash of the ID token does not match the access token.',
    fails: [],
    warns: ['TOK-37/claims'],
    middleware: tokenIdTokens((claims) => ({ ...claims, at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' })),
  },
  {
    id: 'token-id-tokens-of-a-clock-in-milliseconds',
    story: 'The iat of ID tokens of the token endpoint is in milliseconds instead of seconds.',
    fails: [],
    warns: ['TOK-37/claims'],
    middleware: tokenIdTokens((claims) => ({ ...claims, iat: Number(claims.iat) * 1000 })),
  },
  {
    id: 'token-id-tokens-good-when-they-expire',
    story:
      'The nbf of ID tokens of the token endpoint is equal to their exp, so they are never valid.',
    fails: [],
    warns: ['TOK-37/claims'],
    middleware: tokenIdTokens((claims) => ({ ...claims, nbf: claims.exp })),
  },
  {
    id: 'another-subject-at-token-endpoint',
    story:
      'The sub of the ID token differs between the authorisation endpoint and the token endpoint.',
    fails: [],
    warns: ['TOK-37/claims'],
    middleware: tokenIdTokens((claims) => ({ ...claims, sub: `customer-${claims.sub}` })),
  },
  {
    id: 'login-of-the-token-request',
    story:
      'The auth_time of the ID token of the token endpoint is five seconds later than the login.',
    fails: [],
    warns: ['TOK-37/claims'],
    middleware: idTokens((claims, sign, ctx) => {
      const first = Number(claims.auth_time ?? claims.iat)
      return sign({ ...claims, auth_time: tokenForm(ctx) ? first + 5 : first })
    }),
  },
  {
    id: 'refreshed-id-token-has-expired',
    story: 'The ID token of a refresh has already expired, because it is a copy of the first one.',
    fails: [],
    warns: ['TOK-37/claims'],
    middleware: tokenIdTokens((claims, form) =>
      form.has('refresh_token') ? { ...claims, exp: seconds() - 7200 } : undefined,
    ),
  },
]

/** Is it the client_id of a registered client? */
function knownClient(id: unknown): boolean {
  const ctx = currentRequest()
  return Boolean(ctx && stateOf(ctx).bank.services.records.peek('Client', String(id)))
}

export default faults
