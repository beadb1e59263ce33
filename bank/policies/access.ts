import type { IncomingHttpHeaders } from 'node:http'
import type { AdapterPayload } from 'oidc-provider'
import { type Reason, type Refusal, refusalOf } from '../listeners/refusals.ts'
import type { Settings } from '../state/settings.ts'

/** What the bank knows of the other end of a connection. */
export interface Transport {
  /** Did the certificate chain to the directory's authority, in time and for this use? */
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

/** A client speaks through a certificate of its own organisation only. */
export function transportBelongsTo(transport: Transport, organisationId: string): boolean {
  return transport.organisationId === organisationId
}

/** RFC 8705 3: a token that carries a thumbprint is worth nothing over another certificate. */
export function tokenBoundTo(thumbprint: string | undefined, transport: Transport): boolean {
  return thumbprint === undefined || thumbprint === transport.thumbprint
}

/** May a token with these scopes be used where one of them is needed? */
export function scopeSuffices(scopes: ReadonlySet<string>, needed: string): boolean {
  return scopes.has(needed)
}

/**
 * A stored record of the authorisation server (AccessToken, AuthorizationCode, RefreshToken, Grant,
 * Client, ReplayDetection, …) on its way out. The correct bank shows it as it is.
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

/** `earlier` counts the client's requests of the window without the customer, this one left out. */
export function limitReached(earlier: number, limit: Settings['rateLimit']): boolean {
  return earlier >= limit.threshold
}

/** Is an Accept header content with JSON? */
export function acceptable(types: string | false): boolean {
  return types !== false
}

/** Status, code and message of a refusal. */
export function refusal(reason: Reason): Refusal {
  return refusalOf(reason)
}
