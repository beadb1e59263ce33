import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'
import { now } from '../record/clock.ts'
import { claimsOf } from '../wire/jwt-decode.ts'
import { embeddedKey, jwkOf, type KeyParameter } from './embedded-key.ts'

/** The one thing that is wrong with a JWT. Whatever is not named stays as it should be. */
export interface JwtDeviation {
  /** PS256 is right; RS256, ES256, EdDSA, HS256, none, … are really signed with that algorithm. */
  alg?: string
  /** Members of the header; an undefined value removes one. */
  header?: Record<string, unknown>
  /** Claims; an undefined value removes one. */
  claims?: Record<string, unknown>
  /**
   * Signs with the key of the target's other client, with one that nobody knows, or with an RSA key
   * of 1024 bits; the header still names the client's own kid.
   */
  key?: 'other-client' | 'unknown' | 'weak'
  /** The header brings the key that really signs. */
  embeds?: KeyParameter
  /** What HS256, HS384 and HS512 are keyed with. Default: the public key in PEM. */
  secret?: Secret
  /** The JSON of header or claims, written otherwise before it is encoded and signed. */
  written?: { header?: Spelling; payload?: Spelling }
  /** Damages the signature, or changes the claims after signing. */
  tampered?: 'signature' | 'payload'
  /** The finished JWT, sent otherwise. */
  sent?: (jwt: string) => string
  /** Sent instead of the whole JWT. */
  raw?: string
}

export type Spelling = (json: string) => string | Buffer

/** The public key, which everybody has, in one of its encodings; or a secret that can be guessed. */
export type Secret = 'pem' | 'pem-trimmed' | 'pkcs1' | 'der' | 'jwk' | { text: string }

/** What a correct JWT of a client is signed with. */
export interface Signer {
  key: KeyObject
  kid: string
  /** Key of the target's other client; undefined when there is none. */
  otherKey?: KeyObject
}

/**
 * Builds a compact JWS (RFC 7515), PS256 unless the deviation says otherwise.
 *
 * @throws TypeError when the deviation needs another client and the target has none.
 */
export function jwt(
  claims: Record<string, unknown>,
  signer: Signer,
  deviation: JwtDeviation = {},
): string {
  makeKeysMeanwhile()
  if (deviation.raw !== undefined) return deviation.raw
  const { alg = 'PS256', embeds, written, tampered, sent } = deviation
  const key = keyFor(signer, deviation.key)
  const embedded = embeds && embeddedKey(embeds, rsa(key))
  const header = merged({ alg, typ: 'JWT', kid: signer.kid, ...embedded }, deviation.header)
  const payload = merged(claims, deviation.claims)
  const first = encoded(header, written?.header)
  const second = encoded(payload, written?.payload)
  const signature = signatureOver(`${first}.${second}`, alg, key, deviation.secret)
  const third = tampered === 'signature' ? damaged(signature) : signature.toString('base64url')
  const middle = tampered === 'payload' ? encoded(changed(payload), written?.payload) : second
  const finished = `${first}.${middle}.${third}`
  return sent ? sent(finished) : finished
}

/** A finished JWT of somebody else, damaged as `jwt` damages one that it makes. */
export function tamperedWith(
  finished: string,
  part: NonNullable<JwtDeviation['tampered']>,
): string {
  const [header = '', payload = '', signature = ''] = finished.split('.')
  if (part === 'payload') {
    return `${header}.${encoded(changed(claimsOf(finished) ?? {}))}.${signature}`
  }
  return `${header}.${payload}.${damaged(Buffer.from(signature, 'base64url'))}`
}

/** Members over those of a base; undefined removes one. */
export function merged(
  base: Record<string, unknown>,
  over: Record<string, unknown> = {},
): Record<string, unknown> {
  const all = { ...base, ...over }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

function encoded(value: unknown, spelling: Spelling = (json) => json): string {
  const octets = spelling(JSON.stringify(value))
  return (typeof octets === 'string' ? Buffer.from(octets) : octets).toString('base64url')
}

/** One bit in the middle: the last characters of base64url have bits that nobody reads. */
function damaged(signature: Buffer): string {
  const copy = Buffer.from(signature)
  const middle = copy.length >> 1
  copy[middle] = (copy[middle] ?? 0) ^ 1
  return copy.toString('base64url')
}

/** The claims as they would be without harm, but for one that the signature no longer covers. */
function changed(payload: Record<string, unknown>): Record<string, unknown> {
  const { exp } = payload
  return { ...payload, exp: typeof exp === 'number' ? exp + 1 : Math.floor(now() / 1000) + 60 }
}

function keyFor(signer: Signer, key: JwtDeviation['key']): KeyObject {
  if (key === undefined) return signer.key
  if (key === 'unknown') return madeUp('rsa')
  if (key === 'weak') return madeUp('weak')
  if (!signer.otherKey) throw new TypeError('the target has no second client to sign with')
  return signer.otherKey
}

function signatureOver(input: string, alg: string, key: KeyObject, secret?: Secret): Buffer {
  if (alg.toLowerCase() === 'none') return Buffer.alloc(0)
  const data = Buffer.from(input)
  const hash = `sha${alg.slice(2)}`
  const family = alg.slice(0, 2)
  if (family === 'PS') {
    const padding = constants.RSA_PKCS1_PSS_PADDING
    const saltLength = constants.RSA_PSS_SALTLEN_DIGEST
    return sign(hash, data, { key: rsa(key), padding, saltLength })
  }
  if (family === 'RS') {
    return sign(hash, data, { key: rsa(key), padding: constants.RSA_PKCS1_PADDING })
  }
  if (family === 'ES') {
    const curve = alg === 'ES512' ? 'P-521' : alg === 'ES384' ? 'P-384' : 'P-256'
    return sign(hash, data, { key: madeUp(curve), dsaEncoding: 'ieee-p1363' })
  }
  if (family === 'HS') {
    return createHmac(hash, secretOf(key, secret)).update(data).digest()
  }
  if (alg === 'EdDSA' || alg === 'Ed25519') return sign(null, data, madeUp('ed25519'))
  throw new TypeError(`no key for alg ${alg}`)
}

/** The oldest confusion: the public key, which everybody has, taken for a shared secret. */
function secretOf(key: KeyObject, secret: Secret = 'pem'): string | Buffer {
  if (typeof secret === 'object') return secret.text
  const publicKey = createPublicKey(key)
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  switch (secret) {
    case 'pem':
      return pem
    case 'pem-trimmed':
      return pem.trim()
    case 'pkcs1':
      return createPublicKey(rsa(key)).export({ type: 'pkcs1', format: 'pem' }).toString()
    case 'der':
      return publicKey.export({ type: 'spki', format: 'der' })
    case 'jwk':
      return JSON.stringify(jwkOf(key))
  }
}

/** An EC signing key can't make the RSA signatures that a deviation asks for. */
function rsa(key: KeyObject): KeyObject {
  return key.asymmetricKeyType?.startsWith('rsa') ? key : madeUp('rsa')
}

const madeUpKeys = new Map<string, KeyObject>()

/** Keys that no client has, made when first asked for and kept: making one is slow. */
function madeUp(kind: 'rsa' | 'weak' | 'P-256' | 'P-384' | 'P-521' | 'ed25519'): KeyObject {
  const known = madeUpKeys.get(kind)
  if (known) return known
  const modulusLength = BITS.get(kind)
  const { privateKey } =
    modulusLength !== undefined
      ? generateKeyPairSync('rsa', { modulusLength })
      : kind === 'ed25519'
        ? generateKeyPairSync(kind)
        : generateKeyPairSync('ec', { namedCurve: kind })
  madeUpKeys.set(kind, privateKey)
  return privateKey
}

const BITS = new Map([
  ['rsa', 2048],
  ['weak', 1024],
])

let making = false

/** Whoever signs will soon sign wrongly: the slowest keys are made beside this thread, once. */
export function makeKeysMeanwhile(): void {
  if (making) return
  making = true
  for (const [kind, modulusLength] of BITS) {
    generateKeyPair('rsa', { modulusLength }, (error, _, key) => {
      if (!error && !madeUpKeys.has(kind)) madeUpKeys.set(kind, key)
    })
  }
}
