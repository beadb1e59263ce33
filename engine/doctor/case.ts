import { createTpp, type Tpp } from '../client/tpp.ts'
import type { ClientStore } from '../client-session/client-store.ts'
import type { Target, TargetClient } from '../configuration/resolve.ts'
import type { Exchange } from '../wire/exchange.ts'
import { createRedactor } from '../wire/redaction.ts'
import { createWire } from '../wire/wire.ts'
import type { ClockReading } from './clock.ts'
import { type Place, placesOf } from './places.ts'

/** What the examinations of one target share: earlier ones store what later ones need. */
export interface Case extends ReturnType<typeof openCase> {
  readonly kept?: ClientStore
  consentId?: string
  /** The issuer that the bank states. */
  issuer?: string
  /** What the bank publishes about itself. */
  configuration?: unknown
  /** The page at the authorisation address. */
  page?: string
}

/**
 * Opens a wire to a target. The caller must close it.
 *
 * @param patience maximum milliseconds for one request, also if the target allows more: shorter than in a run.
 */
export function openCase(target: Target, patience: number) {
  const wire = createWire(target)
  const redactor = createRedactor(target.secrets)
  // The tokens in answers become known as secrets.
  wire.onExchange((exchange) => {
    redactor.redactExchange(exchange)
  })
  return {
    target,
    wire,
    redactor,
    timeout: Math.min(target.timeout, patience),
    places: placesOf(target),
    tpps: new Map(
      clientsOf(target).map(({ name }): [string, Tpp] => [name, createTpp({ name, target, wire })]),
    ),
    clocks: [] as ClockReading[],
    /** Answers of the addresses; all are requested at once. */
    answers: new Map<Place, Promise<Exchange>>(),
    /** Access tokens of the first client's client_credentials grants, by scope. */
    tokens: new Map<string, string>(),
  }
}

export function clientsOf({ clients }: Target): TargetClient[] {
  return [clients.first, clients.second].filter((client) => client !== undefined)
}

export function tppOf({ tpps }: Pick<Case, 'tpps'>, name = 'first'): Tpp {
  const tpp = tpps.get(name)
  if (!tpp) throw new TypeError(`the target has no client ${name}`)
  return tpp
}

/** Asks an address without a token. */
export function ask(
  { wire, timeout }: Pick<Case, 'wire' | 'timeout'>,
  url: string,
  deviation: string,
  { identity = 'none', method = 'GET', accept = 'application/json' } = {},
): Promise<Exchange> {
  return wire.send({
    endpoint: 'elsewhere',
    about: { deviation },
    identity,
    method,
    url,
    headers: [['Accept', accept]],
    timeout,
  })
}
