import type { Tpp } from '../client/tpp.ts'
import type { ClientStore } from '../client-session/client-store.ts'
import type { Target, TargetClient } from '../configuration/resolve.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Wire } from '../wire/wire.ts'
import type { Place } from './address.ts'
import type { ClockReading } from './clock.ts'

/** What the examinations of one target share: earlier ones learn what later ones need. */
export interface Case {
  readonly target: Target
  readonly wire: Wire
  /** Milliseconds for one request: a doctor's patience is shorter than a run's. */
  readonly timeout: number
  readonly kept?: ClientStore
  readonly places: Place[]
  readonly tpps: Map<ClientName, Tpp>
  readonly clocks: ClockReading[]
  /** Answers of the addresses, asked at once. */
  readonly answers: Map<Place, Promise<Exchange>>
  /** Access tokens of client_credentials grants, by client and scope. */
  readonly tokens: Map<string, string>
  consentId?: string
  /** The page at the authorisation address. */
  page?: string
}

export type ClientName = 'first' | 'second'

/** The clients that a target has, by name. */
export function clientsOf({ clients }: Target): TargetClient[] {
  return [clients.first, clients.second].filter((client) => client !== undefined)
}

/** The client of the case that bears this name. */
export function tppOf({ tpps }: Case, name: ClientName): Tpp {
  const tpp = tpps.get(name)
  if (!tpp) throw new TypeError(`the target has no client ${name}`)
  return tpp
}
