import { createPrivateKey, createPublicKey, randomUUID } from 'node:crypto'
import { createSigningKey, type SigningKey } from '../authorisation-server/signature.ts'
import type { Identity } from '../listeners/certificates.ts'

/** The keys and certificates of a directory and its bank. */
export interface DirectoryMaterial {
  /** Port of the directory's listener; 0 for a new directory: any free port. */
  port: number
  /** PEM of the authority. */
  authority: string
  server: Identity
  transports: { first: Identity; second: Identity }
  /** Certificates that replace those of the server and the first TPP when they are renewed. */
  renewed: { server: Identity; transport: Identity }
  /** A server certificate of the authority for another host. Absent from material that was kept before this existed. */
  elsewhere?: Identity
  refused: { expired: Identity; untrusted: Identity }
  keys: { directory: SigningKey; first: SigningKey; second: SigningKey }
  /** Keys with which banks sign. */
  bankKeys: SigningKey[]
}

const day = 86_400_000

/** Makes new material. Keys are generated in parallel while the certificate library loads. */
export async function makeMaterial(names: {
  first: string
  second: string
}): Promise<DirectoryMaterial> {
  const making = Promise.all([
    createSigningKey('directory-1'),
    createSigningKey(randomUUID()),
    createSigningKey(randomUUID()),
    createSigningKey('bank-1'),
  ])
  const { createAuthority } = await import('../listeners/certificates.ts')
  const [authority, stranger] = await Promise.all([
    createAuthority('C=GB, O=Assay Throw-away Directory, CN=Assay Directory Issuing CA'),
    createAuthority('C=GB, O=Nobody, CN=Unknown Issuing CA'),
  ])
  const [directory, first, second, bankKey] = await making
  const long = { from: Date.now() - 400 * day, to: Date.now() - 35 * day }
  return {
    port: 0,
    authority: authority.certificate,
    server: await authority.issueServer(),
    transports: {
      first: await authority.issueClient(names.first),
      second: await authority.issueClient(names.second),
    },
    renewed: {
      server: await authority.issueServer(),
      transport: await authority.issueClient(names.first),
    },
    elsewhere: await authority.issueServer('somebody-else.example'),
    refused: {
      expired: await authority.issueClient(names.first, long),
      untrusted: await stranger.issueClient(names.first),
    },
    keys: { directory, first, second },
    bankKeys: [bankKey],
  }
}

interface PackedKey {
  kid: string
  key: string
}

const packedKey = ({ kid, key }: SigningKey): PackedKey => ({
  kid,
  key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
})

function unpackedKey({ kid, key }: PackedKey): SigningKey {
  const jwk = createPublicKey(key).export({ format: 'jwk' })
  return { kid, key: createPrivateKey(key), jwk: { ...jwk, kid, use: 'sig', alg: 'PS256' } }
}

/** Packs the material as a JSON value. It contains private keys. */
export function packMaterial({ keys, bankKeys, ...rest }: DirectoryMaterial) {
  const { directory, first, second } = keys
  return {
    ...rest,
    keys: {
      directory: packedKey(directory),
      first: packedKey(first),
      second: packedKey(second),
    },
    bankKeys: bankKeys.map(packedKey),
  }
}

export type PackedMaterial = ReturnType<typeof packMaterial>

export function unpackMaterial({ keys, bankKeys, ...rest }: PackedMaterial): DirectoryMaterial {
  const { directory, first, second } = keys
  return {
    ...rest,
    keys: {
      directory: unpackedKey(directory),
      first: unpackedKey(first),
      second: unpackedKey(second),
    },
    bankKeys: bankKeys.map(unpackedKey),
  }
}
