import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { now } from '../record/clock.ts'
import {
  damaged,
  insteadOfAuthorities,
  insteadOfCertificate,
  insteadOfJwk,
  insteadOfKey,
  insteadOfPkcs12,
} from './mistaken-files.ts'
import { plainRsa, signsPs256 } from './plain-rsa.ts'
import type { ClientDocument, TransportDocument } from './target.ts'

/** A fault of one member, and how to fix it. `member` is below the object that was read. */
export interface Finding {
  member?: string
  text: string
}

type Signing = Omit<ClientDocument['signing'], 'kid'>

const isJwk = ({ key }: Signing) => key.trimStart().startsWith('{')

/**
 * Loads a signing key: PEM (PKCS#8, PKCS#1, encrypted or not) or the JSON of a private JWK. A key that its PEM binds to
 * RSASSA-PSS is plain RSA here.
 *
 * @throws Error of node:crypto, which contains neither the key nor the passphrase.
 */
export function signingKey(signing: Signing): KeyObject {
  return isJwk(signing)
    ? createPrivateKey({ key: JSON.parse(signing.key), format: 'jwk' })
    : plainRsa(privateKey(signing))
}

/** The key as PEM without its passphrase; it throws as signingKey does. */
export function plainPem(signing: Signing): string {
  return signingKey(signing).export({ type: 'pkcs8', format: 'pem' }) as string
}

/** Loaded keys by their text and passphrase: loading one takes longer than signing with it. */
const privateKeys = new Map<string, KeyObject>()

function privateKey({ key, passphrase }: Signing): KeyObject {
  const name = JSON.stringify([key, passphrase])
  const known = privateKeys.get(name)
  if (known) return known
  const read = createPrivateKey({ key, ...(passphrase !== undefined && { passphrase }) })
  privateKeys.set(name, read)
  return read
}

/** The options of node:tls for a transport. */
export function offered({ certificate, key, pkcs12, passphrase }: TransportDocument) {
  return {
    ...(certificate && { cert: certificate }),
    ...(key && { key }),
    ...(pkcs12 && { pfx: Buffer.from(pkcs12, 'base64') }),
    ...(passphrase && { passphrase }),
  }
}

/**
 * Certificates of a PEM file, in order.
 *
 * @throws Error of node:crypto for a damaged one.
 */
export function certificatesIn(pem = ''): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  return blocks.map((block) => new X509Certificate(block))
}

/** Faults of a transport certificate and its key; empty when it can be offered. */
export function transportFindings(transport: TransportDocument): Finding[] {
  const { certificate, key, pkcs12, passphrase } = transport
  if (pkcs12 !== undefined) {
    if (certificate === undefined && key === undefined) return pkcs12Finding(pkcs12, passphrase)
    return [{ text: 'has both pkcs12 and certificate or key. Keep one of them.' }]
  }
  if (certificate === undefined || key === undefined) {
    if (certificate) return [{ text: 'has a certificate without key. Add key.' }]
    if (key) return [{ text: 'has a key without certificate. Add certificate.' }]
    return [{ text: 'names no certificate. Add certificate and key, or pkcs12.' }]
  }
  const leaf = certificateIn(certificate)
  const opened = openedKey({ key, passphrase })
  if ('text' in leaf || 'text' in opened) return [leaf, opened].filter((read) => 'text' in read)
  if (leaf.checkPrivateKey(opened)) return offerFinding(transport)
  const own = placeOfKey(opened, certificate)
  if (own > 0) {
    const text = `begins with the certificate of an authority. Put certificate ${own + 1} first: it belongs to the key.`
    return [{ member: 'certificate', text }]
  }
  const text = 'does not match the certificate. Name the key it was issued for.'
  return [{ member: 'key', text }]
}

/** What OpenSSL does not offer in a handshake though certificate and key belong together. */
function offerFinding(transport: TransportDocument): Finding[] {
  try {
    createSecureContext(offered(transport))
    return []
  } catch (error) {
    const text =
      tooWeak(error) ??
      'has a damaged certificate after the first. Name the file as it came: file:name.pem.'
    return [{ member: 'certificate', text }]
  }
}

function tooWeak(error: unknown): string | undefined {
  const { message } = error as Error
  if (!/too (?:small|weak)/.test(message)) return undefined
  const why = message.split(':').at(-1)
  return `is too weak for TLS (${why}). Name one with an RSA key of 2048 bits or more, signed with SHA-256.`
}

/** Position of the certificate of a PEM file that belongs to a key; -1: none does. */
function placeOfKey(key: KeyObject, pem: string): number {
  try {
    return certificatesIn(pem).findIndex((each) => each.checkPrivateKey(key))
  } catch {
    return -1
  }
}

function certificateIn(pem: string): X509Certificate | Finding {
  const member = 'certificate'
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) {
    return { member, text: insteadOfCertificate(pem) }
  }
  try {
    return new X509Certificate(pem)
  } catch {
    return { member, text: damaged(pem) }
  }
}

function openedKey(signing: Signing): KeyObject | Finding {
  try {
    return privateKey(signing)
  } catch (error) {
    return keyFinding(signing, error)
  }
}

const NOT_OPENED = /BAD_DECRYPT|BAD_PASSWORD|WRONG_TAG|CANCELLED/

/**
 * True if the key is intact and the passphrase does not open it. About one wrong passphrase in several hundred gives
 * bytes that are not a key, as a damaged file does; other wrong passphrases then still report an error.
 */
function isLocked({ key, passphrase }: Signing): boolean {
  return ['', '?', '!'].some((more) => {
    try {
      createPrivateKey({ key, passphrase: `${passphrase}${more}` })
      return false
    } catch (error) {
      return NOT_OPENED.test((error as NodeJS.ErrnoException).code ?? '')
    }
  })
}

function keyFinding(signing: Signing, error: unknown): Finding {
  const { key, passphrase } = signing
  const member = 'key'
  const encrypted = key.includes('ENCRYPTED')
  if (encrypted && passphrase === undefined) {
    return { member, text: 'is encrypted and there is no passphrase. Add passphrase.' }
  }
  if (encrypted && isLocked(signing)) {
    return { member: 'passphrase', text: 'does not open the key. Correct it.' }
  }
  // Bytes that are no key are ERR_OSSL_UNSUPPORTED.
  if (encrypted && (error as NodeJS.ErrnoException).code === 'ERR_OSSL_EVP_UNSUPPORTED') {
    return { member, text: `uses a cipher that OpenSSL 3 calls legacy. ${REENCRYPT}` }
  }
  return { member, text: insteadOfKey(key) }
}

const REENCRYPT =
  'Convert it: openssl pkey -provider legacy -provider default -in FILE -aes256 -out NEW.'

const REEXPORT =
  'Export it again: openssl pkcs12 -legacy -in OLD -nodes -out ALL.pem, ' +
  'then openssl pkcs12 -export -in ALL.pem -out NEW, and delete ALL.pem.'

function pkcs12Finding(pkcs12: string, passphrase: string | undefined): Finding[] {
  try {
    createSecureContext(offered({ pkcs12, passphrase }))
    return []
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const locked = /mac verify/.test(message)
    if (locked && passphrase !== undefined) {
      return [{ member: 'passphrase', text: 'does not open the PKCS#12 file. Correct it.' }]
    }
    let text = insteadOfPkcs12(pkcs12)
    const weak = tooWeak(error)
    if (weak !== undefined) text = weak
    else if (code === 'ERR_CRYPTO_UNSUPPORTED_OPERATION') {
      text = `uses ciphers that OpenSSL 3 calls legacy. ${REEXPORT}`
    } else if (locked) text = 'is encrypted and there is no passphrase. Add passphrase.'
    else if (/private key/.test(message)) {
      text = 'holds no private key. Export it together with its key.'
    }
    return [{ member: 'pkcs12', text }]
  }
}

/** Faults of a signing key: PS256 is used for all that a client signs. */
export function signingFinding(signing: Signing): Finding[] {
  const member = 'key'
  let key: KeyObject
  try {
    key = signingKey(signing)
  } catch (error) {
    if (!isJwk(signing)) return [keyFinding(signing, error)]
    return [{ member, text: insteadOfJwk(signing.key) }]
  }
  if (key.asymmetricKeyType !== 'rsa') {
    const text = `is of type ${key.asymmetricKeyType}. PS256 is used: name an RSA key.`
    return [{ member, text }]
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits < 2048) {
    return [{ member, text: `has ${bits} bits. PS256 needs 2048: name a longer RSA key.` }]
  }
  if (isJwk(signing) || signsPs256(privateKey(signing))) return []
  const text = 'is bound to another hash or salt. PS256 needs SHA-256: name another RSA key.'
  return [{ member, text }]
}

/** The fault of a trust anchor, which is PEM of one or more certificates. */
export function trustFinding(pem: string): string | undefined {
  try {
    if (certificatesIn(pem).length > 0) return undefined
    return insteadOfAuthorities(pem)
  } catch {
    return damaged(pem)
  }
}

/** True if the first PEM certificate of a transport has expired; undefined: unknown. */
export function hasExpired({ certificate }: TransportDocument): boolean | undefined {
  return certificate ? Date.parse(new X509Certificate(certificate).validTo) < now() : undefined
}

/**
 * Did an authority that signed one of these certificates sign the given one as well? Only where its own certificate is
 * there, behind that of a client.
 */
export function areOfOneAuthority(
  { certificate }: TransportDocument,
  transports: readonly TransportDocument[],
): boolean {
  try {
    const [leaf] = certificatesIn(certificate)
    const authorities = transports.flatMap(({ certificate: pem }) => {
      const [own, ...others] = certificatesIn(pem)
      return others.filter((each) => own?.verify(each.publicKey) === true)
    })
    return leaf !== undefined && authorities.some((each) => leaf.verify(each.publicKey))
  } catch {
    // What cannot be read is a finding of its own.
    return false
  }
}
