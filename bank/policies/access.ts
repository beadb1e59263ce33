import type { IncomingHttpHeaders } from 'node:http'
import type { AdapterPayload } from 'oidc-provider'
import { type Reason, type Refusal, refusalOf } from '../listeners/refusals.ts'
import type { Settings } from '../state/settings.ts'

/** What the bank knows about the client end of a connection. */
export interface Transport {
  /** Is the certificate issued by the directory's authority, valid at this time and for this use? */
  authorized: boolean
  /** Node's name for what was wrong, such as CERT_HAS_EXPIRED. */
  error?: string
  /** OU of the transport certificate. */
  organisationId?: string
  /** RFC 8705 thumbprint, `x5t#S256`. */
  thumbprint?: string
}

/** "Endpoints are reached over mutual TLS with a valid open banking transport certificate." */
export function transportAcceptable(transport: Transport): boolean {
  return transport.authorized && transport.organisationId !== undefined
}

/** A client may only use a certificate of its own organisation. */
export function transportBelongsTo(transport: Transport, organisationId: string): boolean {
  return transport.organisationId === organisationId
}

/** RFC 8705 3: a token with a thumbprint is not valid over another certificate. */
export function tokenBoundTo(thumbprint: string | undefined, transport: Transport): boolean {
  return thumbprint === undefined || thumbprint === transport.thumbprint
}

/** May a token with these scopes be used where one of them is needed? */
export function scopeSuffices(scopes: ReadonlySet<string>, needed: string): boolean {
  return scopes.has(needed)
}

/**
 * A stored record of the authorisation server (AccessToken, AuthorizationCode, RefreshToken, Grant, Client,
 * ReplayDetection, …) that is read. The correct bank returns it unchanged.
 */
export function stored(
  _model: string,
  _id: string,
  record: AdapterPayload | undefined,
): AdapterPayload | undefined {
  return record
}

/** "Requests with the x-fapi-customer-ip-address header are identified as customer-present." */
export function customerPresent(headers: IncomingHttpHeaders): boolean {
  return Boolean(headers['x-fapi-customer-ip-address'])
}

/** `earlier` is the number of the client's requests in the window without the customer, without this one. */
export function limitReached(earlier: number, limit: Settings['rateLimit']): boolean {
  return earlier >= limit.threshold
}

/** Does the Accept header allow JSON? */
export function acceptable(types: string | false): boolean {
  return types !== false
}

/** Status, code and message of a refusal. */
export function refusal(reason: Reason): Refusal {
  return refusalOf(reason)
}
