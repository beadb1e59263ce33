import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import type { TransportDocument } from '../configuration/target.ts'
import { now } from '../record/clock.ts'

const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
}

/** A client certificate that no directory knows: self-signed and made on demand. */
export async function selfSigned(): Promise<TransportDocument> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const made = now()
  const day = 24 * 60 * 60 * 1000
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: '01',
      name: 'CN=untrusted, O=Untrusted',
      notBefore: new Date(made - day),
      notAfter: new Date(made + day),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature),
      ],
    },
    webcrypto as Parameters<typeof x509.X509CertificateGenerator.createSelfSigned>[1],
  )
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return {
    certificate: certificate.toString('pem'),
    key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
  }
}
