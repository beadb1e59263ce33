import { join } from 'node:path'
import { createCleanup } from '../client-session/cleanup.ts'
import { openClientStore } from '../client-session/client-store.ts'
import type { Target } from '../configuration/resolve.ts'
import { authorisationExamination, driverExamination } from './authorisation.ts'
import { type Case, clientsOf, openCase } from './case.ts'
import {
  paperExaminations,
  publishedExamination,
  registrationExamination,
  tokenExamination,
} from './clients.ts'
import { clockFinding } from './clock.ts'
import { consentExamination, deletionExamination, fundsExamination } from './consents.ts'
import { discoveryExaminations } from './discovery.ts'
import { type Examination, examine, type Line, note } from './finding.ts'
import { addressExaminations, transportExamination } from './network.ts'
import {
  environmentExamination,
  hooksExamination,
  productsExamination,
  secretsExamination,
} from './surroundings.ts'

/** Maximum milliseconds for one request, also if the target allows more. */
const PATIENCE = 10_000

/**
 * Checks a target for common mistakes of first runs, in the order of dependencies. Deletes every consent that it
 * creates. Registers a client only if the target allows it, and keeps it. The lines contain no secrets.
 *
 * @param memory folder that stores clients and leftovers of this bank.
 * @param tell called with each line as soon as it is known.
 */
export async function examineTarget(
  target: Target,
  memory: string | undefined,
  tell: (line: Line) => void,
): Promise<Line[]> {
  const opened = openCase(target, PATIENCE)
  const file = (name: string) => memory && join(memory, `${target.name}.${name}`)
  const leftovers = createCleanup(file('leftovers.jsonl'))
  opened.wire.onExchange((exchange) => leftovers.note(exchange))
  const clients = file('clients.json')
  const { redactText } = opened.redactor
  const kept = clients === undefined ? undefined : openClientStore(clients, target, redactText)
  const lines: Line[] = []
  const safely = (line: Line) => {
    const safe = { ...line, text: redactText(line.text) }
    lines.push(safe)
    tell(safe)
  }
  try {
    for await (const line of examine(examinationsOf({ ...opened, kept }))) safely(line)
    const later = memory === undefined ? '' : '; the next run deletes it'
    for (const { kind, id, path } of leftovers.list()) {
      if (kind === 'consent') safely({ name: 'left behind', ...note(`${path}/${id}${later}`) })
    }
    return lines
  } finally {
    await opened.wire.close()
  }
}

/** Every examination of a target, each after those that it needs. */
function examinationsOf(known: Case): Examination[] {
  const { target, clocks } = known
  const clients = clientsOf(target)
  const addresses = addressExaminations(known)
  const clock = {
    name: 'clock',
    async run() {
      const answers = await Promise.all(known.answers.values())
      const answered = answers.some(({ response }) => response !== undefined)
      return clockFinding(clocks, target.clockTolerance, answered)
    },
  }
  const products = productsExamination(known)
  const environment = environmentExamination(known)
  if (target.absent.has('account-information')) return [environment, ...addresses, clock, products]
  return [
    ...clients.flatMap(paperExaminations),
    secretsExamination(known),
    environment,
    ...addresses,
    ...clients.map((client) => publishedExamination(known, client)),
    clock,
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
    products,
  ]
}
