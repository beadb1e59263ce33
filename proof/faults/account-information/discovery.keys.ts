import { createHash, generateKeyPairSync } from 'node:crypto'
import { certified } from '../../altering/key-certificates.ts'
import { type Json, successes } from '../../altering/rewriting.ts'
import type { Fault } from '../../run/proof.ts'

/** Changes how the modulus of each key is written. */
const moduli = (write: (modulus: Buffer) => string) =>
  successes(['jwks'], (body) => ({
    ...body,
    keys: (body.keys as Json[]).map((key) =>
      key.n ? { ...key, n: write(Buffer.from(String(key.n), 'base64url')) } : key,
    ),
  }))

const faults: Fault[] = [
  {
    id: 'modulus-with-a-sign',
    story:
      'The modulus n of each key begins with a zero byte, because it is written as the bytes of a signed number.',
    fails: [],
    warns: ['DISC-17/well-formed'],
    middleware: moduli((modulus) =>
      Buffer.concat([Buffer.from([0]), modulus]).toString('base64url'),
    ),
  },
  {
    id: 'modulus-in-base64',
    story: 'The modulus n of each key is written in base64 with padding, not in base64url.',
    fails: [],
    warns: ['DISC-17/well-formed'],
    middleware: moduli((modulus) => modulus.toString('base64')),
  },
  {
    id: 'thumbprint-of-the-text',
    story:
      'The certificate thumbprint x5t#S256 is computed over the base64 text of the certificate, not over its bytes.',
    fails: [],
    warns: ['DISC-17/thumbprints'],
    middleware: certified((certificate) => {
      const text = certificate.toString('base64')
      return { x5c: [text], 'x5t#S256': createHash('sha256').update(text).digest('base64url') }
    }),
  },
  {
    id: 'thumbprint-in-hexadecimal',
    story:
      'The certificate thumbprint x5t is written in hexadecimal, as certificate tools show it, not in base64url.',
    fails: [],
    warns: ['DISC-17/thumbprints'],
    middleware: certified((certificate) => ({
      x5t: createHash('sha1').update(certificate).digest('hex').toUpperCase(),
    })),
  },
  {
    id: 'two-keys-of-one-kid',
    story:
      'Two published keys have the same kid. The kid is the name of the service, and the old key is still listed after the new one.',
    fails: [],
    warns: ['DISC-17/well-formed'],
    middleware: successes(['jwks'], (body) => {
      const keys = body.keys as Json[]
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      return { ...body, keys: [...keys, { ...keys[0], ...publicKey.export({ format: 'jwk' }) }] }
    }),
  },
]

export default faults
