import { DAY } from '../record/durations.ts'
import 'reflect-metadata'
import { randomBytes, webcrypto, type X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import type { TransportDocument } from '../configuration/target.ts'
import { now } from '../record/clock.ts'

const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
}

type Crypto = Parameters<typeof x509.X509CertificateGenerator.create>[1]

const crypto = webcrypto as unknown as NonNullable<Crypto>

/** A client certificate that no directory knows: self-signed and made on demand. */
export async function selfSigned(): Promise<TransportDocument> {
  const keys = await keyPair()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: '01',
      name: 'CN=untrusted, O=Untrusted',
      ...validity(),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature),
      ],
    },
    crypto,
  )
  return offered(certificate, keys)
}

/** Extensions that name keys: subject key identifier and authority key identifier (RFC 5280 4.2.1.1, 4.2.1.2). */
const OF_KEYS = ['2.5.29.14', '2.5.29.35']

/**
 * A client certificate that says the same as a genuine one, its issuer included, and is
 * signed by an unknown key. It names another certificate of the authority, so a server does
 * not find the genuine one and says what it says of any unknown authority.
 */
export async function forged(genuine: X509Certificate): Promise<TransportDocument> {
  const read = new x509.X509Certificate(genuine.raw)
  const [keys, authority] = await Promise.all([keyPair(), keyPair()])
  const ofAuthority = new x509.GeneralNames([
    { type: 'dn', value: read.issuerName.toArrayBuffer() },
  ])
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: read.serialNumber,
      subject: read.subjectName,
      issuer: read.issuerName,
      notBefore: read.notBefore,
      notAfter: read.notAfter,
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: authority.privateKey,
      extensions: [
        ...read.extensions.filter(({ type }) => !OF_KEYS.includes(type)),
        new x509.AuthorityKeyIdentifierExtension({
          name: ofAuthority,
          serialNumber: randomSerial(),
        }),
      ],
    },
    crypto,
  )
  return offered(certificate, keys)
}

const randomSerial = () => randomBytes(8).toString('hex')

const keyPair = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

function validity() {
  const made = now()
  return { notBefore: new Date(made - DAY), notAfter: new Date(made + DAY) }
}

async function offered(
  certificate: x509.X509Certificate,
  keys: webcrypto.CryptoKeyPair,
): Promise<TransportDocument> {
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    certificate: certificate.toString('pem'),
    key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
  }
}
