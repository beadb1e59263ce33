import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { ClientDocument, TransportDocument } from './target.ts'

/** What is wrong with one member, and how to mend it. `member` is below the object that was read. */
export interface Finding {
  member?: string
  text: string
}

/**
 * Reads a signing key: PEM (PKCS#8, PKCS#1, encrypted or not) or the JSON of a private JWK.
 *
 * @throws Error of node:crypto, which names neither the key nor the passphrase.
 */
export function signingKey(signing: ClientDocument['signing']): KeyObject {
  if (signing.key.trimStart().startsWith('{')) {
    return createPrivateKey({ key: JSON.parse(signing.key), format: 'jwk' })
  }
  return privateKey(signing.key, signing.passphrase)
}

function privateKey(pem: string, passphrase: string | undefined): KeyObject {
  return createPrivateKey({ key: pem, ...(passphrase !== undefined && { passphrase }) })
}

const WHOLE = 'Name the file as it came: file:name.pem.'

/** What is wrong with a transport certificate and its key; nothing when it can be offered. */
export function transportFindings(transport: TransportDocument): Finding[] {
  const { certificate, key, pkcs12, passphrase } = transport
  if (pkcs12 !== undefined) {
    if (certificate !== undefined || key !== undefined) {
      return [{ text: 'has both pkcs12 and certificate or key. Keep one of them.' }]
    }
    return pkcs12Findings(pkcs12, passphrase)
  }
  if (certificate === undefined && key === undefined) {
    return [{ text: 'names no certificate. Add certificate and key, or pkcs12.' }]
  }
  if (certificate === undefined)
    return [{ text: 'has a key without certificate. Add certificate.' }]
  if (key === undefined) return [{ text: 'has a certificate without key. Add key.' }]
  const leaf = certificateIn(certificate)
  const opened = openedKey(key, passphrase)
  const findings = [leaf, opened].flatMap((read) => ('finding' in read ? [read.finding] : []))
  if ('finding' in leaf || 'finding' in opened) return findings
  if (!leaf.read.checkPrivateKey(opened.read)) {
    return [
      { member: 'key', text: 'does not match the certificate. Name the key it was issued for.' },
    ]
  }
  return []
}

type Read<T> = { read: T } | { finding: Finding }

function certificateIn(pem: string): Read<X509Certificate> {
  const member = 'certificate'
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) {
    const text = pem.includes('PRIVATE KEY-----')
      ? 'is a private key. Name the certificate here and the key under key.'
      : 'is not PEM. Convert it: openssl x509 -inform der -in FILE -out FILE.pem.'
    return { finding: { member, text } }
  }
  try {
    return { read: new X509Certificate(pem) }
  } catch {
    return { finding: { member, text: `is damaged PEM. ${WHOLE}` } }
  }
}

function openedKey(pem: string, passphrase: string | undefined): Read<KeyObject> {
  try {
    return { read: privateKey(pem, passphrase) }
  } catch (error) {
    return { finding: keyFinding(error, pem, passphrase) }
  }
}

function keyFinding(error: unknown, pem: string, passphrase: string | undefined): Finding {
  const member = 'key'
  const { code } = error as NodeJS.ErrnoException
  const encrypted = /ENCRYPTED/.test(pem)
  if (encrypted && passphrase === undefined) {
    return { member, text: 'is encrypted and there is no passphrase. Add passphrase.' }
  }
  if (encrypted && /BAD_DECRYPT|BAD_PASSWORD|WRONG_TAG|CANCELLED/.test(code ?? '')) {
    return { member: 'passphrase', text: 'does not open the key. Correct it.' }
  }
  if (/BEGIN (CERTIFICATE|PUBLIC KEY)/.test(pem) && !/PRIVATE KEY/.test(pem)) {
    return { member, text: 'is not a private key. Name the private key here.' }
  }
  if (!pem.includes('-----BEGIN')) {
    const text = 'is not PEM. Convert it: openssl pkey -inform der -in FILE -out FILE.pem.'
    return { member, text }
  }
  return { member, text: `is damaged PEM. ${WHOLE}` }
}

const REEXPORT =
  'Export it anew: openssl pkcs12 -legacy -in OLD -nodes -out ALL.pem, ' +
  'then openssl pkcs12 -export -in ALL.pem -out NEW, and delete ALL.pem.'

function pkcs12Findings(pkcs12: string, passphrase: string | undefined): Finding[] {
  try {
    createSecureContext({ pfx: Buffer.from(pkcs12, 'base64'), passphrase })
    return []
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_CRYPTO_UNSUPPORTED_OPERATION') {
      return [{ member: 'pkcs12', text: `uses ciphers that OpenSSL 3 calls legacy. ${REEXPORT}` }]
    }
    if (/mac verify/.test(message)) {
      if (passphrase !== undefined) {
        return [{ member: 'passphrase', text: 'does not open the PKCS#12 file. Correct it.' }]
      }
      return [
        { member: 'pkcs12', text: 'is encrypted and there is no passphrase. Add passphrase.' },
      ]
    }
    if (/private key/.test(message)) {
      return [{ member: 'pkcs12', text: 'holds no private key. Export it together with its key.' }]
    }
    const text = 'is not PKCS#12. Name the file as it came: file:client.p12.'
    return [{ member: 'pkcs12', text }]
  }
}

/** What is wrong with a signing key: PS256 is used for all that a client signs. */
export function signingFindings(signing: ClientDocument['signing']): Finding[] {
  let key: KeyObject
  try {
    key = signingKey(signing)
  } catch (error) {
    if (!signing.key.trimStart().startsWith('{')) {
      return [keyFinding(error, signing.key, signing.passphrase)]
    }
    return [{ member: 'key', text: 'is not a private JWK. Name the JWK with its member d.' }]
  }
  if (key.asymmetricKeyType !== 'rsa' && key.asymmetricKeyType !== 'rsa-pss') {
    const text = `is of type ${key.asymmetricKeyType}. PS256 is used: name an RSA key.`
    return [{ member: 'key', text }]
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  if (bits >= 2048) return []
  return [{ member: 'key', text: `has ${bits} bits. PS256 needs 2048: name a longer RSA key.` }]
}

/** What is wrong with a trust anchor: PEM of one or more certificates. */
export function trustFinding(pem: string): string | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g)
  if (!blocks) return 'holds no PEM certificate. Convert it: openssl x509 -inform der -in FILE.'
  try {
    for (const block of blocks) new X509Certificate(block)
    return undefined
  } catch {
    return `is damaged PEM. ${WHOLE}`
  }
}

/** Whether a certificate is past its end, in the first PEM of a transport; undefined: unknown. */
export function hasExpired({ certificate }: TransportDocument): boolean | undefined {
  if (certificate === undefined) return undefined
  return Date.parse(new X509Certificate(certificate).validTo) < Date.now()
}
