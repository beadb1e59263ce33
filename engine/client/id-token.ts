import { createHash } from 'node:crypto'
import { compactVerify, importJWK, type JWK } from 'jose'
import type { IdTokenSignature } from '../wire/exchange.ts'
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
  /** What `signatureOf` said. */
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
  /** Seconds since the epoch. Default: now. */
  now?: number
}

/**
 * Compares an ID token with what it must be: OpenID Connect Core sections 3.1.3.7 and 3.3.2.11,
 * s_hash of FAPI 1.0 Advanced section 5.1.1. Pure; every finding is listed, also the good ones, in
 * the order form, signature, claims.
 */
export function compareIdToken(idToken: string, context: IdTokenContext): IdTokenFinding[] {
  const header = headerOf(idToken)
  const claims = claimsOf(idToken)
  const form = finding(
    'form',
    header && claims ? 'a compact JWS' : 'no compact JWS',
    'a compact JWS',
  )
  if (!header || !claims) return [form]
  const { signature } = context
  return [
    form,
    finding('alg', header.alg, context.alg ?? 'PS256'),
    ...(signature === undefined ? [] : signed(signature, header)),
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

/** Whether a key was found, and whether it verifies: of what `signatureOf` said. */
function signed(said: IdTokenSignature, { kid }: Claims): IdTokenFinding[] {
  const expected = kid === undefined ? 'a signing key in the JWKS' : `kid ${kid} in the JWKS`
  const key = finding('key', said === 'no such key' ? said : expected, expected)
  return key.ok ? [key, finding('signature', said, 'verifies')] : [key]
}

/**
 * Verifies a compact JWS by the keys of a JWKS, as it was answered: those of its kid, or each where it
 * names none (RFC 7515 section 4.1.4, RFC 7517 section 4.2).
 *
 * @param alg the one algorithm that is allowed.
 */
export async function signatureOf(
  jws: string,
  jwks: unknown,
  alg = 'PS256',
): Promise<IdTokenSignature> {
  let said: IdTokenSignature = 'no such key'
  for (const jwk of keysFor(jwks, headerOf(jws)?.kid)) {
    const key = await importJWK(jwk, alg).catch(() => undefined)
    if (!key) continue
    const good = compactVerify(jws, key, { algorithms: [alg] }).then(
      () => true,
      () => false,
    )
    if (await good) return 'verifies'
    said = 'does not verify'
  }
  return said
}

/** Keys of a JWKS that may have signed. */
function keysFor(jwks: unknown, kid: unknown): JWK[] {
  const { keys } = (typeof jwks === 'object' && jwks !== null ? jwks : {}) as { keys?: unknown }
  if (!Array.isArray(keys)) return []
  return keys
    .filter((jwk) => kid === undefined || jwk?.kid === kid)
    .filter((jwk) => jwk?.use === undefined || jwk.use === 'sig')
    .filter((jwk) => typeof jwk === 'object' && jwk !== null)
    .map(({ kty, n, e, crv, x, y }) => ({ kty, n, e, crv, x, y }))
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
