import type { KoaContextWithOIDC } from 'oidc-provider'
import { ageOf, type Services } from '../state/services.ts'
import { stateOf } from '../state/state.ts'
import { errors } from './oidc-provider.ts'
import { apiScopes, grantTypes } from './registered.ts'

type Claims = Record<string, unknown>
type Within = Pick<Services, 'policies' | 'settings' | 'consents'>

const wordsOf = (value: unknown) =>
  typeof value === 'string' ? value.split(' ').filter(Boolean) : []

/** Checks the claims of a request object, except its signature, iss and aud. */
export function checkRequestObject(
  services: Within,
  ctx: KoaContextWithOIDC,
  claims: Claims,
): void {
  const { policies, settings } = services
  if (!policies.responseModeAcceptable(claims.response_mode)) {
    // The error response itself uses fragment.
    if (ctx.oidc.params) ctx.oidc.params.response_mode = undefined
    throw new errors.InvalidRequest('the response mode must be fragment')
  }
  if (typeof claims.response_type !== 'string' || claims.response_type === '') {
    if (ctx.oidc.params) ctx.oidc.params.response_mode = 'fragment'
    throw new errors.InvalidRequest('the request object has no response_type')
  }
  if (claims.client_id === undefined && policies.clientMayBeInQueryAlone()) keepClient(ctx)
  const reason = policies.requestObjectRefusal(claims, settings)
  if (reason) throw new errors.InvalidRequestObject(reason)
  const registered = wordsOf(ctx.oidc.client?.scope)
  const beyond = policies.scopesBeyond(wordsOf(claims.scope), registered)
  if (beyond.length > 0) throw new errors.InvalidScope('scope is not registered', beyond.join(' '))
  if (policies.intentOf(claims) === undefined) {
    throw new errors.InvalidRequestObject('the request object names no openbanking_intent_id')
  }
}

/** The library clears every parameter that the request object does not repeat. This keeps client_id. */
function keepClient({ oidc: { params, client } }: KoaContextWithOIDC): void {
  if (!params) return
  const get = () => client?.clientId
  Object.defineProperty(params, 'client_id', { get, set() {}, enumerable: true })
}

/** Checks the intent after the signature of the request object is verified. */
export function checkIntent(services: Within, ctx: KoaContextWithOIDC, claims: Claims): void {
  const { consents, policies } = services
  const consent = consents.get(policies.intentOf(claims) ?? '')
  const age = consent && ageOf(services, consent)
  const clientId = ctx.oidc.client?.clientId ?? ''
  const reason = policies.authorisable(consent, clientId, wordsOf(ctx.oidc.params?.scope), age)
  if (reason) throw new errors.InvalidRequest(reason)
}

/** Checks a token request after the signature and claims of the client assertion are verified. */
export function checkTokenRequest(
  services: Within,
  ctx: KoaContextWithOIDC,
  claims: Claims,
  header: Claims,
): void {
  const { policies, settings } = services
  const { client, params } = ctx.oidc
  // RFC 6749 2.3: one method of authentication in each request. 3.2: what has no value counts as omitted.
  if (ctx.oidc.body?.client_secret) {
    throw new errors.InvalidRequest('client_secret beside a client assertion')
  }
  const reason = policies.clientAssertionRefusal(claims, header)
  if (reason) throw new errors.InvalidClientAuth(reason)
  const { transport } = stateOf(ctx)
  const organisation = String(client?.org_id)
  if (settings.tokenEndpointMtls && !policies.transportBelongsTo(transport, organisation)) {
    throw new errors.InvalidClientAuth('the transport certificate belongs to another organisation')
  }
  // RFC 6749 5.2; the library itself would answer invalid_request.
  const grant = String(params?.grant_type)
  if (grantTypes.includes(grant) && !client?.grantTypeAllowed(grant)) {
    throw new errors.UnauthorizedClient('the grant type is not registered')
  }
  if (params?.grant_type !== 'client_credentials') return
  const registered = wordsOf(client?.scope)
  const requested = wordsOf(params.scope)
  const beyond = policies.scopesBeyond(requested, registered)
  if (beyond.length > 0) throw new errors.InvalidScope('scope is not registered', beyond.join(' '))
  const granted = policies.clientScopes(requested, registered)
  if (granted.length === 0)
    throw new errors.InvalidScope('no scope of the API', apiScopes.join(' '))
  params.scope = granted.join(' ')
}
