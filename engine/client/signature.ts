import { compactVerify, importJWK, type JWK } from 'jose'
import { isObject } from '../record/json.ts'
import type { IdTokenSignature } from '../wire/exchange.ts'
import { headerOf } from '../wire/jwt-decode.ts'

/**
 * Verifies a compact JWS by the keys of a JWKS, as it was answered: those of its kid, or each where it
 * names none (RFC 7515 section 4.1.4, RFC 7517 section 4.2).
 *
 * @param alg the one algorithm that is allowed.
 */
export async function signatureOf(jws: string, jwks: unknown, alg = 'PS256') {
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
  const keys: unknown = isObject(jwks) && jwks.keys
  return (Array.isArray(keys) ? keys.filter(isObject) : [])
    .filter((jwk) => kid === undefined || jwk.kid === kid)
    .filter(({ use }) => use === undefined || use === 'sig')
    .map(({ kty, n, e, crv, x, y }) => ({ kty, n, e, crv, x, y }) as JWK)
}
