import { createPublicKey, type KeyObject, sign } from 'node:crypto'

/** Header parameters of RFC 7515 4.1 with which a JWS can carry the key that verifies it. */
export type KeyParameter = 'jwk' | 'jku' | 'x5c' | 'x5u'

/**
 * The header parameter with the public half of a key. Addresses are data: URLs, so that following them sends nothing to
 * anybody.
 */
export function embeddedKey(parameter: KeyParameter, key: KeyObject): Record<string, unknown> {
  switch (parameter) {
    case 'jwk':
      return { jwk: jwkOf(key) }
    case 'jku':
      return { jku: dataUrl('application/json', JSON.stringify({ keys: [jwkOf(key)] })) }
    case 'x5c':
      return { x5c: [selfSigned(key).toString('base64')] }
    case 'x5u':
      return { x5u: dataUrl('application/x-pem-file', pem(selfSigned(key))) }
  }
}

/** The public half as a JSON Web Key. */
export function jwkOf(key: KeyObject): Record<string, unknown> {
  return { ...createPublicKey(key).export({ format: 'jwk' }), use: 'sig' }
}

function dataUrl(type: string, text: string): string {
  return `data:${type};base64,${Buffer.from(text).toString('base64')}`
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

/** DER tags (X.690) that a certificate needs. */
const TAG = {
  integer: 2,
  bits: 3,
  oid: 6,
  utf8: 12,
  utcTime: 23,
  sequence: 48,
  set: 49,
  version: 160,
}

/** SHA-256 with RSA encryption, 1.2.840.113549.1.1.11, and NULL. */
const RSA_SHA256 = Buffer.from('300d06092a864886f70d01010b0500', 'hex')
/** Common name, 2.5.4.3. */
const COMMON_NAME = Buffer.from('550403', 'hex')

/** A self-signed X.509 certificate for an RSA key, valid for a century. */
function selfSigned(key: KeyObject): Buffer {
  const cn = sequence(der(TAG.oid, COMMON_NAME), der(TAG.utf8, Buffer.from('unknown')))
  const name = sequence(der(TAG.set, cn))
  const content = sequence(
    der(TAG.version, der(TAG.integer, Buffer.of(2))),
    der(TAG.integer, Buffer.of(1)),
    RSA_SHA256,
    name,
    sequence(time('500101000000Z'), time('491231235959Z')),
    name,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
  )
  const signature = sign('sha256', content, key)
  return sequence(content, RSA_SHA256, der(TAG.bits, Buffer.concat([Buffer.of(0), signature])))
}

const time = (text: string) => der(TAG.utcTime, Buffer.from(text))

const sequence = (...parts: Buffer[]) => der(TAG.sequence, Buffer.concat(parts))

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size =
    length < 128 ? [length] : length < 256 ? [129, length] : [130, length >> 8, length & 255]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}
