import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { compactVerify } from 'jose'
import { expect, test } from 'vitest'
import { jwt } from '../../engine/client/jwt.ts'
import { signingFinding, signingKey } from '../../engine/configuration/material.ts'

const boundTo = (bound: object) =>
  generateKeyPairSync('rsa-pss', { modulusLength: 2048, ...bound }).privateKey

const hashed = (hashAlgorithm: string, saltLength: number) =>
  boundTo({ hashAlgorithm, mgf1HashAlgorithm: hashAlgorithm, saltLength })

const pem = (key: KeyObject) => ({
  key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
})

test.each([
  ['that is bound to nothing', boundTo({})],
  ['that is bound to SHA-256', hashed('sha256', 32)],
])('a key for RSASSA-PSS %s signs what a client sends, and wrong JWTs', async (_, key) => {
  expect(signingFinding(pem(key))).toEqual([])
  const signer = { key: signingKey(pem(key)), kid: 'kid' }
  const publicKey = createPublicKey(signer.key)
  for (const alg of ['PS256', 'PS512', 'RS256']) {
    await expect(compactVerify(jwt({}, signer, { alg }), publicKey)).resolves.toBeDefined()
  }
  for (const embeds of ['jwk', 'x5c'] as const) jwt({}, signer, { embeds })
  expect(() => jwt({}, signer, { alg: 'HS256', secret: 'pkcs1' })).not.toThrow()
})

test.each([
  ['hash', hashed('sha512', 64)],
  ['salt', hashed('sha256', 64)],
])('a key that is bound to another %s cannot sign PS256', (_, key) => {
  expect(signingFinding(pem(key))).toEqual([
    {
      member: 'key',
      text: 'is bound to another hash or salt. PS256 needs SHA-256: name another RSA key.',
    },
  ])
})
