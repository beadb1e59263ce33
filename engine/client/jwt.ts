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

/** The single fault of a JWT. Members that are not set stay correct. */
export interface JwtDeviation {
  /** PS256 is correct; for RS256, ES256, EdDSA, HS256, none, … the JWT is really signed with that algorithm. */
  alg?: string
  /** Members of the header; an undefined value removes one. */
  header?: Record<string, unknown>
  /** Claims; an undefined value removes one. */
  claims?: Record<string, unknown>
  /**
   * Signs with the key of the target's other client, with an unknown key, or with an RSA key of 1024 bits; the header
   * still names the client's own kid.
   */
  key?: 'other-client' | 'unknown' | 'weak'
  /** The header carries the key that is used for signing. */
  embeds?: KeyParameter
  /** The claims carry it, as jwks. */
  claimed?: true
  /** The key of HS256, HS384 and HS512. Default: the public key in PEM. */
  secret?: Secret
  /** Changes the JSON text of header or claims before it is encoded and signed. */
  written?: { header?: Spelling; payload?: Spelling }
  /** Damages the signature, or changes the claims after signing. */
  tampered?: 'signature' | 'payload'
  /** Changes the finished JWT before it is sent. */
  sent?: (jwt: string) => string
  /** Sent instead of the whole JWT. */
  raw?: string
}

export type Spelling = (json: string) => string | Buffer

/** The public key, which everybody has, in one of its encodings; or a guessable secret. */
export type Secret = 'pem' | 'pem-trimmed' | 'pkcs1' | 'der' | 'jwk' | { text: string }

/** The key that signs a correct JWT of a client. */
export interface Signer {
  key: KeyObject
  kid: string
  /** Key of the target's other client; undefined when there is none. */
  otherKey?: KeyObject
}

/**
 * Builds a compact JWS (RFC 7515) with PS256 unless the deviation says otherwise.
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
  const { alg = 'PS256', embeds, claimed, written, tampered, sent } = deviation
  const key = keyFor(signer, deviation.key)
  const embedded = embeds && embeddedKey(embeds, rsa(key))
  const header = merged({ alg, typ: 'JWT', kid: signer.kid, ...embedded }, deviation.header)
  const jwks = claimed && { keys: [{ ...jwkOf(rsa(key)), kid: header.kid }] }
  const payload = merged({ ...claims, ...(jwks && { jwks }) }, deviation.claims)
  const first = encoded(header, written?.header)
  const second = encoded(payload, written?.payload)
  const signature = signatureOver(`${first}.${second}`, alg, key, deviation.secret)
  const third = tampered === 'signature' ? damaged(signature) : signature.toString('base64url')
  const middle = tampered === 'payload' ? encoded(changed(payload), written?.payload) : second
  const finished = `${first}.${middle}.${third}`
  return sent ? sent(finished) : finished
}

/** A finished JWT from elsewhere, damaged in the same way as `jwt` damages its own. */
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

/** Overrides members of a base; undefined removes one. */
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

/** Flips one bit in the middle: the last characters of base64url have unused bits. */
function damaged(signature: Buffer): string {
  const copy = Buffer.from(signature)
  const middle = copy.length >> 1
  copy[middle] = (copy[middle] ?? 0) ^ 1
  return copy.toString('base64url')
}

/** Valid claims with one change that the signature does not cover. */
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

/** A classic confusion: the public key, which everybody has, is used as a shared secret. */
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

/** An EC signing key can't make the RSA signatures that a deviation needs. */
function rsa(key: KeyObject): KeyObject {
  return key.asymmetricKeyType?.startsWith('rsa') ? key : madeUp('rsa')
}

const madeUpKeys = new Map<string, KeyObject>()

/** Keys that no client has, generated on first use and kept: generation is slow. */
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

/** A client that signs will soon need wrong signatures: the slowest keys are generated in the background, once. */
export function makeKeysMeanwhile(): void {
  if (making) return
  making = true
  for (const [kind, modulusLength] of BITS) {
    generateKeyPair('rsa', { modulusLength }, (error, _, key) => {
      if (!error && !madeUpKeys.has(kind)) madeUpKeys.set(kind, key)
    })
  }
}
