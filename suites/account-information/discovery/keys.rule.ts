import { createHash, X509Certificate } from 'node:crypto'
import { brief, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'

/** How the bank's keys are encoded. Requirements: specs/account-information/discovery.yaml */

/**
 * RFC 7517 4.5 and 4.7, RFC 7518 2 and 6.3.1. Every JWK Set. Fails: a modulus or exponent has another encoding or an extra
 * leading octet; two different keys of one type and use share a kid; x5c is of another key. A key may be listed once per algorithm.
 */
rule(
  'DISC-17/well-formed',
  'Each RSA key of the JWK Set is written as RFC 7518 says, and has a kid of its own',
  { endpoints: ['jwks'] },
  (exchange) => {
    if (exchange.endpoint !== 'jwks' || !succeeded(exchange)) return undefined
    const keys = member(exchange.response?.json, 'keys')
    if (!Array.isArray(keys)) return undefined
    return [...keys.flatMap(integers), ...sharedKids(keys), ...keys.flatMap(otherCertificate)]
  },
)

function sharedKids(keys: unknown[]): Finding[] {
  const isAnother = (one: unknown, other: unknown) =>
    ['kid', 'kty', 'use'].every((name) => member(one, name) === member(other, name)) &&
    ['n', 'x'].some((name) => member(one, name) !== member(other, name))
  const named = keys.filter((key) => member(key, 'kid') !== undefined)
  const twice = named.find((key, at) => named.slice(0, at).some((before) => isAnother(before, key)))
  if (twice === undefined) return []
  const message = `two keys have the kid ${brief(member(twice, 'kid'))}`
  return [{ message, expected: 'a kid of its own', actual: 'one kid', place: '/keys' }]
}

/** RFC 7517 4.7: the first certificate of x5c is in base64, and has the public key of the JWK. */
function otherCertificate(key: unknown, at: number): Finding[] {
  const chain = member(key, 'x5c')
  if (member(key, 'kty') !== 'RSA' || !Array.isArray(chain) || chain.length === 0) return []
  const place = `/keys/${at}/x5c`
  const [first] = chain
  const modulus = modulusOf(first)
  if (modulus === member(key, 'n')) return []
  const message = modulus === undefined ? 'x5c holds no certificate' : 'x5c is of another key'
  return [{ message, expected: 'a certificate of this key', actual: brief(first), place }]
}

/** The modulus of the key of a certificate in base64; undefined where it is none. */
function modulusOf(certificate: unknown): string | undefined {
  try {
    return certificateOf(certificate)?.publicKey.export({ format: 'jwk' }).n
  } catch {
    return undefined
  }
}

/** Undefined where the text is not a certificate in base64. */
function certificateOf(text: unknown): X509Certificate | undefined {
  if (typeof text !== 'string' || !/^[\w+/=\s]+$/.test(text)) return undefined
  try {
    return new X509Certificate(Buffer.from(text, 'base64'))
  } catch {
    return undefined
  }
}

/** The thumbprints of a certificate, and the octets of their hashes. */
const THUMBPRINTS = [
  ['x5t', 'sha1', 20],
  ['x5t#S256', 'sha256', 32],
] as const

/**
 * RFC 7517 4.8 and 4.9. Every thumbprint of a key. Fails: it is not the hash of the first certificate of x5c or,
 * where the certificate is not there, is none by its length.
 */
rule(
  'DISC-17/thumbprints',
  'The thumbprint of a key is that of its certificate',
  { endpoints: ['jwks'], unseen: 'no JWK Set was served' },
  (exchange) => {
    if (exchange.endpoint !== 'jwks' || !succeeded(exchange)) return undefined
    const keys = member(exchange.response?.json, 'keys')
    if (!Array.isArray(keys)) return undefined
    return keys.flatMap(thumbprints)
  },
)

/** Findings about the thumbprints of one key. */
function thumbprints(key: unknown, at: number): Finding[] {
  const chain = member(key, 'x5c')
  const certificate = certificateOf(Array.isArray(chain) && chain[0])
  return THUMBPRINTS.flatMap(([name, hash, octets]) => {
    const said = member(key, name)
    if (said === undefined) return []
    const wanted = certificate && createHash(hash).update(certificate.raw).digest('base64url')
    if (wanted === undefined ? isHash(said, octets) : said === wanted) return []
    const message = `${name} is not the hash of a certificate`
    const expected = wanted ?? `${octets} octets in base64url`
    return [{ message, expected, actual: brief(said), place: `/keys/${at}/${name}` }]
  })
}

function isHash(text: unknown, octets: number): boolean {
  if (typeof text !== 'string' || !/^[\w-]+$/.test(text)) return false
  return Buffer.from(text, 'base64url').length === octets
}

/** Findings about the numbers of one key. */
function integers(key: unknown, at: number): Finding[] {
  if (member(key, 'kty') !== 'RSA') return []
  return ['n', 'e'].flatMap((name) => {
    const text = member(key, name)
    if (typeof text !== 'string') return []
    const place = `/keys/${at}/${name}`
    const wrong = (message: string, expected: string) => [
      { message: `${name} ${message}`, expected, actual: brief(text), place },
    ]
    if (!/^[\w-]+$/.test(text)) return wrong('is not base64url', 'base64url without padding')
    if (Buffer.from(text, 'base64url')[0] !== 0) return []
    return wrong('begins with an octet of zeros', 'as few octets as the number has')
  })
}
