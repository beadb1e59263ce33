import { randomUUID } from 'node:crypto'
import type { TargetClient } from '../configuration/resolve.ts'
import { now } from '../record/clock.ts'
import { claimsOf } from '../wire/jwt-decode.ts'

/** What messages of a TPP need from the bank's discovery. */
export interface BankFacts {
  issuer: string
  /** Address of the token endpoint as the bank advertises it; undefined if it gives none. */
  tokenEndpoint?: string
  /** Seconds by which the bank's clock may differ. */
  clockTolerance: number
  /** Grant types that the bank offers; undefined if it lists none. */
  grantTypes?: string[]
  /** Ways to authenticate a customer that the bank offers; undefined if it lists none. */
  acrValues?: string[]
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** The usable values of a bank's configuration. */
export function factsIn({
  issuer,
  token_endpoint: tokenEndpoint,
  grant_types_supported: grants,
  acr_values_supported: acrValues,
}: Record<string, unknown>): Partial<BankFacts> {
  return {
    ...(typeof tokenEndpoint === 'string' && URL.canParse(tokenEndpoint) && { tokenEndpoint }),
    ...(typeof issuer === 'string' && URL.canParse(issuer) && { issuer }),
    ...(Array.isArray(grants) && { grantTypes: grants.map(String) }),
    ...(Array.isArray(acrValues) && { acrValues: acrValues.filter(isText) }),
  }
}

/** Lifetimes of a client assertion and a registration JWT, in seconds. */
const LIFETIME = { assertion: 120, registration: 170 }

/** The times of a message: whichever clock is ahead, iat is in the past and exp in the future. */
function timesFor({ clockTolerance }: BankFacts, lifetime: number) {
  const time = Math.floor(now() / 1000)
  return { iat: time - clockTolerance, exp: time + clockTolerance + lifetime }
}

/**
 * Claims of the registration JWT. The document shows only software statement and redirect URIs; the other claims are
 * those of OBIE Dynamic Client Registration 3.x and RFC 7591.
 */
export function registrationClaims(
  client: TargetClient,
  bank: BankFacts,
  softwareStatement: string | undefined,
): Record<string, unknown> {
  const statement = claimsOf(client.softwareStatement ?? '') ?? {}
  const { accounts, fundsConfirmation } = client.scopes
  return {
    iss: statement.software_id,
    aud: bank.issuer,
    ...timesFor(bank, LIFETIME.registration),
    jti: randomUUID(),
    redirect_uris: client.redirectUris,
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'PS256',
    grant_types: grantTypes(bank),
    response_types: ['code id_token'],
    id_token_signed_response_alg: 'PS256',
    request_object_signing_alg: 'PS256',
    application_type: 'web',
    scope: [...new Set(['openid', accounts, fundsConfirmation ?? accounts])].join(' '),
    software_id: statement.software_id,
    software_statement: softwareStatement,
    ...client.registrationClaims,
  }
}

/** "Values comply with those advertised": a bank need not offer refresh tokens. */
function grantTypes({ grantTypes: offered }: BankFacts): string[] {
  const refresh = offered?.includes('refresh_token') === false ? [] : ['refresh_token']
  return ['authorization_code', ...refresh, 'client_credentials']
}

/** Times of a client assertion for a bank that rejects one whose end is more than a minute away. */
export function briefTimes() {
  const time = Math.floor(now() / 1000)
  return { iat: time - 15, exp: time + 30 }
}

/** Claims of the client assertion: OpenID Connect Core section 9, private_key_jwt. */
export function assertionClaims(
  clientId: string,
  bank: BankFacts,
  { audience, isBrief }: { audience: string; isBrief: boolean },
) {
  const times = isBrief ? briefTimes() : timesFor(bank, LIFETIME.assertion)
  return { iss: clientId, sub: clientId, aud: audience, jti: randomUUID(), ...times }
}

const HOUR_IN_SECONDS = 3600

/**
 * Claims of the request object: FAPI 1.0 Advanced section 5.2.2, and the intent of the consent.
 *
 * @param lifetime seconds until the request object expires.
 * @param parameters those of the authorisation request.
 * @param intent the claim of the consent that an ID token must have.
 */
export function requestObjectClaims(
  client: TargetClient,
  bank: BankFacts,
  lifetime: number,
  parameters: Record<string, string>,
  intent: Record<string, unknown>,
): Record<string, unknown> {
  const { iat, exp } = timesFor(bank, lifetime)
  const { claims, ...more } = client.requestObjectClaims ?? {}
  return {
    iss: parameters.client_id,
    aud: bank.issuer,
    ...parameters,
    iat,
    nbf: iat,
    // "exp" is at most 60 minutes after "nbf", whichever clock is ahead.
    exp: Math.min(exp, iat + HOUR_IN_SECONDS),
    jti: randomUUID(),
    ...more,
    claims: { ...claims, id_token: { ...intent, ...idTokenClaims(client, bank) } },
  }
}

/**
 * What a request object requires from the ID token in addition to the intent. The documents require nothing. One of the
 * bank's own authentication methods is requested, because one that can't be met must be refused (OpenID Connect Core
 * 5.5.1.1), and what the target adds.
 */
export function idTokenClaims(
  { requestObjectClaims }: TargetClient,
  { acrValues = [] }: BankFacts,
): Record<string, unknown> {
  const acr = acrValues.length > 0 && { acr: { essential: true, values: acrValues } }
  return { ...acr, ...requestObjectClaims?.claims?.id_token }
}
