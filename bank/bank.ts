import { randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { Server as HttpServer, RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createRecords } from './adapter.ts'
import type { Alteration } from './alteration.ts'
import { alteredMiddleware, alteredPolicies } from './altered.ts'
import { furnish } from './app.ts'
import { createAuthorisationServer } from './authorisation-server.ts'
import { createConsents } from './consents.ts'
import { type Customer, customersOf } from './data/customers.ts'
import { createDirectory, type Directory, secureOptions } from './directory.ts'
import { ageOf, type Inside } from './inside.ts'
import { signAsClient } from './key-sets.ts'
import { type Listener, listenersOf, placesOf } from './layout.ts'
import { createOperator } from './operator.ts'
import { type ListenerName, type Settings, settingsFrom } from './settings.ts'
import { signJws } from './signature.ts'
import { type Target, targetOf } from './target.ts'

export interface BankOptions {
  /** Base port: the listeners take it and those after it. 0 or absent: free ports. */
  port?: number
  /** Number of transactions of customer one's first card, all in one answer. */
  transactions?: number
  /** Faults and variants, applied in order. */
  alterations?: Alteration[]
  /** A directory that several banks share, closed by whoever made it; absent: an own one. */
  directory?: Directory
  /** Settings of the bank, overridden by those of the alterations. */
  settings?: Partial<Settings>
}

export interface Bank {
  /** How to reach it, every credential inline: the shape of a target file. */
  target: Target
  /** The placeholders of the document's address table. */
  addresses: Record<string, string>
  /** Listener of the facts: POST {operatorUrl}/facts/{name}. */
  operatorUrl: string
  /** Where a customer sees and revokes consents. */
  servicingUrl: string
  customers: Customer[]
  /** Alteration id → times it showed itself. */
  firedBy: Map<string, number>
  /** What went wrong inside; of a bank that is right, nothing. */
  problems: unknown[]
  /** A JWT that counts as signed by any TPP; only in a bank that has alterations. */
  signAsClient(claims: Record<string, unknown>): string
  /** A JWT of the bank itself, such as an ID token. */
  signAsBank(claims: Record<string, unknown>, header?: Record<string, unknown>): string
  /** For alterations: everything that the routes work with. */
  inside: Inside
  close(): Promise<void>
}

/** The other end went away before it had its answer: no problem of the bank. */
const hungUp = ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']

/** Starts a bank on 127.0.0.1. It answers when the promise resolves. */
export async function startBank(options: BankOptions = {}): Promise<Bank> {
  const alterations = options.alterations ?? []
  const settings = settingsFrom(options.settings, ...alterations.map((one) => one.settings))
  const directory = options.directory ?? (await createDirectory())
  const firedBy = new Map<string, number>()
  const note = (id: string) => firedBy.set(id, (firedBy.get(id) ?? 0) + 1)
  const policies = alteredPolicies(alterations, note)

  const listeners = listenersOf(settings)
  let handle: RequestListener = (_request, response) => response.destroy()
  const operator = createOperator(() => inside)
  const secure = secureListener(settings, directory, (request, response) =>
    handle(request, response),
  )
  const servers: [ListenerName, HttpServer][] = [
    ...listeners.map((one): [ListenerName, HttpServer] => [one.name, secure(one)]),
    ['operator', operator.server],
  ]
  await Promise.all(
    servers.map(([name, server], index) => {
      const next = options.port ? options.port + index : 0
      return listen(server, settings.ports[name] ?? next)
    }),
  )
  const portOf = new Map(
    servers.map(([name, server]) => [name, (server.address() as AddressInfo).port]),
  )
  const places = placesOf(settings, (name) => `https://127.0.0.1:${portOf.get(name)}`)

  const keys = await directory.bankKeys(settings.jwksKeys)
  const consents = createConsents()
  const records = createRecords((model, id, record) => {
    const seen = policies.stored(model, id, record)
    const consent = seen?.grantId ? consents.ofGrant(seen.grantId) : undefined
    const yields = model === 'RefreshToken' || model === 'AuthorizationCode'
    if (!seen || !consent || !yields || policies.refreshable(consent, ageOf(inside, consent)))
      return seen
    // Codes and refresh tokens live no longer than their consent.
    return { ...seen, exp: Math.floor(Date.now() / 1000) - 3600 }
  })
  const parts = {
    settings,
    policies,
    directory,
    places,
    records,
    consents,
    customers: customersOf(settings.data, options.transactions),
    keys,
    secret: randomBytes(32),
    visitors: new Map<string, Customer>(),
  }
  const provider = createAuthorisationServer(parts, alterations.length > 0)
  const inside: Inside = { ...parts, provider }
  const operatorUrl = `http://127.0.0.1:${portOf.get('operator')}${operator.path}`
  const target = targetOf(inside, operatorUrl)
  const key = keys[0]
  if (!key) throw new RangeError('a bank publishes one key at least')

  const bank: Bank = {
    target,
    addresses: target.addresses,
    operatorUrl,
    servicingUrl: `${places.at.authorisation}/servicing`,
    customers: inside.customers,
    firedBy,
    problems: [],
    signAsClient: (claims) => signAsClient(key, claims),
    signAsBank: (claims, header) => signJws(claims, key, header),
    inside,
    async close() {
      await Promise.all(servers.map(([, server]) => closed(server)))
      if (!options.directory) await directory.close()
    },
  }
  const listenerAt = new Map(listeners.map((one) => [portOf.get(one.name), one]))
  furnish({
    inside,
    bank,
    listenerAt: (port) => listenerAt.get(port),
    altered: alteredMiddleware(alterations, note),
  })
  const app: EventEmitter = provider
  app.on('error', (problem: NodeJS.ErrnoException) => {
    if (!hungUp.includes(problem.code ?? '')) bank.problems.push(problem)
  })
  provider.on('server_error', (_ctx, problem) => {
    bank.problems.push(problem)
  })
  handle = provider.callback()
  return bank
}

function secureListener(settings: Settings, directory: Directory, handle: RequestListener) {
  const common = {
    ...secureOptions(directory.server),
    minVersion: settings.tlsMinVersion,
    maxVersion: settings.tlsMaxVersion,
  }
  return ({ mutual, roles }: Listener) => {
    if (!mutual) return createServer(common, handle)
    const someWithout = roles.includes('token') && !settings.tokenEndpointMtls
    const rejectUnauthorized = settings.tlsRefusal === 'handshake' && !someWithout
    const asking = { ca: directory.authority, requestCert: true, rejectUnauthorized }
    return createServer({ ...common, ...asking }, handle)
  }
}

function listen(server: HttpServer, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    // Longer than any pause of a run: a connection that closes while it is used looks like a fault.
    server.keepAliveTimeout = 120_000
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function closed(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
