import type { Catalogue } from '../catalogue/catalogue.ts'
import { chooseDriver } from '../journey/drivers/choose.ts'
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
  onExchange?: (exchange: Exchange) => void
}): Session {
  const { target, catalogue, suites, onExchange } = parts
  const wire = createWire(target)
  const driver = chooseDriver(target, wire)
  const { schemas, rules } = suites
  return createSession({ target, wire, driver, catalogue, schemas, rules, onExchange })
}
