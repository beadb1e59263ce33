import type { KeyObject } from 'node:crypto'
import { resolve } from 'node:path'
import { type Endpoints, endpointsOf, type Layout, layoutOf } from './addresses.ts'
import { signingKey } from './material.ts'
import { secretsOf } from './secrets.ts'
import type { Capability, ClientDocument, TargetDocument, TransportDocument } from './target.ts'

/** A TPP client of the target with its signing key loaded. */
export interface TargetClient extends ClientDocument {
  name: string
  signingKey: KeyObject
}

/** The bank under test and how to reach it: what the rest of the engine works with. */
export interface Target
  extends Pick<TargetDocument, 'name' | 'trust' | 'proxy' | 'requestsPerMinute'> {
  document: TargetDocument
  layout: Layout
  endpoints: Endpoints
  clients: { first: TargetClient; second?: TargetClient }
  /** Client certificates by the name of the identity that offers them. */
  transports: Record<string, TransportDocument>
  /** Time limit for one whole request, in milliseconds. */
  timeout: number
  /** Maximum size of a response body, in bytes. */
  maxResponseSize: number
  /** Seconds by which the bank's clock may differ. */
  clockTolerance: number
  /** Expected issuer if discovery gives none: the target's, else derived from the discovery address. */
  issuer: string
  /** Name of the claim that carries the intent id. */
  intentClaim: string
  absent: ReadonlySet<Capability>
  /** True if a person is needed at the bank's pages. */
  attended: boolean
  /** Milliseconds until the end of a consent takes effect everywhere, and until what is new is known everywhere. */
  settlingTime: number
  /** Milliseconds that a run may wait for a token or a consent to expire by itself. */
  expiryPatience: number
  /** Directory to which relative paths of the target file are relative. */
  base: string
  /** Every secret value that redaction must know. */
  secrets: string[]
}

/** The claim for the intent ID at UK banks: no document names it. */
export const USUAL_INTENT_CLAIM = 'openbanking_intent_id'

/** The document without the parties that it declares absent, even if it describes them. */
export function withoutAbsent(document: TargetDocument): TargetDocument {
  const { clients, customers, absent = [] } = document
  const lacks = (capability: Capability) => absent.includes(capability)
  const first = lacks('second-account') ? { accounts: 1, ...customers.first } : customers.first
  const { second } = customers
  return {
    ...document,
    clients: lacks('second-client') ? { first: clients.first } : clients,
    customers: lacks('second-customer') || !second ? { first } : { first, second },
  }
}

/**
 * Makes a target from a complete document: the form of a target file, with everything inline.
 *
 * @param base directory of the target file, for commands of hooks. Default: the working directory.
 * @throws Error of node:crypto when a signing key cannot be loaded; readTargetFile explains it in words.
 */
export function targetFrom(described: TargetDocument, base: string = process.cwd()): Target {
  const document = withoutAbsent(described)
  const endpoints = endpointsOf(document)
  const { first, second } = document.clients
  const { expired, untrusted } = document.refusedCertificates ?? {}
  const offered = { first: first.transport, second: second?.transport, expired, untrusted }
  const transports = Object.entries(offered).filter(([, transport]) => transport !== undefined)
  return {
    document,
    name: document.name,
    layout: layoutOf(document.addresses),
    endpoints,
    clients: {
      first: clientFrom('first', first),
      ...(second && { second: clientFrom('second', second) }),
    },
    transports: Object.fromEntries(transports) as Target['transports'],
    trust: document.trust?.length ? document.trust : undefined,
    proxy: document.proxy || undefined,
    timeout: (document.timeout ?? 30) * 1000,
    maxResponseSize: document.maxResponseSize ?? 64 * 1024 * 1024,
    requestsPerMinute: document.requestsPerMinute,
    clockTolerance: document.clockTolerance ?? 60,
    issuer: document.issuer ?? endpoints.discovery.replace(/\/\.well-known\/[^/]+$/, ''),
    intentClaim: document.literals?.intentClaim ?? USUAL_INTENT_CLAIM,
    absent: new Set(document.absent ?? []),
    attended: isAttended(document),
    settlingTime: settlingTimeOf(document),
    expiryPatience: expiryPatienceOf(document) * 1000,
    base: resolve(base),
    secrets: secretsOf(document),
  }
}

/** True if a person is needed at the bank's pages. */
export function isAttended({ authorisation: { attended, driver } }: TargetDocument): boolean {
  return attended ?? driver === 'ask'
}

/** Seconds that a run may wait for a token or a consent to expire by itself. */
export function expiryPatienceOf({ expiryPatience }: TargetDocument): number {
  return expiryPatience ?? 60
}

function clientFrom(name: string, client: ClientDocument): TargetClient {
  return { ...client, name, signingKey: signingKey(client.signing) }
}

/** In milliseconds; 10 seconds if the target gives none. */
export function settlingTimeOf({
  settlingTime = 10,
}: Pick<TargetDocument, 'settlingTime'>): number {
  return settlingTime * 1000
}
