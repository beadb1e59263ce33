import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  signingFinding,
  transportFindings,
  trustFinding,
} from '../../engine/configuration/material.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

const pem = (label: string) => `-----BEGIN ${label}-----\nQ0FOQVJZ\n-----END ${label}-----`

/** The first bytes of a file that is no text, as it is read. */
const binary = (hex: string) => Buffer.from(`${hex}${'00'.repeat(90)}`, 'hex').toString('base64')

const PKCS7_DER = binary('3082032806092a864886f70d010702a0820319')
const JKS = binary('feedfeed0000000200000001')
const PPK = 'PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\n'

test.each([
  [pem('PKCS7'), /^is PKCS#7\. .*: openssl pkcs7 -print_certs -in FILE -out NEW\.$/],
  [PKCS7_DER, /^is PKCS#7\. .*: openssl pkcs7 -inform der -print_certs -in FILE -out NEW\.$/],
  [pem('CMS'), /^is CMS\. .*: openssl cms -cmsout .*, then openssl pkcs7 -inform der /],
  [pem('TRUSTED CERTIFICATE'), /: openssl x509 -in FILE -out NEW\.$/],
])('a certificate, or an authority, in another form is told by its form: %j', (text, says) => {
  expect(transportFindings({ certificate: text, key })).toEqual([
    { member: 'certificate', text: expect.stringMatching(says) },
  ])
  expect(trustFinding(text)).toMatch(says)
})

test.each([
  [pem('OPENSSH PRIVATE KEY'), /: ssh-keygen -p -m PEM -f COPY\.$/],
  [PPK, /: puttygen FILE -O private-openssh -o NEW\.$/],
  [JKS, /: keytool -importkeystore .* -deststoretype PKCS12\.$/],
])('a key in another form is told by its form: %j', (text, says) => {
  expect(signingFinding({ key: text })).toEqual([
    { member: 'key', text: expect.stringMatching(says) },
  ])
})

test('a key store of Java is told by its form wherever it is named', () => {
  const says = /^is a key store of Java\. .*: keytool -importkeystore /
  const [certificate, itsKey] = transportFindings({ certificate: JKS, key: JKS })
  const [pkcs12] = transportFindings({ pkcs12: JKS, passphrase: 'canary' })
  for (const found of [certificate, itsKey, pkcs12]) expect(found?.text).toMatch(says)
  expect(trustFinding(JKS)).toMatch(/: keytool -exportcert -rfc /)
})

test('a JWK without its prime factors names them', () => {
  const { p, q, dp, dq, qi, ...jwk } = privateKey.export({ format: 'jwk' })
  expect(signingFinding({ key: JSON.stringify(jwk) })).toEqual([
    {
      member: 'key',
      text: 'lacks p, q, dp, dq, qi. Export the JWK with all of its members, or name the key as PEM.',
    },
  ])
  expect(signingFinding({ key: JSON.stringify({ ...jwk, p, q, dp, dq, qi }) })).toEqual([])
  const one = signingFinding({ key: JSON.stringify({ ...jwk, p, q, dp, dq }) })
  expect(one[0]?.text).toMatch(/^lacks qi\. /)
})

test.each(['keys/first.cert.pem', '../ca.crt', 'keys\\first.key'])(
  'the path of a file without file: is told as one: %s',
  (path) => {
    const says = `is a path, not its content. Write file: before it: file:${path}.`
    expect(transportFindings({ certificate: path, key })).toEqual([
      { member: 'certificate', text: says },
    ])
    expect(signingFinding({ key: path })).toEqual([{ member: 'key', text: says }])
    expect(trustFinding(path)).toBe(says)
  },
)
