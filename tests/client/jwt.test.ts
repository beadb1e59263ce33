import {
  createHmac,
  createPublicKey,
  createVerify,
  generateKeyPairSync,
  X509Certificate,
} from 'node:crypto'
import { compactVerify, importJWK, type JWK } from 'jose'
import { describe, expect, test } from 'vitest'
import { type JwtDeviation, jwt, type Secret, type Signer } from '../../engine/client/jwt.ts'

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const signer: Signer = { key, kid: 'kid' }
const publicKey = createPublicKey(key)
const claims = { iss: 'client', exp: 2_000_000_000 }

const made = (deviation: JwtDeviation) => jwt(claims, signer, deviation)
const json = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())
const headerOf = (jws: string) => json(jws.split('.')[0])

describe('a key that the header brings', () => {
  const dataOf = (url: string) => Buffer.from(url.split(',')[1] ?? '', 'base64').toString()
  const unknown = (embeds: JwtDeviation['embeds']) => made({ key: 'unknown', embeds })

  interface Bringing {
    jwk: JWK
    jku: string
    x5c: [string]
    x5u: string
  }

  test.each<[keyof Bringing, (header: Bringing) => JWK]>([
    ['jwk', ({ jwk }) => jwk],
    ['jku', ({ jku }) => JSON.parse(dataOf(jku)).keys[0]],
    ['x5c', ({ x5c }) => certificateKey(Buffer.from(x5c[0], 'base64'))],
    ['x5u', ({ x5u }) => certificateKey(dataOf(x5u))],
  ])('%s verifies it, and the client’s own does not', async (parameter, keyOf) => {
    const jws = unknown(parameter)
    const embedded = keyOf(headerOf(jws))
    await expect(compactVerify(jws, await importJWK(embedded, 'PS256'))).resolves.toBeDefined()
    await expect(compactVerify(jws, publicKey)).rejects.toThrow('signature verification failed')
  })

  function certificateKey(certificate: Buffer | string): JWK {
    const read = new X509Certificate(certificate)
    expect(read.verify(read.publicKey)).toBe(true)
    expect(read.subject).toBe('CN=unknown')
    return read.publicKey.export({ format: 'jwk' })
  }

  test('its private half stays here', () => {
    for (const parameter of ['jwk', 'jku', 'x5c', 'x5u'] as const) {
      expect(JSON.stringify(headerOf(unknown(parameter)))).not.toMatch(/"d":|PRIVATE/)
    }
    expect(Object.keys(headerOf(unknown('jwk')).jwk).sort()).toEqual(['e', 'kty', 'n', 'use'])
  })
})

test.each<[Secret, string | Buffer]>([
  ['pem', publicKey.export({ type: 'spki', format: 'pem' })],
  ['pem-trimmed', publicKey.export({ type: 'spki', format: 'pem' }).toString().trim()],
  ['pkcs1', publicKey.export({ type: 'pkcs1', format: 'pem' })],
  ['der', publicKey.export({ type: 'spki', format: 'der' })],
  ['jwk', JSON.stringify({ ...publicKey.export({ format: 'jwk' }), use: 'sig' })],
  [{ text: '' }, ''],
  [{ text: 'secret' }, 'secret'],
])('HS256 keyed with %o', (secret, expected) => {
  const [header, payload, signature] = made({ alg: 'HS256', secret }).split('.')
  const mac = createHmac('sha256', expected).update(`${header}.${payload}`).digest('base64url')
  expect(signature).toBe(mac)
})

test('an EC key has no PKCS #1: another RSA key’s stands in', () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const deviation = { alg: 'HS256', secret: 'pkcs1' } as const
  expect(jwt(claims, { key: ec, kid: 'kid' }, deviation).split('.')).toHaveLength(3)
})

test('the algorithm of the header is not always that of the signature', () => {
  const jws = made({ alg: 'RS256', header: { alg: 'PS256' } })
  const at = jws.lastIndexOf('.')
  expect(headerOf(jws).alg).toBe('PS256')
  const verify = createVerify('sha256').update(jws.slice(0, at))
  expect(verify.verify(publicKey, jws.slice(at + 1), 'base64url')).toBe(true)
})

test('JSON is written otherwise before it is signed', async () => {
  const jws = made({
    written: { header: (text) => ` ${text}`, payload: (text) => Buffer.from(text, 'utf16le') },
  })
  const [header = '', payload = ''] = jws.split('.').map((part) => Buffer.from(part, 'base64url'))
  expect(header.toString()).toBe(' {"alg":"PS256","typ":"JWT","kid":"kid"}')
  expect(payload.toString('utf16le')).toBe(JSON.stringify(claims))
  await expect(compactVerify(jws, publicKey)).resolves.toBeDefined()
})

test('a finished one is sent otherwise, with whatever else is wrong with it', () => {
  expect(made({ sent: (jws) => `${jws}.` })).toMatch(/^ey[^.]+\.ey[^.]+\.[^.]+\.$/)
  expect(made({ alg: 'none', sent: (jws) => `x${jws}` })).toMatch(/^xey[^.]+\.ey[^.]+\.$/)
  expect(made({ raw: 'a.b.c', sent: (jws) => `${jws}.` })).toBe('a.b.c')
})

test('claims changed after signing are not those that were signed', async () => {
  const jws = made({ tampered: 'payload' })
  expect(json(jws.split('.')[1])).toEqual({ ...claims, exp: claims.exp + 1 })
  await expect(compactVerify(jws, publicKey)).rejects.toThrow('signature verification failed')
})
