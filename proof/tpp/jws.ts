import { constants, createHmac, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

type Json = Record<string, unknown>

/** Signs with PS256 or RS256, or returns no signature for alg none. */
export function signature(input: string, alg: string, key: KeyObject): string {
  if (alg === 'none') return ''
  const padding = alg === 'PS256' ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
  return sign('sha256', Buffer.from(input), { key, padding, saltLength: 32 }).toString('base64url')
}

/** Is the signature valid under a public key? For HS256 the PEM of the key is the secret. */
export function verified(input: Buffer, bytes: Buffer, alg: string, jwk: Json): boolean {
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  if (alg === 'HS256') {
    const secret = key.export({ type: 'spki', format: 'pem' })
    return createHmac('sha256', secret).update(input).digest().equals(bytes)
  }
  const padding = alg === 'PS256' ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
  return verify('sha256', input, { key, padding, saltLength: 32 }, bytes)
}

const part = (text = ''): Json => JSON.parse(Buffer.from(text, 'base64url').toString()) as Json

/** Header and claims of a JWT, not verified. */
export function decodedJwt(jwt: string): { header: Json; claims: Json } {
  const [header, claims] = jwt.split('.')
  return { header: part(header), claims: part(claims) }
}
