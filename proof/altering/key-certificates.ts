import { createPublicKey, type KeyObject, webcrypto } from 'node:crypto'
import type { Middleware } from 'koa'
// Sets what the generator of certificates needs.
import '../../bank/listeners/certificates.ts'
import { X509CertificateGenerator } from '@peculiar/x509'
import { stateOf } from '../../bank/state/state.ts'
import { type Json, jsonOf, partOf } from './rewriting.ts'

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

/** Adds members that are made from a certificate of the key, in DER, to each key in the JWK Set. */
export function certified(members: (certificate: Buffer) => Json): Middleware {
  return async (ctx, next) => {
    await next()
    if (partOf(ctx) !== 'jwks' || ctx.status !== 200) return
    const { bank, fired } = stateOf(ctx)
    const body = jsonOf(ctx) as { keys: Json[] }
    const keys = body.keys.map(async (jwk) => {
      const own = bank.services.keys.find(({ kid }) => kid === jwk.kid)
      return own ? { ...jwk, ...members(await certificateOf(own.key)) } : jwk
    })
    ctx.body = { ...body, keys: await Promise.all(keys) }
    fired()
  }
}

/** A self-signed certificate of a key, in DER. */
async function certificateOf(key: KeyObject): Promise<Buffer> {
  const { subtle } = webcrypto
  const pkcs8 = key.export({ type: 'pkcs8', format: 'der' })
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=ID tokens',
    notBefore: new Date('2020-01-01'),
    notAfter: new Date('2050-01-01'),
    signingAlgorithm: algorithm,
    keys: {
      privateKey: await subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']),
      publicKey: await subtle.importKey('spki', spki, algorithm, true, ['verify']),
    },
  })
  return Buffer.from(certificate.rawData)
}
