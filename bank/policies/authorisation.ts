import type { Card, Customer } from '../data/customers.ts'
import type { Consent } from '../state/consents.ts'
import type { Settings } from '../state/settings.ts'
import type { Age } from './consents.ts'

type Claims = Record<string, unknown>
const isNumber = (value: unknown): value is number => typeof value === 'number'

/**
 * What is wrong with a request object. Its signature, iss, aud and an exp in the past are checked elsewhere. A strict
 * bank also requires FAPI 1.0 Advanced 5.2.2 (13, 15, 17).
 */
export function requestObjectRefusal(claims: Claims, settings: Settings): string | undefined {
  const { exp, nbf } = claims
  if (exp !== undefined && !isNumber(exp)) return 'the exp of the request object is not a number'
  if (nbf !== undefined && !isNumber(nbf)) return 'the nbf of the request object is not a number'
  const reason = settings.strict === 'fapi' ? fapiRefusal({ exp, nbf }, settings) : undefined
  if (reason) return reason
  if (typeof claims.redirect_uri !== 'string') return 'the request object has no redirect_uri'
  if (typeof claims.scope !== 'string') return 'the request object has no scope'
  if (typeof claims.nonce !== 'string') return 'the request object has no nonce'
  return undefined
}

/** FAPI 1.0 Advanced 5.2.2: nbf at most 60 minutes ago, exp at most 60 minutes after it. */
function fapiRefusal({ exp, nbf }: Claims, settings: Settings): string | undefined {
  const now = Date.now() / 1000
  if (!isNumber(exp)) return 'the request object has no exp'
  if (!isNumber(nbf)) return 'the request object has no nbf'
  if (exp - nbf > 3600) return 'the request object lives longer than 60 minutes'
  if (now - nbf > 3600 + settings.clockTolerance) return 'the request object is too old'
  return undefined
}

/** The response mode that a request object asks for: fragment, or none. */
export function responseModeAcceptable(mode: unknown): boolean {
  return mode === undefined || mode === 'fragment'
}

/**
 * May client_id be in the query only? By RFC 9101 6.3, only the request object counts. OpenID Connect Core 6.1 requires
 * client_id in the query, and the same value in the object only "if present".
 */
export function clientMayBeInQueryAlone(): boolean {
  return false
}

/** The intent id of a request object: claims.id_token.openbanking_intent_id.value. */
export function intentOf(claims: Claims): string | undefined {
  const { id_token: idToken } = (claims.claims ?? {}) as { id_token?: Record<string, unknown> }
  const wanted = idToken?.openbanking_intent_id as { value?: unknown } | undefined
  return typeof wanted?.value === 'string' ? wanted.value : undefined
}

/** "Scope must be a subset of the scopes registered for the client." Returns those that are not. */
export function scopesBeyond(requested: string[], registered: string[]): string[] {
  return requested.filter((scope) => !registered.includes(scope))
}

/**
 * May this consent be shown to a customer? It must exist and belong to the client. It must either await authorisation,
 * or be authorised and not expired: "the customer must re-confirm by using the existing intent ID".
 */
export function authorisable(
  consent: Consent | undefined,
  clientId: string,
  scopes: string[],
  age: Age | undefined,
): string | undefined {
  if (!consent || consent.clientId !== clientId) return 'the client has no such intent'
  if (consent.deleted) return 'the intent was deleted'
  const needed = consent.kind === 'account-access' ? 'accounts' : 'fundsconfirmations'
  if (!scopes.includes(needed)) return `the intent needs the scope ${needed}`
  if (age?.expired) return 'the intent has expired'
  if (consent.status !== 'AwaitingAuthorisation' && consent.status !== 'Authorised') {
    return `the intent is ${consent.status}`
  }
  return undefined
}

/** Are these the username and password of a customer? */
export function loginAccepted(customer: Customer | undefined, password: string): boolean {
  return customer !== undefined && customer.password === password
}

/** A consent that a customer has approved can be re-confirmed only by the same customer. */
export function confirmableBy(
  consent: Consent,
  customer: Customer,
  offered: Card[],
): string | undefined {
  if (consent.customerId && consent.customerId !== customer.id) {
    return 'the intent belongs to another customer'
  }
  if (consent.kind === 'funds-confirmation' && offered.length === 0) {
    return 'the customer has no such card'
  }
  return undefined
}

/** Do customers choose the cards of this consent? A re-confirmed consent covers the same cards as before. */
export function choosesCards({ kind, customerId }: Consent): boolean {
  return kind !== 'funds-confirmation' && customerId === undefined
}

/** The cards that the consent page offers. For a re-confirmation, the same as before. */
export function cardsOffered(consent: Consent, customer: Customer): Card[] {
  if (consent.customerId) return customer.cards.filter(({ key }) => consent.cards.includes(key))
  const ending = consent.debtorAccount?.Identification
  return ending ? customer.cards.filter(({ pan }) => pan.endsWith(ending)) : customer.cards
}

/** The cards that the consent covers after approval: those that the customer ticked. */
export function cardsGranted(offered: Card[], ticked: string[], again: boolean): Card[] {
  return again ? offered : offered.filter(({ key }) => ticked.includes(key))
}

export function statusAfterApproval(): Consent['status'] {
  return 'Authorised'
}

/** A first refusal ends the intent. Refusing to re-confirm does not change what was approved. */
export function statusAfterDenial(before: Consent['status']): Consent['status'] {
  return before === 'AwaitingAuthorisation' ? 'Rejected' : before
}

/** Claims of an ID token in addition to iss, aud, exp, iat, nonce and the hashes. */
export function idTokenClaims(intentId: string | undefined): Claims {
  return { openbanking_intent_id: intentId }
}

/** Level of authentication (acr) in the ID token. */
export function acrOf(): string {
  return 'urn:openbanking:psd2:sca'
}

/**
 * OpenID Connect Core 9, beyond what is always checked (PS256 by the client's key, iss = sub = client_id, aud, exp, jti
 * used once).
 */
export function clientAssertionRefusal(
  _claims: Claims,
  _header: Record<string, unknown>,
): string | undefined {
  return undefined
}

/** The scopes of a client_credentials grant: those requested, or all registered ones if none is requested. */
export function clientScopes(requested: string[], registered: string[]): string[] {
  const wanted = requested.length > 0 ? requested : registered
  return wanted.filter((scope) => scope !== 'openid')
}

/** Do codes and refresh tokens of this consent still yield tokens? */
export function refreshable(consent: Consent, age: Age): boolean {
  if (consent.deleted || consent.status !== 'Authorised') return false
  return !age.expired && !age.reconfirmationDue
}
