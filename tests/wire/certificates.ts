import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
}
const DAY = 24 * 60 * 60 * 1000
const crypto = webcrypto as Parameters<typeof x509.X509CertificateGenerator.create>[1]

export interface Issued {
  certificate: string
  key: string
}

/** A throw-away authority of a test, and what it signs. */
export interface Authority {
  certificate: string
  /** `issuers`: where the certificate of its issuer can be had. */
  issue(name: string, options?: { ends?: number; host?: string; issuers?: string }): Promise<Issued>
}

let serial = 1

/** @param excludes IPv4 addresses that its certificates may not be for, as address and mask. */
export async function authority(name: string, excludes?: number[]): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify'])
  const root = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: '01',
      name: `CN=${name}`,
      notBefore: new Date(Date.now() - DAY),
      notAfter: new Date(Date.now() + DAY),
      signingAlgorithm: RSA,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 2, true),
        ...(excludes ? [nameConstraints(excludes)] : []),
      ],
    },
    crypto,
  )
  return {
    certificate: root.toString('pem'),
    async issue(subject, { ends = DAY, host, issuers } = {}) {
      const own = await webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify'])
      serial += 1
      const certificate = await x509.X509CertificateGenerator.create(
        {
          serialNumber: serial.toString(16).padStart(2, '0'),
          subject: `CN=${subject}`,
          issuer: root.subject,
          notBefore: new Date(Date.now() - 2 * DAY),
          notAfter: new Date(Date.now() + ends),
          signingAlgorithm: RSA,
          publicKey: own.publicKey,
          signingKey: keys.privateKey,
          extensions: [
            new x509.SubjectAlternativeNameExtension(
              host ? [{ type: 'dns', value: host }] : [{ type: 'ip', value: '127.0.0.1' }],
            ),
            ...(issuers ? [new x509.AuthorityInfoAccessExtension({ caIssuers: issuers })] : []),
          ],
        },
        crypto,
      )
      const key = await webcrypto.subtle.exportKey('pkcs8', own.privateKey)
      return {
        certificate: certificate.toString('pem'),
        key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
      }
    },
  }
}

/** RFC 5280, 4.2.1.10: excludedSubtrees [1] of one base, an iPAddress [7]. */
function nameConstraints(excludes: number[]): x509.Extension {
  const base = [0x87, excludes.length, ...excludes]
  const subtree = [0x30, base.length, ...base]
  const excluded = [0xa1, subtree.length, ...subtree]
  return new x509.Extension('2.5.29.30', true, new Uint8Array([0x30, excluded.length, ...excluded]))
}
