import { randomBytes } from 'node:crypto'

type Claims = Record<string, unknown>

/** The values of the well-known configuration that a registration can contain. */
export interface Advertised {
  grantTypes: string[]
  responseTypes: string[]
  scopes: string[]
  authMethods: string[]
  signingAlgorithms: string[]
}

/** Why a registration is refused: RFC 7591 3.2.2. */
export interface RegistrationRefusal {
  error:
    | 'invalid_redirect_uri'
    | 'invalid_client_metadata'
    | 'invalid_software_statement'
    | 'unapproved_software_statement'
  description: string
}

/** "Content-Type is application/jwt." */
export function registrationMediaType(type: string): boolean {
  return type === 'application/jwt'
}

/** Did the directory sign the statement? `verified` is the result of checking its signature. */
export function softwareStatementSigned(verified: boolean): boolean {
  return verified
}

/** Checks the claims of a software statement with a valid signature against the transport certificate. */
export function softwareStatementRefusal(
  statement: Claims,
  issuer: string,
  organisationId: string | undefined,
): RegistrationRefusal | undefined {
  if (statement.iss !== issuer) {
    return { error: 'unapproved_software_statement', description: 'unknown issuer' }
  }
  if (typeof statement.software_id !== 'string' || typeof statement.org_id !== 'string') {
    return { error: 'invalid_software_statement', description: 'software_id or org_id missing' }
  }
  if (typeof statement.software_jwks_endpoint !== 'string') {
    return { error: 'invalid_software_statement', description: 'software_jwks_endpoint missing' }
  }
  if (!Array.isArray(statement.software_redirect_uris)) {
    return { error: 'invalid_software_statement', description: 'software_redirect_uris missing' }
  }
  if (statement.org_id !== organisationId) {
    return {
      error: 'unapproved_software_statement',
      description: 'the statement belongs to another organisation than the transport certificate',
    }
  }
  return undefined
}

/** Did the software's own key sign the registration? */
export function registrationSigned(verified: boolean): boolean {
  return verified
}

/**
 * Checks iss, aud, nbf and exp of the registration JWT. Times are in seconds since 1970. "Registration request claims:
 * not shown": no claim is required; RFC 7519 4.1 says when a claim that is present makes the JWT invalid.
 */
export function registrationClaimsRefusal(
  claims: Claims,
  expected: { softwareId: unknown; audiences: string[]; now: number; tolerance: number },
): string | undefined {
  const { iss, aud, exp, nbf } = claims
  if (iss !== undefined && iss !== expected.softwareId)
    return 'iss is not the software_id of the statement'
  const audiences = Array.isArray(aud) ? aud : [aud]
  const named = audiences.some((one) => expected.audiences.includes(one))
  if (aud !== undefined && !named) return 'aud is not this bank'
  if (nbf !== undefined && typeof nbf !== 'number') return 'nbf is no number'
  if (nbf !== undefined && nbf > expected.now + expected.tolerance) return 'nbf is in the future'
  if (exp === undefined) return undefined
  if (typeof exp !== 'number') return 'exp is not a number'
  return exp <= expected.now - expected.tolerance ? 'exp has passed' : undefined
}

/** "The supplied redirect_uris equal or are a subset of the software_redirect_uris claim." */
export function redirectUrisAcceptable(requested: string[], stated: string[]): boolean {
  return requested.length > 0 && requested.every((uri) => stated.includes(uri))
}

/** A new client for every registration. */
export function clientIdFor(_statement: Claims): string {
  return randomBytes(16).toString('base64url')
}

/** The redirect URIs that are stored. */
export function redirectUrisStored(requested: string[] | undefined, stated: string[]): string[] {
  return requested ?? stated
}

/** "Values comply with those advertised on the well-known configuration." */
export function registrationValueRefusal(
  claims: Claims,
  advertised: Advertised,
): string | undefined {
  const one = (name: string, allowed: string[]) => {
    const value = claims[name]
    return value === undefined || (typeof value === 'string' && allowed.includes(value))
      ? undefined
      : `${name} is not supported`
  }
  const many = (name: string, allowed: string[]) => {
    const value = claims[name]
    if (value === undefined) return undefined
    const fine =
      Array.isArray(value) && value.length > 0 && value.every((v) => allowed.includes(inOrder(v)))
    return fine ? undefined : `${name} is not supported`
  }
  const { scope } = claims
  const scopes = typeof scope === 'string' ? scope.split(' ') : []
  if (scope !== undefined && !(scopes.length && scopes.every((s) => advertised.scopes.includes(s))))
    return 'scope is not supported'
  return (
    one('application_type', ['web']) ??
    one('token_endpoint_auth_method', advertised.authMethods) ??
    one('token_endpoint_auth_signing_alg', advertised.signingAlgorithms) ??
    one('request_object_signing_alg', advertised.signingAlgorithms) ??
    one('id_token_signed_response_alg', advertised.signingAlgorithms) ??
    many('grant_types', advertised.grantTypes) ??
    many('response_types', advertised.responseTypes)
  )
}

/** The words of a response type, sorted, because their order has no meaning (RFC 6749 3.1.1). */
const inOrder = (value: unknown) => String(value).split(' ').toSorted().join(' ')

/** The scopes that are stored: the requested ones that the software's roles allow. */
export function scopesStored(requested: string[], roles: string[]): string[] {
  const needed: Record<string, string> = { accounts: 'AISP', fundsconfirmations: 'CBPII' }
  return requested.filter((scope) => {
    const role = needed[scope]
    return role === undefined || roles.includes(role)
  })
}

/** The grant types that are stored. */
export function grantTypesStored(requested: string[]): string[] {
  return requested
}

/** Body of the 201: everything that is stored about the client. */
export function registrationView(stored: Claims): Claims {
  return stored
}
