import { constants, createPrivateKey, type KeyObject, sign } from 'node:crypto'

/**
 * The same key without the object identifier that binds it to RSASSA-PSS (RFC 8017 A.2.3): with it, Node exports no JWK
 * and signs no RS256, which wrong JWTs need.
 */
export function plainRsa(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'rsa-pss') return key
  // PKCS#8 (RFC 5958 2): version, algorithm, and an octet string that is the key as PKCS#1.
  const [info] = elementsOf(key.export({ type: 'pkcs8', format: 'der' }))
  const [, , pkcs1] = info ? elementsOf(info) : []
  return pkcs1 ? createPrivateKey({ key: pkcs1, type: 'pkcs1', format: 'der' }) : key
}

/** True if an RSA key may sign PS256: RSASSA-PSS may bind it to another hash, or to a longer salt. */
export function signsPs256(key: KeyObject): boolean {
  const padding = constants.RSA_PKCS1_PSS_PADDING
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST
  try {
    sign('sha256', Buffer.of(0), { key, padding, saltLength })
    return true
  } catch {
    return false
  }
}

/** The contents of DER elements that follow each other (X.690 8.1). */
function elementsOf(der: Buffer): Buffer[] {
  const contents: Buffer[] = []
  for (let at = 0; at + 1 < der.length; ) {
    const first = der.readUInt8(at + 1)
    const more = first < 0x80 ? 0 : first - 0x80
    const start = at + 2 + more
    const length = more === 0 ? first : der.readUIntBE(at + 2, more)
    contents.push(der.subarray(start, start + length))
    at = start + length
  }
  return contents
}
