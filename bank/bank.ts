import { randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { RequestListener } from 'node:http'
import type { AdapterPayload } from 'oidc-provider'
import { createRecords } from './authorisation-server/adapter.ts'
import { createAuthorisationServer } from './authorisation-server/authorisation-server.ts'
import { signAsClient } from './authorisation-server/key-sets.ts'
import { signJws } from './authorisation-server/signature.ts'
import { thumbprintOf } from './authorisation-server/thumbprint.ts'
import { type Customer, customersOf } from './data/customers.ts'
import { createDirectory, type Directory } from './directory/directory.ts'
import { mount } from './listeners/app.ts'
import { endpointsOf, gatewayAt, listenersOf } from './listeners/endpoints.ts'
import { type Listeners, openListeners } from './listeners/listeners.ts'
import { currentRequest } from './listeners/request-context.ts'
import { noteRefusals } from './listeners/told-reasons.ts'
import { createAdminApi } from './operator/admin-api.ts'
import type { Alteration } from './operator/alteration.ts'
import { alteredMiddleware, alteredPolicies } from './operator/apply-alterations.ts'
import { handshakeSighting, type OnSighting } from './operator/sighting.ts'
import { correct, type Policies } from './policies.ts'
import type { Bank } from './running-bank.ts'
import { createConsents } from './state/consents.ts'
import { type KeptState, unpackState } from './state/kept-state.ts'
import { ageOf, type Services } from './state/services.ts'
import { type ListenerName, type Settings, settingsFrom } from './state/settings.ts'
import { stateOf } from './state/state.ts'
import { targetOf } from './target.ts'

export interface BankOptions {
  /** Base port: the listeners use it and the following ones. 0 or absent: free ports. */
  port?: number
  /**
   * Address of a gateway that ends TLS in front of the bank: it serves the first listener there, and the others at the
   * following ports. The bank itself then speaks plain HTTP (bank/listeners/gateway.ts).
   */
  behindGateway?: string
  /** Number of transactions of the first card of the first customer, all in one answer. */
  transactions?: number
  /** Faults and variants, applied in order. */
  alterations?: Alteration[]
  /** Policies that are replaced before any alteration; they do not count as alterations. */
  policies?: (correct: Policies) => Partial<Policies>
  /** A directory that several banks share; its creator closes it. Absent: the bank makes its own. */
  directory?: Directory
  /** Settings of the bank, overridden by those of the alterations. */
  settings?: Partial<Settings>
  /** State that an earlier bank of the same directory kept when it ended. */
  kept?: KeptState
  /** Called for every request after it is answered, and for connections that failed before a request. */
  onSighting?: OnSighting
}

/** The client disconnected before it got its answer: not a problem of the bank. */
const hungUp = ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE']

/** Starts a bank on 127.0.0.1. It is ready when the promise resolves. */
export async function startBank(options: BankOptions = {}): Promise<Bank> {
  if (options.directory) return startWith(options.directory, options)
  const directory = await createDirectory()
  try {
    const bank = await startWith(directory, options)
    const { close } = bank
    // The same object, not a copy: middleware uses it as ctx.state.bank.
    bank.close = async () => {
      await close()
      await directory.close()
    }
    return bank
  } catch (problem) {
    await directory.close()
    throw problem
  }
}

async function startWith(directory: Directory, options: BankOptions): Promise<Bank> {
  const alterations = options.alterations ?? []
  const settings = settingsOf(options)
  const firedBy = new Map<string, number>()
  const note = (id: string) => noteFired(firedBy, id)
  const policies = alteredPolicies(alterations, note, options.policies?.(correct))
  const keys = await directory.bankKeys(settings.jwksKeys)
  const key = keys[0]
  if (!key) throw new RangeError('a bank publishes one key at least')

  let serve: RequestListener = (_request, response) => response.destroy()
  const operator = createAdminApi(() => services)
  const listeners = await openListeners(settings, directory, {
    handle: (request, response) => serve(request, response),
    operator: operator.server,
    ...(options.port ? { port: options.port } : {}),
    onHandshakeFailure: (problem, socket, address) =>
      options.onSighting?.(handshakeSighting(problem, socket, address)),
  })
  const originOf = (name: ListenerName) =>
    settings.gateway[name] ?? `https://127.0.0.1:${listeners.portOf(name)}`
  const endpoints = endpointsOf(settings, originOf)

  const kept = options.kept && unpackState(options.kept)
  const consents = createConsents(kept?.consents)
  const records = createRecords((model, id, record) => {
    const seen = policies.stored(model, id, record)
    if (seen && model === 'Client') return boundByCertificate(seen)
    const consent = seen?.grantId ? consents.ofGrant(seen.grantId) : undefined
    const yields = model === 'RefreshToken' || model === 'AuthorizationCode'
    if (!seen || !consent || !yields || policies.refreshable(consent, ageOf(services, consent)))
      return seen
    // Codes and refresh tokens do not outlive their consent.
    return { ...seen, exp: Math.floor(Date.now() / 1000) - 3600 }
  }, kept?.records)
  const parts = {
    settings,
    policies,
    directory,
    endpoints,
    records,
    consents,
    customers: customersOf(settings.data, options.transactions),
    started: Date.now(),
    keys,
    secret: kept?.secret ?? randomBytes(32),
    withdrawn: new Set<string>(),
    visitors: new Map<string, Customer>(),
  }
  const provider = createAuthorisationServer(parts, alterations.length > 0)
  const services: Services = { ...parts, provider }
  const operatorUrl = `http://127.0.0.1:${listeners.portOf('operator')}${operator.path}`
  const target = targetOf(services, operatorUrl)

  const bank: Bank = {
    target,
    addresses: target.addresses,
    operatorUrl,
    listeners: listenersOf(settings).map(({ name, mutual }) => {
      return { name, mutual, port: listeners.portOf(name), address: originOf(name) }
    }),
    servicingUrl: `${endpoints.at.authorisation}/servicing`,
    customers: services.customers,
    firedBy,
    problems: [],
    signAsClient: (claims) => signAsClient(key, claims),
    signAsBank: (claims, header) => signJws(claims, key, header),
    services,
    renewCertificate: () => listeners.present(directory.renewed.server),
    impersonate: (by, at) => impersonate(by, at, directory, listeners),
    renewTransport() {
      const { transport } = directory.clients.first
      services.withdrawn.add(thumbprintOf(transport.certificate))
    },
    close: listeners.close,
  }
  mount({
    services,
    bank,
    listenerAt: listeners.at,
    acceptedFor: listeners.acceptedFor,
    altered: alteredMiddleware(alterations, note),
    ...(options.onSighting && { onSighting: options.onSighting }),
  })
  noteRefusals(provider)
  noteProblems(provider, bank.problems)
  serve = provider.callback()
  return bank
}

/**
 * A client whose tokens are bound where this request shows a certificate: without one, the library would refuse a token
 * instead of issuing one that is not bound. RFC 8705 3.4 leaves that to the bank.
 */
function boundByCertificate(client: AdapterPayload): AdapterPayload {
  const ctx = currentRequest()
  if (!ctx || stateOf(ctx).transport.thumbprint) return client
  return { ...client, tls_client_certificate_bound_access_tokens: false }
}

function settingsOf({ settings: own, alterations = [], behindGateway }: BankOptions): Settings {
  const settings = settingsFrom(own, ...alterations.map((one) => one.settings))
  return behindGateway ? { ...settings, gateway: gatewayAt(settings, behindGateway) } : settings
}

/** From the next connection on, another party answers. False when the directory has no certificate for it. */
async function impersonate(
  by: 'stranger' | 'other-host',
  at: ListenerName | undefined,
  { elsewhere }: Directory,
  listeners: Listeners,
): Promise<boolean> {
  const shown = by === 'stranger' ? await strangerCertificate() : elsewhere
  if (!shown) return false
  listeners.present(shown, at)
  listeners.cut()
  return true
}

/** A server certificate of an untrusted authority. */
async function strangerCertificate() {
  const { createAuthority } = await import('./listeners/certificates.ts')
  const stranger = await createAuthority('C=GB, O=Nobody, CN=Unknown Issuing CA')
  return stranger.issueServer()
}

/** Counts that an alteration took effect, and notes it with the current request, if there is one. */
function noteFired(firedBy: Map<string, number>, id: string): void {
  firedBy.set(id, (firedBy.get(id) ?? 0) + 1)
  const ctx = currentRequest()
  if (!ctx) return
  const state = stateOf(ctx)
  state.firedIds = (state.firedIds ?? new Set()).add(id)
}

function noteProblems(provider: Services['provider'], problems: unknown[]): void {
  const app: EventEmitter = provider
  app.on('error', (problem: NodeJS.ErrnoException) => {
    if (!hungUp.includes(problem.code ?? '')) problems.push(problem)
  })
  provider.on('server_error', (_ctx, problem) => {
    problems.push(problem)
  })
}
