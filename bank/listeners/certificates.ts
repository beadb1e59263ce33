import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

cryptoProvider.set(webcrypto as never)

/** A certificate and its private key, both PEM (PKCS#8). */
export interface Identity {
  certificate: string
  key: string
}

/** An authority that can issue certificates. Its own certificate is PEM. */
export interface Authority {
  certificate: string
  /** A server certificate for `host`, or for 127.0.0.1 and localhost. It is valid for ten years. */
  issueServer(host?: string): Promise<Identity>
  /** A transport certificate. `subject` as in RFC 4514; the validity in milliseconds since 1970. */
  issueClient(subject: string, validity?: { from: number; to: number }): Promise<Identity>
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const day = 86_400_000

async function keyPair(): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair
}

async function pem(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<Identity> {
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: `${PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`,
  }
}

/** Makes a temporary certification authority on P-256. */
export async function createAuthority(subject: string): Promise<Authority> {
  const keys = await keyPair()
  const now = Date.now()
  let serial = 1
  const own = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: subject,
    notBefore: new Date(now - day),
    notAfter: new Date(now + 3650 * day),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 1, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  })

  async function issue(
    name: string,
    usage: ExtendedKeyUsage,
    more: Extension[],
    validity = { from: now - day, to: now + 3650 * day },
  ): Promise<Identity> {
    const subjectKeys = await keyPair()
    serial += 1
    const certificate = await X509CertificateGenerator.create({
      serialNumber: serial.toString(16).padStart(2, '0'),
      subject: name,
      issuer: own.subject,
      notBefore: new Date(validity.from),
      notAfter: new Date(validity.to),
      signingAlgorithm: algorithm,
      publicKey: subjectKeys.publicKey,
      signingKey: keys.privateKey,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([usage]),
        ...more,
      ],
    })
    return pem(certificate, subjectKeys)
  }

  return {
    certificate: `${own.toString('pem')}\n`,
    issueServer: (host) =>
      issue(`CN=${host ?? 'localhost'}`, ExtendedKeyUsage.serverAuth, [
        new SubjectAlternativeNameExtension([
          ...(host === undefined ? [{ type: 'ip' as const, value: '127.0.0.1' }] : []),
          { type: 'dns', value: host ?? 'localhost' },
        ]),
      ]),
    issueClient: (name, validity) => issue(name, ExtendedKeyUsage.clientAuth, [], validity),
  }
}
