import { createHash, generateKeyPairSync } from 'node:crypto'
import type { Middleware } from 'koa'
import { signJws } from '../../bank/authorisation-server/signature.ts'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import { stateOf } from '../../bank/state/state.ts'
import { idTokens } from '../altering/id-tokens.ts'
import {
  acceptsAssertion,
  decoded,
  JWT_BEARER,
  looksRight,
  signedByItself,
} from '../altering/jwt-rewrites.ts'
import { certified } from '../altering/key-certificates.ts'
import { answers, type Json, jsonOf, partOf, successes } from '../altering/rewriting.ts'
import { formOf } from '../altering/token-requests.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobin } from '../run/round-robin.ts'

const keySet = (change: (keys: Json[]) => Json[]) =>
  successes(['jwks'], (body) => ({ ...body, keys: change(body.keys as Json[]) }))

const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })

/** The advertised token endpoint; the documented address is its mutual TLS alias. */
const ADVERTISED = 'https://as.bank.example/oauth2/token'

/**
 * A bank that only supports these acr values, or advertises none. If it cannot meet an essential acr, authentication
 * fails (OpenID Connect Core 5.5.1.1).
 */
function authenticates(values: string[] | undefined): Middleware {
  const configured = successes(['discovery'], ({ acr_values_supported: _, ...body }) => ({
    ...body,
    ...(values && { acr_values_supported: values }),
  }))
  return async (ctx, next) => {
    const { acr } = idTokenOf(decoded(ctx.query.request).claims) ?? {}
    const { essential, values: wanted = [], value = wanted } = (acr ?? {}) as Json
    const met = [value].flat().some((one) => values?.includes(String(one)))
    const asks = ctx.path === stateOf(ctx).bank.services.endpoints.paths.authorisation
    if (asks && essential === true && !met) {
      ctx.status = 403
      ctx.body = '<h1>We cannot confirm your identity as this app asks</h1>'
      return
    }
    await configured(ctx, next)
  }
}

function idTokenOf({ claims }: Json): Json | undefined {
  return (claims as { id_token?: Json } | undefined)?.id_token
}

const variants: Variant[] = [
  {
    id: 'forwarded-hosts-are-misdirected',
    story:
      'The gateway answers 421 to a request with X-Forwarded-Host (RFC 9110 15.5.20). The document does not allow a client to send it.',
    async middleware(ctx, next) {
      const host = ctx.get('x-forwarded-host')
      if (host === '') return next()
      ctx.status = 421
      ctx.body = `No such host: ${host}`
      stateOf(ctx).fired()
    },
  },
  {
    id: 'no-acr-values',
    story:
      'The configuration has no acr_values_supported, and a request with an essential acr is refused (OpenID Connect Core 5.5.1.1). The documents do not mention acr.',
    middleware: authenticates(undefined),
  },
  {
    id: 'acr-values-of-its-own',
    story:
      'The configuration lists only the bank’s own acr_values_supported, and a request with another essential acr is refused. How a customer authenticates is the bank’s choice.',
    policies: () => ({ acrOf: () => '2' }),
    middleware: authenticates(['https://bank.example/acr/card-and-app', '2']),
  },
  {
    id: 'configuration-behind-a-certificate',
    story:
      'The configuration and the keys need a transport certificate. The document does not say that they are public.',
    settings: { discoveryMtls: true },
    middleware: answers((ctx) => partOf(ctx) === 'discovery' || partOf(ctx) === 'jwks'),
  },
  {
    id: 'token-endpoint-with-an-alias',
    story:
      'The bank accepts only its advertised token endpoint as aud of a client assertion (AMB-25, OpenID Connect Core 9). The documented address is listed in mtls_endpoint_aliases (RFC 8705 5).',
    middleware: (() => {
      const configured = successes(['discovery'], (body) => ({
        ...body,
        token_endpoint: ADVERTISED,
        mtls_endpoint_aliases: { token_endpoint: body.token_endpoint },
      }))
      const audience = acceptsAssertion((assertion, form, ctx) => {
        const { claims } = assertion
        const { token } = stateOf(ctx).bank.services.endpoints
        if (form.get('client_assertion_type') !== JWT_BEARER) return undefined
        if (!looksRight(ctx, assertion, claims.sub)) return undefined
        if (!signedByItself(ctx, form.get('client_assertion') ?? '', claims.sub)) return undefined
        const aud = claims.aud === ADVERTISED ? token : 'https://somebody.else.example'
        return { ...claims, aud }
      })
      return (ctx, next) => configured(ctx, () => audience(ctx, next))
    })(),
  },
  {
    id: 'configuration-with-the-least',
    story:
      'The configuration has only the required members of OpenID Connect Discovery and the authentication methods. The scheme of one address is in upper case. "Returns the OIDC configuration; body: not shown".',
    middleware: successes(['discovery'], (body) => {
      const names = [
        'issuer',
        'authorization_endpoint',
        'token_endpoint',
        'jwks_uri',
        'response_types_supported',
        'subject_types_supported',
        'id_token_signing_alg_values_supported',
        'token_endpoint_auth_methods_supported',
      ]
      // If a grant is missing, a client can learn that only here.
      const grants = [body.grant_types_supported].flat()
      if (!grants.includes('refresh_token')) names.push('grant_types_supported')
      const least = Object.fromEntries(names.map((name) => [name, body[name]]))
      return { ...least, jwks_uri: String(body.jwks_uri).replace('https:', 'HTTPS:') }
    }),
  },
  {
    id: 'configuration-names-one-scope',
    story:
      'The configuration lists only the scope openid, but a client can register more, such as payments. A server may choose not to advertise some scopes (OpenID Connect Discovery 3).',
    policies: (correct) => ({
      registrationValueRefusal: (claims, advertised) =>
        correct.registrationValueRefusal(claims, {
          ...advertised,
          scopes: [...advertised.scopes, 'payments'],
        }),
      scopesStored: (scopes, roles) =>
        correct.scopesStored(
          scopes.filter((scope) => scope !== 'payments'),
          roles,
        ),
      registrationView(stored) {
        const ctx = currentRequest()
        const { scope } = ctx ? decoded(stateOf(ctx).body).claims : {}
        const view = correct.registrationView(stored)
        const asked = String(scope).split(' ').includes('payments')
        return asked ? { ...view, scope: `${view.scope} payments` } : view
      },
    }),
    middleware: successes(['discovery'], (body) => ({ ...body, scopes_supported: ['openid'] })),
  },
  {
    id: 'authorisation-address-with-a-query',
    story:
      'The address of the authorisation endpoint has a query, and the pages are not found without it. RFC 6749 3.1 allows this.',
    target({ addresses }) {
      addresses.overrides = {
        ...addresses.overrides,
        authorisation: `${addresses.auth_url}/authorize?p=cards`,
      }
    },
    async middleware(ctx, next) {
      const { paths } = stateOf(ctx).bank.services.endpoints
      if (partOf(ctx) === 'pages' && ctx.path === paths.authorisation) {
        if (ctx.query.p !== 'cards') return
        const { p: _page, ...query } = ctx.query
        ctx.query = query
        stateOf(ctx).fired()
      }
      await next()
      const body = jsonOf(ctx)
      if (partOf(ctx) !== 'discovery' || !body || !body.authorization_endpoint) return
      ctx.body = { ...body, authorization_endpoint: `${body.authorization_endpoint}?p=cards` }
    },
  },
  {
    id: 'configuration-without-authentication-methods',
    story:
      'The configuration does not list the authentication methods. OpenID Connect Discovery does not require them, and the body of the configuration is not shown.',
    warns: ['DISC-06/private-key-jwt'],
    because:
      'Without the list the default of OpenID Connect Discovery counts, which is not private_key_jwt: a warning, and every must is judged or has nothing to judge.',
    middleware: successes(['discovery'], (body) => {
      const { token_endpoint_auth_methods_supported: _none, ...others } = body
      return others
    }),
  },
  {
    id: 'configuration-with-much-more',
    story:
      'The configuration has more members and more values than are used (AMB-26), in any order, and does not list refresh_token. The body of the configuration is not shown.',
    settings: {
      discovery: {
        mtls_endpoint_aliases: { token_endpoint: 'https://mtls.bank.example/token' },
        introspection_endpoint: 'https://auth.bank.example/introspect',
        revocation_endpoint: 'https://auth.bank.example/revoke',
        userinfo_endpoint: 'https://auth.bank.example/userinfo',
        backchannel_logout_supported: false,
        op_policy_uri: null,
        'x-bank': { version: [1, 2] },
      },
    },
    middleware: successes(['discovery'], (body) => ({
      ...body,
      response_types_supported: ['code', 'id_token code', 'code id_token', 'code id_token token'],
      token_endpoint_auth_methods_supported: ['tls_client_auth', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['ES256', 'PS256', 'PS512'],
      id_token_signing_alg_values_supported: ['ES256', 'PS256'],
      request_object_signing_alg_values_supported: ['ES256', 'PS256', 'none'],
      response_modes_supported: ['query', 'fragment', 'form_post', 'jwt'],
      scopes_supported: ['payments', ...((body.scopes_supported ?? []) as string[])],
      grant_types_supported: ['client_credentials', 'authorization_code', 'implicit'],
    })),
  },
  {
    id: 'configuration-at-a-second-host',
    story:
      'The configuration is also served under a second host name. The issuer is the first one, where some endpoints are.',
    settings: {
      issuer: 'https://as.bank.example',
      discovery: { userinfo_endpoint: 'https://as.bank.example/userinfo' },
    },
    middleware: answers((ctx) => partOf(ctx) === 'discovery'),
  },
  {
    id: 'configuration-of-one-brand',
    story:
      'The issuer has a path with a slash at its end, one for each brand. The configuration is at the address of RFC 8414 3.1, with that path at the end.',
    settings: { issuer: '{discovery_url}/cards/' },
    target({ addresses }) {
      const discovery = `${addresses.discovery_url}/.well-known/openid-configuration/cards`
      addresses.overrides = { ...addresses.overrides, discovery }
    },
    async middleware(ctx, next) {
      const ending = /(?<=\/\.well-known\/openid-configuration)\/cards$/
      if (ending.test(ctx.path)) {
        ctx.path = ctx.path.replace(ending, '')
        stateOf(ctx).fired()
      }
      await next()
    },
  },
  {
    id: 'configuration-as-plain-text',
    story:
      'The configuration has Content-Type text/plain, because a file server sends it. Its media type is open.',
    middleware: answers((ctx) => {
      if (partOf(ctx) !== 'discovery' || typeof ctx.body !== 'object') return false
      ctx.body = JSON.stringify(ctx.body)
      ctx.type = 'text/plain'
    }),
    warns: ['GEN-15/media-type'],
    because: 'Its body is JSON, and JSON should be called so.',
  },
  {
    id: 'many-keys',
    story:
      'The JWKS has several keys, also of other types and for other uses, and unknown members. ID tokens are signed with any of the bank’s keys and name it in kid. The media type is that of RFC 7517 8.5.',
    settings: { jwksKeys: 3 },
    async middleware(ctx, next) {
      await signedByTurns(ctx, () => keysOfAnyKind(ctx, next))
    },
  },
  {
    id: 'one-key-for-each-algorithm',
    story:
      'The JWKS lists the same key twice, once for each algorithm, with the same kid. RFC 7517 4.5 requires different kid values only for different keys.',
    middleware: successes(['jwks'], (body) => ({
      ...body,
      keys: (body.keys as Json[]).flatMap((key) => [key, { ...key, alg: 'RS256' }]),
    })),
  },
  {
    id: 'keys-change-during-the-run',
    story:
      'From the third ID token on, the bank signs with a new key, which is in the JWKS from then on.',
    settings: { jwksKeys: 2 },
    ...rotating((keys) => keys),
  },
  {
    id: 'new-keys-are-known-a-moment-later',
    story:
      'From the third ID token on, the bank signs with a new key, which is in the JWKS a moment later.',
    settings: { jwksKeys: 2 },
    ...rotating((keys) => keys, 600),
  },
  {
    id: 'keys-replaced-during-the-run',
    story:
      'From the third ID token on, the bank signs with a new key, and the old one is removed from the JWKS at once. OpenID Connect Core 10.1.1 only speaks of "a reasonable period".',
    settings: { jwksKeys: 2 },
    ...rotating((keys) => keys.slice(1)),
  },
  {
    id: 'keys-change-when-a-code-comes-again',
    story:
      'The bank publishes a second key after it has refused a code, and signs with it when that code is sent again. When keys rotate is not said.',
    settings: { jwksKeys: 2 },
    async middleware(ctx, next) {
      const seen = rotation()
      const code = partOf(ctx) === 'token' ? formOf(ctx).get('code') : null
      if (code !== null && seen.refused.has(code)) seen.again = true
      await signedByLatest(ctx, next)
      if (code !== null && ctx.status >= 400) seen.refused.add(code)
      if (partOf(ctx) !== 'jwks' || ctx.status !== 200 || seen.refused.size > 0) return
      const { keys } = ctx.body as { keys: Json[] }
      ctx.body = { keys: keys.slice(0, 1) }
    },
  },
  {
    id: 'keys-without-kid-use-alg',
    story:
      'The published key has no kid, use and alg (RFC 7517 4), and ID tokens have no kid, because there is only one key (OpenID Connect Core 10.1).',
    async middleware(ctx, next) {
      await idTokens((claims, sign) => sign(claims, { kid: undefined }))(ctx, () =>
        keySet((keys) => keys.map(({ kid, use, alg, ...key }) => key))(ctx, next),
      )
    },
  },
  {
    id: 'keys-with-thumbprints',
    story:
      'The published keys have a certificate with thumbprints, or only a thumbprint (RFC 7517 4.7 to 4.9).',
    middleware: certified(thumbprinted),
  },
  {
    id: 'keys-without-kid-of-tokens-with-one',
    story:
      'ID tokens have a kid, but the only published key has none. kid is a hint (RFC 7515 4.1.4), and optional in a key (RFC 7517 4.5).',
    middleware: keySet((keys) => keys.map(({ kid: _hint, ...key }) => key)),
  },
]

function thumbprinted(certificate: Buffer): Json {
  const hash = (name: string) => createHash(name).update(certificate).digest('base64url')
  return hasCertificate()
    ? { x5c: [certificate.toString('base64')], x5t: hash('sha1'), 'x5t#S256': hash('sha256') }
    : { 'x5t#S256': hash('sha256') }
}

const hasCertificate = roundRobin([true, false])

const nextKey = roundRobin([2, 0, 1])

const signedByTurns = idTokens((claims, _sign, ctx) => {
  const key = stateOf(ctx).bank.services.keys[nextKey()]
  return key && signJws(claims, key)
})

const keysOfAnyKind = answers((ctx) => {
  if (partOf(ctx) !== 'jwks' || ctx.status !== 200) return false
  const { keys } = ctx.body as { keys: Json[] }
  const others = [
    { kty: 'OKP', crv: 'X25519', x: 'hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo', use: 'enc' },
    { ...curve, kid: 'curve', use: 'sig', alg: 'ES256' },
    { kty: 'unheard-of', kid: 'odd' },
  ]
  const known = keys.toReversed().map((key) => ({ ...key, 'x-valid-from': '2026-01-01' }))
  ctx.body = JSON.stringify({ keys: [...others, ...known] })
  ctx.type = 'application/jwk-set+json'
})

const rotation = ofEachBank(() => ({ refused: new Set<string>(), again: false }))

const signedByLatest = idTokens((claims, _sign, ctx) => {
  const { keys } = stateOf(ctx).bank.services
  const key = rotation().again ? keys[1] : undefined
  return key && signJws(claims, key)
})

/**
 * @param then the keys of the JWKS after the second key starts to sign
 * @param late milliseconds until then
 */
function rotating(then: (keys: Json[]) => Json[], late = 0): Pick<Variant, 'middleware'> {
  const given = ofEachBank(() => ({ idTokens: 0, since: Number.POSITIVE_INFINITY }))
  const sign = idTokens((claims, _sign, ctx) => {
    const seen = given()
    seen.idTokens += 1
    if (seen.idTokens === 3) seen.since = Date.now() + late
    const key = stateOf(ctx).bank.services.keys[seen.idTokens < 3 ? 0 : 1]
    return key && signJws(claims, key)
  })
  return {
    async middleware(ctx, next) {
      await sign(ctx, next)
      if (partOf(ctx) !== 'jwks' || ctx.status !== 200) return
      const { keys } = ctx.body as { keys: Json[] }
      ctx.body = { keys: Date.now() < given().since ? keys.slice(0, 1) : then(keys) }
    },
  }
}

export default variants
