import { join } from 'node:path'
import { createTpp } from '../client/tpp.ts'
import { createCleanup } from '../client-session/cleanup.ts'
import { openClientStore } from '../client-session/client-store.ts'
import type { Target } from '../configuration/resolve.ts'
import { createRedactor } from '../wire/redaction.ts'
import { createWire } from '../wire/wire.ts'
import { authorisationExamination, driverExamination } from './authorisation.ts'
import { type Case, type ClientName, clientsOf } from './case.ts'
import {
  paperExaminations,
  publishedExamination,
  registrationExamination,
  tokenExamination,
} from './clients.ts'
import { consentExamination, deletionExamination, fundsExamination } from './consents.ts'
import { discoveryExaminations } from './discovery.ts'
import { type Examination, examine, type Line, note } from './finding.ts'
import { addressExaminations, clockExamination, transportExamination } from './network.ts'
import { placesOf } from './places.ts'
import { hooksExamination, productsExamination, secretsExamination } from './surroundings.ts'

/** Milliseconds that one request may take, where the target allows more. */
const PATIENCE = 10_000

/**
 * Looks at a target for what most first runs get wrong, in the order in which things depend on each
 * other. Every consent that it creates is deleted again; a client is registered only where the
 * target allows it, and kept. Lines are free of secrets.
 *
 * @param parts.memory folder in which clients and leftovers of this bank are remembered.
 * @param parts.tell called with each line as soon as it is known.
 */
export async function examineTarget(parts: {
  target: Target
  memory?: string
  tell?: (line: Line) => void
}): Promise<Line[]> {
  const { target, tell = () => {} } = parts
  const wire = createWire(target)
  const redactor = createRedactor(target.secrets)
  const file = (name: string) => join(parts.memory ?? '', `${target.name}.${name}.json`)
  const remembers = parts.memory !== undefined
  const leftovers = createCleanup(remembers ? file('leftovers') : undefined)
  wire.onExchange((exchange) => {
    leftovers.note(exchange)
    // Tokens of answers become known as secrets.
    redactor.redactExchange(exchange)
  })
  const known: Case = {
    target,
    wire,
    timeout: Math.min(target.timeout, PATIENCE),
    ...(remembers && { kept: openClientStore(file('clients'), target) }),
    places: placesOf(target),
    tpps: new Map(
      clientsOf(target).map(({ name }) => [name as ClientName, createTpp({ name, target, wire })]),
    ),
    clocks: [],
    answers: new Map(),
    tokens: new Map(),
  }
  const lines: Line[] = []
  const safely = (line: Line) => {
    const safe = { ...line, text: redactor.redactText(line.text) }
    lines.push(safe)
    tell(safe)
  }
  try {
    await examine(examinationsOf(known), safely)
    const left = leftovers.list().filter(({ kind }) => kind === 'consent')
    const later = remembers ? '; the next run deletes it' : ''
    for (const { id, path } of left) {
      safely({ name: 'left behind', ...note(`${path}/${id}${later}`) })
    }
    return lines
  } finally {
    await wire.close()
  }
}

/** Every examination of a target, each after those that it needs. */
function examinationsOf(known: Case): Examination[] {
  const { target } = known
  const clients = clientsOf(target)
  const account = !target.absent.has('account-information')
  const papers = clients.flatMap(paperExaminations)
  const addresses = addressExaminations(known)
  if (!account) return [...addresses, clockExamination(known), productsExamination(known)]
  return [
    ...papers,
    secretsExamination(known),
    ...addresses,
    ...clients.map((client) => publishedExamination(known, client)),
    clockExamination(known),
    ...clients.map((client) => transportExamination(known, client)),
    ...discoveryExaminations(known),
    ...clients.flatMap((client) => [
      registrationExamination(known, client),
      ...[client.scopes.accounts, client.scopes.fundsConfirmation]
        .filter((scope) => scope !== undefined)
        .map((scope) => tokenExamination(known, client, scope)),
    ]),
    consentExamination(known),
    authorisationExamination(known),
    driverExamination(known),
    deletionExamination(known),
    fundsExamination(known),
    hooksExamination(known),
    productsExamination(known),
  ]
}
