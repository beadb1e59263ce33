import { createHash } from 'node:crypto'
import { now } from '../../../../engine/suite-api/clock.ts'
import { claimsOf, headerOf, type IdTokenSignature } from '../../../../engine/suite-api/jwt.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'

/** A comparison of one part of an ID token with what it must be. */
export interface IdTokenFinding {
  what:
    | 'form'
    | 'alg'
    | 'key'
    | 'signature'
    | 'iss'
    | 'sub'
    | 'aud'
    | 'azp'
    | 'exp'
    | 'iat'
    | 'nbf'
    | 'nonce'
    | 'c_hash'
    | 's_hash'
    | 'at_hash'
    | 'intent'
    | 'acr'
  ok: boolean
  /** Absent in the token. Whether that is allowed depends on the document, not on this function. */
  absent: boolean
  expected: string
  actual: string
}

/** The expected values of an ID token. A member that is absent is not compared. */
export interface IdTokenContext {
  /** The result of `signatureOf`. */
  signature?: IdTokenSignature
  issuer?: string
  clientId?: string
  nonce?: string
  code?: string
  state?: string
  accessToken?: string
  intentId?: string
  /** Default openbanking_intent_id. */
  intentClaim?: string
  /** Expected algorithm. Default PS256. */
  alg?: string
  /** Seconds by which the bank's clock may differ. Default 60. */
  clockTolerance?: number
  /** Seconds since 1970. Default: now. */
  now?: number
  /** It may have come long before now: exp is compared with iat. */
  told?: boolean
}

/**
 * Compares an ID token with what it must be: OpenID Connect Core sections 3.1.3.7
 * and 3.3.2.11, s_hash of FAPI 1.0 Advanced section 5.1.1. Pure. Every comparison
 * is listed, also the successful ones, in the order form, signature, claims.
 */
export function compareIdToken(idToken: string, context: IdTokenContext): IdTokenFinding[] {
  const header = headerOf(idToken)
  const claims = claimsOf(idToken)
  const jws = 'a compact JWS'
  if (!header || !claims) return finding('form', 'no compact JWS', jws)
  const { signature, issuer, clientId, nonce, code, state, accessToken, intentId } = context
  const { intentClaim = 'openbanking_intent_id', alg = 'PS256', clockTolerance = 60 } = context
  const { now: time = Math.floor(now() / 1000) } = context
  const { sub, aud, azp, exp, iat, nbf, acr } = claims
  const audiences = [...new Set([aud].flat())]
  const isText = (value: unknown) => typeof value === 'string' && value !== ''
  const half = (text?: string) =>
    text === undefined ? undefined : halfHash(text, String(header.alg))
  const since = context.told && typeof iat === 'number' ? iat : time - clockTolerance
  const later = typeof exp === 'number' && exp > since
  const earlier = (when: unknown) => typeof when === 'number' && when <= time + clockTolerance
  return [
    ...finding('form', jws, jws),
    ...finding('alg', header.alg, alg),
    ...(signature === undefined ? [] : signed(signature, header)),
    ...finding('iss', claims.iss, issuer),
    ...finding('sub', isText(sub) ? 'a text' : sub, 'a text'),
    ...finding('aud', aud, clientId, audiences.includes(clientId)),
    // OpenID Connect Core 3.1.3.7 (3): the client rejects “additional audiences not trusted by the
    // Client”. With azp the token at least says who asked.
    // “If an azp Claim is present, the Client SHOULD verify that its client_id is the Claim Value.”
    ...finding('azp', azp, azp === undefined && audiences.length < 2 ? undefined : clientId),
    ...finding('exp', exp, `after ${time}`, later),
    ...finding('iat', iat, `not after ${time}`, earlier(iat)),
    // RFC 7519 4.1.5: before that time it “MUST NOT be accepted for processing”.
    ...finding('nbf', nbf, nbf === undefined ? undefined : `not after ${time}`, earlier(nbf)),
    ...finding('nonce', claims.nonce, nonce),
    ...finding('c_hash', claims.c_hash, half(code)),
    ...finding('s_hash', claims.s_hash, half(state)),
    ...finding('at_hash', claims.at_hash, half(accessToken)),
    ...finding('intent', claims[intentClaim], intentId),
    ...finding('acr', acr, 'a text', isText(acr)),
  ]
}

/** Empty where nothing is expected. */
function finding(
  what: IdTokenFinding['what'],
  value: unknown,
  expected: string | undefined,
  ok = value === expected,
): IdTokenFinding[] {
  if (expected === undefined) return []
  const absent = value === undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return [{ what, ok, absent, expected, actual: absent ? 'absent' : text }]
}

/** Whether a key was found, and whether it verifies, from the result of `signatureOf`. */
function signed(said: IdTokenSignature, { kid }: Record<string, unknown>): IdTokenFinding[] {
  const expected = kid === undefined ? 'a signing key in the JWKS' : `kid ${kid} in the JWKS`
  if (said === 'no such key') return finding('key', said, expected)
  return [...finding('key', expected, expected), ...finding('signature', said, 'verifies')]
}

/**
 * The left half of the hash of a text, in base64url: c_hash, s_hash and
 * at_hash. The end of the algorithm's name names the hash: SHA-256 for PS256.
 */
export function halfHash(text: string, alg: string): string {
  const bits = /(256|384|512)$/.exec(alg)?.[1] ?? '256'
  const digest = createHash(`sha${bits}`).update(text, 'utf8').digest()
  return digest.subarray(0, digest.length / 2).toString('base64url')
}

/** The failed comparisons of an ID token, among those that a rule is about. */
export function findingsOf(compared: IdTokenFinding[], about: IdTokenFinding['what'][]): Finding[] {
  return compared
    .filter(({ what, ok }) => !ok && about.includes(what))
    .map(({ what, expected, actual }) => ({
      message: `${what} of the ID token is ${actual}`,
      expected,
      actual,
    }))
}
