import { constants, createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { claimsOf, headerOf } from '../wire/jwt-decode.ts'

/** One thing that an ID token must be, and what it is. */
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
    | 'nonce'
    | 'c_hash'
    | 's_hash'
    | 'at_hash'
    | 'intent'
    | 'acr'
  ok: boolean
  /** Absent in the token: whether that is allowed depends on the document, not on this function. */
  absent: boolean
  expected: string
  actual: string
}

/** What an ID token is compared with. A member that is absent is not compared. */
export interface IdTokenContext {
  /** JWKS of the bank, as it was answered. */
  jwks: unknown
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
  /** Seconds since the epoch. Default: now. */
  now?: number
}

/**
 * Compares an ID token with what it must be: OpenID Connect Core sections 3.1.3.7 and 3.3.2.11,
 * s_hash of FAPI 1.0 Advanced section 5.1.1. Pure; every finding is listed, also the good ones, in
 * the order form, signature, claims.
 */
export function verifyIdToken(idToken: string, context: IdTokenContext): IdTokenFinding[] {
  const header = headerOf(idToken)
  const claims = claimsOf(idToken)
  const form = finding(
    'form',
    header && claims ? 'a compact JWS' : 'no compact JWS',
    'a compact JWS',
  )
  if (!header || !claims) return [form]
  const alg = context.alg ?? 'PS256'
  return [
    form,
    finding('alg', header.alg, alg),
    ...signature(idToken, header, context.jwks, alg),
    ...identity(claims, context),
    ...times(claims, context),
    ...bindings(claims, String(header.alg), context),
  ]
}

type Claims = Record<string, unknown>

function finding(what: IdTokenFinding['what'], actual: unknown, expected: string): IdTokenFinding {
  return {
    what,
    ok: actual === expected,
    absent: actual === undefined,
    expected,
    actual: shown(actual),
  }
}

function shown(value: unknown): string {
  if (value === undefined) return 'absent'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function signature(idToken: string, header: Claims, jwks: unknown, alg: string): IdTokenFinding[] {
  const keys = keysFor(jwks, header.kid)
  const expected =
    header.kid === undefined ? 'a signing key in the JWKS' : `kid ${header.kid} in the JWKS`
  const key = {
    what: 'key' as const,
    ok: keys.length > 0,
    absent: false,
    expected,
    actual: keys.length > 0 ? expected : 'no such key',
  }
  const verified = keys.some((candidate) => verifies(idToken, candidate, alg))
  const word = verified ? 'verifies' : 'does not verify'
  return keys.length > 0 ? [key, finding('signature', word, 'verifies')] : [key]
}

/** Keys of a JWKS that may have signed; without a kid each of them may. */
function keysFor(jwks: unknown, kid: unknown): KeyObject[] {
  const { keys } = (typeof jwks === 'object' && jwks !== null ? jwks : {}) as { keys?: unknown }
  if (!Array.isArray(keys)) return []
  return keys
    .filter((jwk) => kid === undefined || jwk?.kid === kid)
    .filter((jwk) => jwk?.use === undefined || jwk.use === 'sig')
    .flatMap((jwk) => {
      try {
        return [createPublicKey({ key: jwk, format: 'jwk' })]
      } catch {
        return []
      }
    })
}

function verifies(jws: string, key: KeyObject, alg: string): boolean {
  const at = jws.lastIndexOf('.')
  const data = Buffer.from(jws.slice(0, at))
  const signature = Buffer.from(jws.slice(at + 1), 'base64url')
  const hash = `sha${alg.slice(2)}`
  const options: Record<string, object> = {
    PS: {
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    },
    RS: { padding: constants.RSA_PKCS1_PADDING },
    ES: { dsaEncoding: 'ieee-p1363' },
  }
  const chosen = options[alg.slice(0, 2)]
  if (!chosen) return false
  try {
    return verify(hash, data, { key, ...chosen }, signature)
  } catch {
    // A key of another type than the algorithm's.
    return false
  }
}

function identity(claims: Claims, { issuer, clientId }: IdTokenContext): IdTokenFinding[] {
  const found: IdTokenFinding[] = []
  if (issuer !== undefined) found.push(finding('iss', claims.iss, issuer))
  const { sub, azp } = claims
  const named = typeof sub === 'string' && sub !== ''
  found.push({ ...finding('sub', sub, 'a text'), ok: named, actual: named ? 'a text' : shown(sub) })
  if (clientId === undefined) return found
  const audiences = [claims.aud].flat()
  found.push({ ...finding('aud', claims.aud, clientId), ok: audiences.includes(clientId) })
  // "If an azp Claim is present, the Client SHOULD verify that its client_id is the Claim Value."
  if (azp !== undefined) found.push(finding('azp', azp, clientId))
  return found
}

function times(claims: Claims, context: IdTokenContext): IdTokenFinding[] {
  const now = context.now ?? Math.floor(Date.now() / 1000)
  const tolerance = context.clockTolerance ?? 60
  const { exp, iat } = claims
  const later = typeof exp === 'number' && exp > now - tolerance
  const earlier = typeof iat === 'number' && iat <= now + tolerance
  return [
    { ...finding('exp', exp, `after ${now}`), ok: later },
    { ...finding('iat', iat, `not after ${now}`), ok: earlier },
  ]
}

function bindings(claims: Claims, alg: string, context: IdTokenContext): IdTokenFinding[] {
  const { nonce, code, state, accessToken, intentId } = context
  const found: IdTokenFinding[] = []
  if (nonce !== undefined) found.push(finding('nonce', claims.nonce, nonce))
  if (code !== undefined) found.push(finding('c_hash', claims.c_hash, halfHash(code, alg)))
  if (state !== undefined) found.push(finding('s_hash', claims.s_hash, halfHash(state, alg)))
  if (accessToken !== undefined) {
    found.push(finding('at_hash', claims.at_hash, halfHash(accessToken, alg)))
  }
  if (intentId !== undefined) {
    const claim = context.intentClaim ?? 'openbanking_intent_id'
    found.push(finding('intent', claims[claim], intentId))
  }
  const known = typeof claims.acr === 'string' && claims.acr !== ''
  found.push({ ...finding('acr', claims.acr, 'a text'), ok: known })
  return found
}

/**
 * Left half of the hash of a text, base64url: c_hash, s_hash and at_hash. The hash is the one that
 * the algorithm's name ends in: SHA-256 of PS256.
 */
export function halfHash(text: string, alg: string): string {
  const bits = /(256|384|512)$/.exec(alg)?.[1] ?? '256'
  const digest = createHash(`sha${bits}`).update(text, 'utf8').digest()
  return digest.subarray(0, digest.length / 2).toString('base64url')
}
