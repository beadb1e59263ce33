import { randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { RequestListener } from 'node:http'
import { createRecords } from './adapter.ts'
import type { Alteration } from './alteration.ts'
import { alteredMiddleware, alteredPolicies } from './altered.ts'
import { furnish } from './app.ts'
import { createAuthorisationServer } from './authorisation-server.ts'
import { createConsents } from './consents.ts'
import { type Customer, customersOf } from './data/customers.ts'
import { createDirectory, type Directory } from './directory.ts'
import { ageOf, type Inside } from './inside.ts'
import { signAsClient } from './key-sets.ts'
import { placesOf } from './layout.ts'
import { openListeners } from './listeners.ts'
import { createOperator } from './operator.ts'
import { type Settings, settingsFrom } from './settings.ts'
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
  if (options.directory) return startWith(options.directory, options)
  const directory = await createDirectory()
  try {
    const bank = await startWith(directory, options)
    const { close } = bank
    // The same object, not a copy: middleware has it as ctx.state.bank.
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
  const settings = settingsFrom(options.settings, ...alterations.map((one) => one.settings))
  const firedBy = new Map<string, number>()
  const note = (id: string) => firedBy.set(id, (firedBy.get(id) ?? 0) + 1)
  const policies = alteredPolicies(alterations, note)
  const keys = await directory.bankKeys(settings.jwksKeys)
  const key = keys[0]
  if (!key) throw new RangeError('a bank publishes one key at least')

  let serve: RequestListener = (_request, response) => response.destroy()
  const operator = createOperator(() => inside)
  const listeners = await openListeners(settings, directory, {
    handle: (request, response) => serve(request, response),
    operator: operator.server,
    ...(options.port ? { port: options.port } : {}),
  })
  const places = placesOf(settings, (name) => `https://127.0.0.1:${listeners.portOf(name)}`)

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
  const operatorUrl = `http://127.0.0.1:${listeners.portOf('operator')}${operator.path}`
  const target = targetOf(inside, operatorUrl)

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
    close: listeners.close,
  }
  furnish({
    inside,
    bank,
    listenerAt: listeners.at,
    altered: alteredMiddleware(alterations, note),
  })
  const app: EventEmitter = provider
  app.on('error', (problem: NodeJS.ErrnoException) => {
    if (!hungUp.includes(problem.code ?? '')) bank.problems.push(problem)
  })
  provider.on('server_error', (_ctx, problem) => {
    bank.problems.push(problem)
  })
  serve = provider.callback()
  return bank
}
