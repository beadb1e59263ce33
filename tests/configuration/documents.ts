import { generateKeyPairSync } from 'node:crypto'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Issued } from '../wire/certificates.ts'

/** Signing keys of the clients of tests: made once, for making them is slow. */
export const signingKeys = {
  first: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  second: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
}

export function pemOf(key: typeof signingKeys.first): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** A software statement that nobody signed: enough for whoever only reads it. */
export const statementOf = (software: string) =>
  `${encoded({ alg: 'PS256' })}.${encoded({
    software_id: software,
    software_redirect_uris: ['https://tpp.example/callback', 'https://tpp.example/other'],
  })}.c2ln`

export const softwareStatement = statementOf('software1')

/** A complete target whose every address is one server. */
export function documentFor(
  url: string,
  parts: { trust?: string; first?: Issued; second?: Issued } = {},
): TargetDocument {
  const client = (name: 'first' | 'second', transport: Issued | undefined) => ({
    transport: transport ?? {},
    signing: { key: pemOf(signingKeys[name]), kid: `kid-${name}` },
    softwareStatement: statementOf(name === 'first' ? 'software1' : 'software2'),
    redirectUris: ['https://tpp.example/callback'],
    scopes: { accounts: 'accounts', fundsConfirmation: 'fundsconfirmations' },
  })
  return {
    name: 'test',
    addresses: { base_url: url, auth_url: url, discovery_url: url, product_api_url: url },
    ...(parts.trust && { trust: [parts.trust] }),
    timeout: 5,
    clients: { first: client('first', parts.first), second: client('second', parts.second) },
    customers: { first: { credentials: { username: 'anna.example', password: 'correct horse' } } },
    authorisation: { driver: 'http' },
  }
}
