import {
  constants,
  createHmac,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto'

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
  /** Damages the signature, or changes the claims after signing. */
  tampered?: 'signature' | 'payload'
  /** Sent instead of the whole JWT. */
  raw?: string
}

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
  const alg = deviation.alg ?? 'PS256'
  const header = merged({ alg, typ: 'JWT', kid: signer.kid }, deviation.header)
  const payload = merged(claims, deviation.claims)
  const input = `${encoded(header)}.${encoded(payload)}`
  const signature = signatureOver(input, alg, keyFor(signer, deviation.key))
  if (deviation.tampered === 'signature') return `${input}.${damaged(signature)}`
  if (deviation.tampered === 'payload') {
    return `${encoded(header)}.${encoded(changed(payload))}.${signature.toString('base64url')}`
  }
  return `${input}.${signature.toString('base64url')}`
}

/** Members over those of a base; undefined removes one. */
export function merged(
  base: Record<string, unknown>,
  over: Record<string, unknown> = {},
): Record<string, unknown> {
  const all = { ...base, ...over }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
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
  return { ...payload, exp: typeof exp === 'number' ? exp + 1 : Math.floor(Date.now() / 1000) + 60 }
}

function keyFor(signer: Signer, key: JwtDeviation['key']): KeyObject {
  if (key === undefined) return signer.key
  if (key === 'unknown') return madeUp('rsa')
  if (key === 'weak') return madeUp('weak')
  if (!signer.otherKey) throw new TypeError('the target has no second client to sign with')
  return signer.otherKey
}

function signatureOver(input: string, alg: string, key: KeyObject): Buffer {
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
    // The oldest confusion: the public key, which everybody has, taken for a shared secret.
    const secret = createPublicKey(key).export({ type: 'spki', format: 'pem' })
    return createHmac(hash, secret).update(data).digest()
  }
  if (alg === 'EdDSA' || alg === 'Ed25519') return sign(null, data, madeUp('ed25519'))
  throw new TypeError(`no key for alg ${alg}`)
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
