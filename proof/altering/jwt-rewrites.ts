import { constants, createPublicKey, randomUUID, verify, X509Certificate } from 'node:crypto'
import type { Context, Middleware, Next } from 'koa'
import { shadowKid } from '../../bank/authorisation-server/key-sets.ts'
import { stateOf } from '../../bank/state/state.ts'
import type { Json } from './rewriting.ts'

/** A JWT, decoded without verifying it. */
export interface Decoded {
  header: Json
  claims: Json
}

const part = (text: string | undefined): Json => {
  try {
    return JSON.parse(Buffer.from(text ?? '', 'base64url').toString()) as Json
  } catch {
    return {}
  }
}

/** Header and claims; empty for a text that is not a JWT. */
export function decoded(jwt: unknown): Decoded {
  const [header, claims] = typeof jwt === 'string' ? jwt.split('.') : []
  return { header: part(header), claims: part(claims) }
}

/** The kid of the key that a client registered. */
export function ownKid(ctx: Context, clientId: unknown): string {
  const { directory, records } = stateOf(ctx).bank.services
  const { first, second } = directory.clients
  const owner = records.peek('Client', String(clientId))?.org_id
  return (owner === second.organisationId ? second : first).signing.kid
}

/** Is it signed by the client's own key, in PS256? A JWS whose crit nobody understands is invalid (RFC 7515 4.1.11). */
export function signedByItself(ctx: Context, jwt: string, clientId: unknown): boolean {
  if (decoded(jwt).header.crit !== undefined) return false
  const { first, second } = stateOf(ctx).bank.services.directory.clients
  const own = ownKid(ctx, clientId)
  return signedBy((own === second.signing.kid ? second : first).signing.key, jwt)
}

/** Three parts in base64url: decoders skip characters that it does not have (RFC 7515 5.2). */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Is it signed by this key, in PS256? */
export function signedBy(key: Parameters<typeof createPublicKey>[0], jwt: string): boolean {
  if (!COMPACT.test(jwt)) return false
  const at = jwt.lastIndexOf('.')
  const padding = constants.RSA_PKCS1_PSS_PADDING
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST
  const signature = Buffer.from(jwt.slice(at + 1), 'base64url')
  const settings = { key: createPublicKey(key), padding, saltLength }
  return verify('sha256', Buffer.from(jwt.slice(0, at)), settings, signature)
}

/**
 * Does the header look right, with PS256 and the client's own key? A JWT that a freedom rewrote was also the client's
 * own.
 */
export function looksRight(ctx: Context, { header }: Decoded, clientId: unknown): boolean {
  return header.alg === 'PS256' && [ownKid(ctx, clientId), shadowKid].includes(String(header.kid))
}

type Query = Record<string, string | undefined>

/**
 * A bank that accepts a wrong authorisation request as a right one: `mend` returns the claims of the right request
 * object, and changes the query if necessary; undefined leaves a request unchanged.
 */
export function acceptsRequest(
  mend: (request: Decoded, query: Query, ctx: Context) => Json | undefined,
): Middleware {
  return async (ctx: Context, next: Next) => {
    const { bank, fired } = stateOf(ctx)
    if (ctx.path === bank.services.endpoints.paths.authorisation) {
      const query = { ...ctx.query } as Query
      const claims = mend(decoded(query.request), query, ctx)
      if (claims) {
        ctx.query = { ...query, request: bank.signAsClient(claims) } as Record<string, string>
        fired()
      }
    }
    await next()
  }
}

/** The form of a token request. */
export function tokenForm(ctx: Context): URLSearchParams | undefined {
  const { bank, body } = stateOf(ctx)
  const asked = ctx.method === 'POST' && ctx.path === bank.services.endpoints.paths.token
  return asked ? new URLSearchParams(body) : undefined
}

/** Changes the form of token requests. `change` returns false when it changed nothing. */
export function tokenRequests(
  change: (form: URLSearchParams, ctx: Context) => unknown,
): Middleware {
  return async (ctx: Context, next: Next) => {
    const state = stateOf(ctx)
    const form = tokenForm(ctx)
    if (form && change(form, ctx) !== false) {
      state.body = form.toString()
      state.fired()
    }
    await next()
  }
}

/** The only client_assertion_type (RFC 7523 2.2). */
export const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Times of a JWT in seconds that even a strict bank accepts with a clock that is wrong by up to a minute. */
export function goodTimes(): { iat: number; nbf: number; exp: number } {
  const now = Math.floor(Date.now() / 1000)
  return { iat: now - 60, nbf: now - 60, exp: now + 60 }
}

/** Claims of a client assertion that the bank would accept. */
export function goodAssertion(ctx: Context, clientId: string): Json {
  const { token } = stateOf(ctx).bank.services.endpoints
  return { iss: clientId, sub: clientId, aud: token, jti: randomUUID(), ...goodTimes() }
}

/**
 * A bank that accepts a wrong client assertion, or none, as a right one: `mend` returns the claims of the right one;
 * undefined leaves a request unchanged.
 */
export function acceptsAssertion(
  mend: (assertion: Decoded, form: URLSearchParams, ctx: Context) => Json | undefined,
): Middleware {
  return tokenRequests((form, ctx) => {
    const twice = ['client_assertion', 'client_assertion_type'].some(
      (name) => form.getAll(name).length > 1,
    )
    if (twice) return false
    const claims = mend(decoded(form.get('client_assertion')), form, ctx)
    if (!claims) return false
    form.set('client_assertion_type', JWT_BEARER)
    form.set('client_assertion', stateOf(ctx).bank.signAsClient(claims))
  })
}

/**
 * A bank that accepts both kinds of client JWTs, request objects and assertions, with the same fault. `takes` gets the
 * client that the JWT names.
 */
export function acceptsJwts(
  takes: (jwt: Decoded, clientId: unknown, ctx: Context) => boolean,
): Middleware {
  const requests = acceptsRequest((request, query, ctx) =>
    takes(request, query.client_id, ctx) ? request.claims : undefined,
  )
  const assertions = acceptsAssertion((assertion, form, ctx) => {
    if (form.get('client_assertion_type') !== JWT_BEARER) return undefined
    return takes(assertion, assertion.claims.sub, ctx) ? assertion.claims : undefined
  })
  return (ctx: Context, next: Next) => requests(ctx, () => assertions(ctx, next))
}

/** Changes the redirects that take a customer back to a TPP. `change` returns false to leave one unchanged. */
export function landings(
  change: (fragment: URLSearchParams, ctx: Context, address: string) => unknown,
): Middleware {
  return async (ctx: Context, next: Next) => {
    await next()
    const [address = '', fragment] = String(ctx.response.get('location') ?? '').split('#')
    if (fragment === undefined || address === '') return
    const parameters = new URLSearchParams(fragment)
    const changed = change(parameters, ctx, address)
    if (changed === false) return
    ctx.set('location', typeof changed === 'string' ? changed : `${address}#${parameters}`)
    stateOf(ctx).fired()
  }
}

/** The address with these parameters added to its query. */
export const withQuery = (address: string, parameters: string | URLSearchParams) =>
  `${address}${address.includes('?') ? '&' : '?'}${parameters}`

/** Treats a connection as if it used a client's certificate. */
export function admit(ctx: Context, client: 'first' | 'second' = 'first'): void {
  const state = stateOf(ctx)
  const { transport, organisationId } = state.bank.services.directory.clients[client]
  const { fingerprint256 } = new X509Certificate(transport.certificate)
  const thumbprint = Buffer.from(fingerprint256.replaceAll(':', ''), 'hex').toString('base64url')
  state.transport = { authorized: true, organisationId, thumbprint }
  state.fired()
}
