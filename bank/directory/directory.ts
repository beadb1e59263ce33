import { randomUUID } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Agent } from 'undici'
import { createSigningKey, type SigningKey, signJws } from '../authorisation-server/signature.ts'
import { thumbprintOf } from '../authorisation-server/thumbprint.ts'
import type { Identity } from '../listeners/certificates.ts'
import { type DirectoryMaterial, makeMaterial } from './directory-material.ts'

/** The software of a TPP as the directory knows it. */
export interface Enrolled {
  organisationId: string
  softwareId: string
  transport: Identity
  signing: SigningKey
  /** The software statement, a compact JWS signed by the directory. */
  softwareStatement: string
  redirectUris: string[]
  jwksUri: string
}

/**
 * A temporary open banking directory: the authority of every certificate, two TPPs of two organisations, and the
 * listener from which banks fetch their keys. Banks of one process may share it; close it after the last bank.
 */
export interface Directory {
  /** `iss` of the software statements. */
  issuer: string
  /** PEM of the authority that issued every server and transport certificate. */
  authority: string
  signing: SigningKey
  /** PEM of the authorities of transport certificates: the directory's, and those of TPPs' own certificates. */
  transportAuthorities: string[]
  /** TPPs' own transport certificates: thumbprint → organisation. */
  ownTransports: ReadonlyMap<string, string>
  /** Certificate for 127.0.0.1 and localhost, used by every listener of a bank. */
  server: Identity
  clients: { first: Enrolled; second: Enrolled }
  /** Certificates that replace those of the server and the first TPP when they are renewed. */
  renewed: { server: Identity; transport: Identity }
  /** A server certificate of the same authority for another host; absent when kept material has none. */
  elsewhere?: Identity
  /** Certificates that a bank must refuse. */
  refused: { expired: Identity; untrusted: Identity }
  /** Keys with which banks sign. One is made immediately, more when a bank asks for them. */
  bankKeys(count: number): Promise<SigningKey[]>
  /** The material, to make the same directory again. */
  material(): Promise<DirectoryMaterial>
  /** Connections to the directory's own listener, trusting its authority. */
  agent: Agent
  close(): Promise<void>
}

interface Application {
  organisationId: string
  organisation: string
  onBehalfOf: string
  softwareId: string
  software: string
  redirectUris: string[]
}

/** The software of invented TPPs. */
export const applications: { first: Application; second: Application } = {
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
    redirectUris: ['https://kettle.example/return', 'https://kettle.example/return?via=app'],
  },
}

export interface DirectoryOptions {
  /** Redirect URIs of the software statements, instead of those of the invented TPPs. */
  redirectUris?: { first?: string[]; second?: string[] }
  /** Public keys that a TPP made itself. Its messages are then not signed with `Enrolled.signing`. */
  jwks?: { first?: { keys: Record<string, unknown>[] } }
  /** Transport certificate that a TPP already has, PEM, followed by those of its authorities. */
  transports?: { first?: string[] }
  /** Keys and certificates of an earlier directory. */
  material?: DirectoryMaterial
}

/** Makes the directory with its keys, certificates and software statements, and starts its listener. */
export async function createDirectory(options: DirectoryOptions = {}): Promise<Directory> {
  const material =
    options.material ??
    (await makeMaterial({
      first: subjectOf(applications.first),
      second: subjectOf(applications.second),
    }))
  const { server, authority } = material
  const { directory: signing } = material.keys
  const keySets = new Map<string, { keys: Record<string, unknown>[] }>([
    ['/keystore/directory.jwks', { keys: [signing.jwk] }],
  ])
  const listener = createServer({ ...secureOptions(server) }, (request, response) => {
    const keys = keySets.get(request.url ?? '')
    response.statusCode = keys ? 200 : 404
    response.setHeader('content-type', 'application/jwk-set+json')
    response.end(JSON.stringify(keys ?? {}))
  })
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(material.port, '127.0.0.1', resolve)
  })
  const { port } = listener.address() as AddressInfo
  const origin = `https://127.0.0.1:${port}`
  const issuer = 'Assay Throw-away Directory'

  const first = applicationOf('first', options)

  function enrol(application: Application, key: SigningKey, transport: Identity): Enrolled {
    const { organisationId, softwareId, redirectUris } = application
    const path = `/keystore/${organisationId}/${softwareId}.jwks`
    const own = application === first ? options.jwks?.first : undefined
    keySets.set(path, own ?? { keys: [key.jwk] })
    const statement = statementOf(application, issuer, `${origin}${path}`)
    return {
      organisationId,
      softwareId,
      redirectUris,
      jwksUri: `${origin}${path}`,
      signing: key,
      transport,
      softwareStatement: signJws(statement, signing, { typ: 'JWT' }),
    }
  }

  const keys = material.bankKeys.map((key) => Promise.resolve(key))
  const agent = new Agent({ connect: { ca: authority } })
  const [own, ...authorities] = options.transports?.first ?? []
  return {
    issuer,
    authority,
    signing,
    // A self-signed certificate is its own authority.
    transportAuthorities: [authority, ...(authorities.length > 0 ? authorities : own ? [own] : [])],
    ownTransports: new Map(own ? [[thumbprintOf(own), first.organisationId]] : []),
    server,
    clients: {
      first: enrol(first, material.keys.first, material.transports.first),
      second: enrol(
        applicationOf('second', options),
        material.keys.second,
        material.transports.second,
      ),
    },
    renewed: material.renewed,
    elsewhere: material.elsewhere,
    refused: material.refused,
    bankKeys(count) {
      while (keys.length < count) keys.push(createSigningKey(`bank-${keys.length + 1}`))
      return Promise.all(keys.slice(0, count))
    },
    agent,
    material: async () => ({ ...material, port, bankKeys: await Promise.all(keys) }),
    async close() {
      await agent.destroy()
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

/** Subject of the transport certificate. */
function subjectOf({ organisationId, softwareId }: Application): string {
  return `C=GB, O=OpenBanking, OU=${organisationId}, CN=${softwareId}`
}

function applicationOf(name: 'first' | 'second', { redirectUris }: DirectoryOptions): Application {
  const wanted = redirectUris?.[name]
  return wanted ? { ...applications[name], redirectUris: wanted } : applications[name]
}

/** The certificate and key under the option names of Node. */
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
