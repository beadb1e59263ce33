import { compactVerify, importJWK, type JWK } from 'jose'
import { isObject } from '../record/json.ts'
import type { IdTokenSignature } from '../wire/exchange.ts'
import { headerOf } from '../wire/jwt-decode.ts'

/** The only allowed algorithm. */
const ALG = 'PS256'

/**
 * Verifies a compact JWS with the keys of a JWKS, as the bank served it: those with its kid, or all where it names none
 * (RFC 7515 section 4.1.4, RFC 7517 section 4.2).
 */
export async function signatureOf(jws: string, jwks: unknown) {
  let said: IdTokenSignature = 'no such key'
  for (const jwk of keysFor(jwks, headerOf(jws)?.kid)) {
    const key = await imported(jwk)
    if (!key) continue
    const good = compactVerify(jws, key, { algorithms: [ALG] }).then(
      () => true,
      () => false,
    )
    if (await good) return 'verifies'
    said = 'does not verify'
  }
  return said
}

/** Keys of a JWKS that may have signed: if none has the kid, those without a kid, as RFC 7517 4.5 allows. */
function keysFor(jwks: unknown, kid: unknown) {
  const keys: unknown = isObject(jwks) && jwks.keys
  const signing = (Array.isArray(keys) ? keys.filter(isObject) : []).filter(
    ({ use }) => use === undefined || use === 'sig',
  )
  if (kid === undefined) return signing
  const named = signing.filter((jwk) => jwk.kid === kid)
  return named.length > 0 ? named : signing.filter((jwk) => jwk.kid === undefined)
}

const keys = new WeakMap<object, Promise<Awaited<ReturnType<typeof importJWK>> | undefined>>()

/** A bank signs many times with one key, so each key is imported once; undefined if it is not a key. */
function imported(jwk: Record<string, unknown>) {
  const { kty, n, e, crv, x, y } = jwk
  const known =
    keys.get(jwk) ?? importJWK({ kty, n, e, crv, x, y } as JWK, ALG).catch(() => undefined)
  keys.set(jwk, known)
  return known
}
