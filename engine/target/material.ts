import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { ClientDocument } from './target.ts'

/**
 * Reads a signing key: PEM (PKCS#8, PKCS#1, encrypted or not) or the JSON of a private JWK.
 *
 * @throws Error of node:crypto, which names neither the key nor the passphrase.
 */
export function signingKey(signing: ClientDocument['signing']): KeyObject {
  if (signing.key.trimStart().startsWith('{')) {
    return createPrivateKey({ key: JSON.parse(signing.key), format: 'jwk' })
  }
  return createPrivateKey({ key: signing.key, passphrase: signing.passphrase })
}
