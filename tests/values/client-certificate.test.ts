import { X509Certificate } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { forged, selfSigned } from '../../engine/wire/self-signed-certificate.ts'
import { type Certificates, clientCertificate } from '../../suites/values/client-certificate.ts'
import { FORWARDED_BY, forwarded } from '../../suites/values/client-certificate-headers.ts'
import { rowsOf } from '../../suites/values/value-type.ts'

let pem: string
let right: Certificates & { certificate: string }

beforeAll(async () => {
  pem = (await selfSigned()).certificate ?? ''
  right = {
    own: 'first',
    identities: ['none', 'untrusted', 'expired', 'resumed', 'first', 'second'],
    certificate: pem,
  }
})

const rows = rowsOf(clientCertificate)
const row = (id: string) => rows.find((one) => one.id === id)

test('a wrong row never offers the own certificate, a lawful one always', () => {
  for (const { id, lawful, make } of rows) {
    const { identity } = make(right) ?? {}
    expect(identity, id).toBeDefined()
    expect(identity === 'first', id).toBe(lawful === true)
  }
})

test('what the target does not give is not asked for', () => {
  const alone = { own: 'first', identities: ['none', 'first'], certificate: pem }
  const asked = rows.filter(({ make }) => make(alone)).map(({ make }) => make(alone)?.identity)
  expect(new Set(asked)).toEqual(new Set(['none', 'first']))
  const unreadable = { own: 'first', identities: right.identities }
  expect(rows.filter(({ make }) => make(unreadable)?.headers)).toEqual([])
})

test('the second client’s certificate is another one, and so is the first’s to the second', () => {
  expect(row('another-clients')?.make(right)).toEqual({ identity: 'second' })
  expect(row('another-clients')?.make({ ...right, own: 'second' })).toEqual({ identity: 'first' })
})

test.each(['none', 'untrusted', 'expired'])('%s stands with each of two tokens', (identity) => {
  expect(row(identity)?.make(right)).toEqual({ identity })
  expect(row(`${identity}-with-token`)?.make(right)).toEqual({ identity, tokenOver: 'same' })
  expect(row(identity)?.level).toBe('must')
})

test('in place of the first client’s, one of an unknown authority is forged', () => {
  const identities = [...right.identities, 'forged']
  for (const id of ['untrusted', 'untrusted-with-token']) {
    expect(row(id)?.make({ ...right, identities })?.identity).toBe('forged')
    expect(row(id)?.make({ ...right, identities, own: 'second' })?.identity).toBe('untrusted')
  }
})

test('a forged certificate says what the genuine one says, and has another key and signature', async () => {
  const genuine = new X509Certificate(pem)
  const { certificate = '' } = await forged(genuine)
  const made = new X509Certificate(certificate)
  const said = ({ subject, issuer, serialNumber, keyUsage }: X509Certificate) => [
    ...[subject, issuer, serialNumber, keyUsage],
  ]
  expect(said(made)).toEqual(said(genuine))
  expect(made.checkIssued(genuine)).toBe(false)
  expect(made.verify(genuine.publicKey)).toBe(false)
  expect(made.publicKey.equals(genuine.publicKey)).toBe(false)
})

test.each(FORWARDED_BY)('$id: its headers can be sent', ({ headers }) => {
  const made = headers(forwarded(pem))
  for (const [name, value] of Object.entries(made)) {
    expect(name).toMatch(/^[\w-]+$/)
    expect(value).toMatch(/^[ -~]*$/)
    expect(() => new Headers([[name, value]])).not.toThrow()
  }
  expect(JSON.stringify(made).length).toBeLessThan(6000)
})

test('no two of them are the same, and each names the certificate', () => {
  const all = FORWARDED_BY.map(({ headers }) => headers(forwarded(pem)))
  const texts = all.map((one) =>
    JSON.stringify(Object.entries(one).map(([name, value]) => [name.toLowerCase(), value])),
  )
  expect(new Set(texts).size).toBe(texts.length)
  for (const text of texts) expect(text).toMatch(/MII|untrusted/)
})

test('each encoding is that of the certificate', () => {
  const { raw, fingerprint256 } = new X509Certificate(pem)
  const of = forwarded(pem)
  const decodings = [
    new X509Certificate(Buffer.from(of.base64, 'base64')),
    new X509Certificate(decodeURIComponent(of.escaped)),
    new X509Certificate(decodeURIComponent(of.safe)),
    new X509Certificate(of.spaced.replaceAll(/ (?!CERT)/g, '\n')),
  ]
  for (const one of decodings) expect(one.raw.equals(raw)).toBe(true)
  expect(of.escaped).not.toMatch(/[+/=\n]/)
  expect(of.safe).toMatch(/[+/=]/)
  expect(of.sha256).toBe(fingerprint256.replaceAll(':', '').toLowerCase())
  expect(of).toMatchObject({
    subject: 'O=Untrusted,CN=untrusted',
    issuer: 'O=Untrusted,CN=untrusted',
    slashes: '/CN=untrusted/O=Untrusted',
    commonName: 'untrusted',
    serial: '01',
  })
})
