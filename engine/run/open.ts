import type { Catalogue } from '../catalogue/catalogue.ts'
import { chooseDriver } from '../journey/drivers/choose.ts'
import { keptClients } from '../journey/kept-clients.ts'
import { createSession, type Session } from '../journey/session.ts'
import type { Target } from '../target/resolve.ts'
import type { Exchange } from '../wire/exchange.ts'
import { createWire } from '../wire/wire.ts'
import type { Suites } from './suites.ts'

/** Opens a session with a target: its wire, its driver, its rules. */
export function openSession(parts: {
  target: Target
  catalogue: Catalogue
  suites: Suites
  /** File of clients registered by earlier runs; without it every run registers its own. */
  keptClients?: string
  onExchange?: (exchange: Exchange) => void
}): Session {
  const { target, catalogue, suites, onExchange } = parts
  const wire = createWire(target)
  const driver = chooseDriver(target, wire)
  const { schemas, rules } = suites
  const clients =
    parts.keptClients === undefined ? undefined : keptClients(parts.keptClients, target)
  return createSession({ target, wire, driver, catalogue, schemas, rules, clients, onExchange })
}
