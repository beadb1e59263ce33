import { join } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { chooseDriver, type DriverOptions } from '../journey/drivers/choose.ts'
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
  /** Folder in which a bank's clients and leftovers are remembered; without it nothing is. */
  memory?: string
  onExchange?: (exchange: Exchange) => void
  /** What the run tells its driver; without it nobody is told that it waits. */
  approvals?: DriverOptions
}): Session {
  const { target, catalogue, suites, onExchange } = parts
  const wire = createWire(target)
  const driver = chooseDriver(target, wire, parts.approvals)
  const { schemas, rules } = suites
  const file = (name: string) => join(parts.memory ?? '', `${target.name}.${name}.json`)
  const remembered = parts.memory !== undefined && {
    clients: keptClients(file('clients'), target),
    leftovers: file('leftovers'),
  }
  return createSession({
    target,
    wire,
    driver,
    catalogue,
    schemas,
    rules,
    onExchange,
    ...remembered,
  })
}
