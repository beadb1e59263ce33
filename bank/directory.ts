import { randomUUID } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import type { Identity } from './certificates.ts'
import { createSigningKey, type SigningKey, signJws } from './signature.ts'

/** A TPP's software as the directory knows it. */
export interface Enrolled {
  organisationId: string
  softwareId: string
  transport: Identity
  signing: SigningKey
  /** The software statement assertion, a compact JWS of the directory. */
  softwareStatement: string
  redirectUris: string[]
  jwksUri: string
}

/**
 * A throw-away open banking directory: the authority of every certificate, two TPPs of two
 * organisations, and the listener from which banks fetch their keys. Banks of one process may share
 * it; it must be closed after the last of them.
 */
export interface Directory {
  /** `iss` of the software statements. */
  issuer: string
  /** PEM of the authority that issued every server and transport certificate. */
  authority: string
  signing: SigningKey
  /** Certificate for 127.0.0.1 and localhost, used by every listener of a bank. */
  server: Identity
  clients: { first: Enrolled; second: Enrolled }
  /** Certificates that a bank must refuse. */
  refused: { expired: Identity; untrusted: Identity }
  /** Keys with which banks sign; one is made at once, more when a bank asks for them. */
  bankKeys(count: number): Promise<SigningKey[]>
  /** Connections to the directory's own listener, trusting its authority. */
  agent: Agent
  close(): Promise<void>
}

const day = 86_400_000

interface Application {
  organisationId: string
  organisation: string
  onBehalfOf: string
  softwareId: string
  software: string
  redirectUris: string[]
}

const applications: { first: Application; second: Application } = {
  first: {
    organisationId: '0015800001041RHAAY',
    organisation: 'Tally Ledger Limited',
    onBehalfOf: 'Tally Budgeting',
    softwareId: '4vXkq0sYwRn2JmT7cGd1Zb',
    software: 'Tally',
    redirectUris: ['https://tally.example/callback', 'https://tally.example/other-callback'],
  },
  second: {
    organisationId: '0015800001ZEc3AAAT',
    organisation: 'Copper Kettle Finance plc',
    onBehalfOf: 'Kettle for Business',
    softwareId: '9bHf3LrPpQe8WuVx5aKs2N',
    software: 'Kettle',
    redirectUris: ['https://kettle.example/return', 'https://kettle.example/app/return'],
  },
}

export interface DirectoryOptions {
  /** Redirect URIs of the software statements, instead of those of made-up TPPs. */
  redirectUris?: { first?: string[]; second?: string[] }
}

/** Makes the directory: its keys, certificates and software statements, and starts its listener. */
export async function createDirectory(options: DirectoryOptions = {}): Promise<Directory> {
  // Keys are made beside this thread, while it loads what makes certificates.
  const making = Promise.all([
    createSigningKey('directory-1'),
    createSigningKey(randomUUID()),
    createSigningKey(randomUUID()),
    createSigningKey('bank-1'),
  ])
  const { createAuthority } = await import('./certificates.ts')
  const [authority, stranger] = await Promise.all([
    createAuthority('C=GB, O=Assay Throw-away Directory, CN=Assay Directory Issuing CA'),
    createAuthority('C=GB, O=Nobody, CN=Unknown Issuing CA'),
  ])
  const [signing, firstKey, secondKey, bankKey] = await making
  const server = await authority.issueServer()
  const keySets = new Map<string, { keys: Record<string, unknown>[] }>([
    ['/keystore/directory.jwks', { keys: [signing.jwk] }],
  ])
  const listener = createServer({ ...secureOptions(server) }, (request, response) => {
    const keys = keySets.get(request.url ?? '')
    response.statusCode = keys ? 200 : 404
    response.setHeader('content-type', 'application/jwk-set+json')
    response.end(JSON.stringify(keys ?? {}))
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const origin = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`
  const issuer = 'Assay Throw-away Directory'

  async function enrol(application: Application, key: SigningKey): Promise<Enrolled> {
    const { organisationId, softwareId, redirectUris } = application
    const path = `/keystore/${organisationId}/${softwareId}.jwks`
    keySets.set(path, { keys: [key.jwk] })
    const subject = `C=GB, O=OpenBanking, OU=${organisationId}, CN=${softwareId}`
    const statement = statementOf(application, issuer, `${origin}${path}`)
    return {
      organisationId,
      softwareId,
      redirectUris,
      jwksUri: `${origin}${path}`,
      signing: key,
      transport: await authority.issueClient(subject),
      softwareStatement: signJws(statement, signing, { typ: 'JWT' }),
    }
  }

  const { organisationId, softwareId } = applications.first
  const name = `C=GB, O=OpenBanking, OU=${organisationId}, CN=${softwareId}`
  const long = { from: Date.now() - 400 * day, to: Date.now() - 35 * day }
  const keys: Promise<SigningKey>[] = [Promise.resolve(bankKey)]
  const agent = new Agent({ connect: { ca: authority.certificate } })
  return {
    issuer,
    authority: authority.certificate,
    signing,
    server,
    clients: {
      first: await enrol(applicationOf('first', options), firstKey),
      second: await enrol(applicationOf('second', options), secondKey),
    },
    refused: {
      expired: await authority.issueClient(name, long),
      untrusted: await stranger.issueClient(name),
    },
    bankKeys(count) {
      while (keys.length < count) keys.push(createSigningKey(`bank-${keys.length + 1}`))
      return Promise.all(keys.slice(0, count))
    },
    agent,
    async close() {
      await agent.destroy()
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

function applicationOf(name: 'first' | 'second', { redirectUris }: DirectoryOptions): Application {
  const wanted = redirectUris?.[name]
  return wanted ? { ...applications[name], redirectUris: wanted } : applications[name]
}

/** Node's names for a certificate and its key. */
export function secureOptions({ certificate, key }: Identity): { cert: string; key: string } {
  return { cert: certificate, key }
}

function statementOf(application: Application, iss: string, jwks: string) {
  return {
    iss,
    iat: Math.floor(Date.now() / 1000) - 60,
    jti: randomUUID(),
    software_environment: 'sandbox',
    software_mode: 'Test',
    software_id: application.softwareId,
    software_client_id: application.softwareId,
    software_client_name: application.software,
    software_client_description: `${application.software}, seen through one page`,
    software_version: 1.2,
    software_client_uri: new URL('/', application.redirectUris[0]).href,
    software_redirect_uris: application.redirectUris,
    software_roles: ['AISP', 'CBPII'],
    software_on_behalf_of: application.onBehalfOf,
    software_jwks_endpoint: jwks,
    org_id: application.organisationId,
    org_name: application.organisation,
    org_status: 'Active',
    org_jwks_endpoint: jwks,
    organisation_competent_authority_claims: {
      authority_id: 'FCAGBR',
      registration_id: application.organisationId.slice(-6),
      status: 'Active',
      authorisations: [{ member_state: 'GB', roles: ['AISP', 'CBPII'] }],
    },
  }
}
