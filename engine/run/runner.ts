import type { Catalogue } from '../catalogue/catalogue.ts'
import { contextFor, type Observation, type SuiteCheck } from '../journey/context.ts'
import type { Session } from '../journey/session.ts'
import { OWNERS } from '../journey/steps.ts'
import { traced } from '../journey/trace.ts'
import type { EndpointOwners, Result } from '../judge/fold.ts'
import { judge } from '../judge/judge.ts'
import { Blocked, Nonconformance } from '../judge/outcome.ts'

/** Which check owns the happy path of an endpoint. */
export const ENDPOINT_OWNERS: EndpointOwners = {
  discovery: OWNERS.discovery,
  jwks: OWNERS.jwks,
  registration: OWNERS.registration,
  token: OWNERS.management,
  authorisation: OWNERS.visit,
  'create-account-access-consent': OWNERS.consent,
  'query-account-access-consent': OWNERS.query,
  'delete-account-access-consent': OWNERS.deletion,
  'create-funds-confirmation-consent': OWNERS.fundsConfirmation,
  'delete-funds-confirmation-consent': OWNERS.fundsDeletion,
  accounts: OWNERS.accounts,
  account: OWNERS.accounts,
  balances: OWNERS.balances,
  'account-balances': OWNERS.balances,
  transactions: OWNERS.transactions,
  'account-transactions': OWNERS.transactions,
  products: OWNERS.products,
}

/** One check, judged, with what came with it. */
export interface Judgement {
  result: Result
  observations: Observation[]
  /** Approvals that it used. */
  approvals: string[]
}

/** Judges one check in a session. Never throws. */
export async function judgeOne(
  check: SuiteCheck,
  session: Session,
  catalogue: Catalogue,
): Promise<Judgement> {
  const requirement = catalogue.owners.get(check.id)
  if (!requirement) throw new Error(`${check.id} is not in specs/`)
  const observations: Observation[] = []
  const context = contextFor(check.id, session, (observation) => observations.push(observation))
  const { judged, trace } = await traced(check.id, async (trace) => ({
    judged: await judge({ ...check, run: alive(check, session) }, context, requirement.level, () =>
      trace.broken.at(-1),
    ),
    trace,
  }))
  const { exchange, because, id, outcome, message, expected, actual, place, durationMs } = judged
  const others = trace.exchanges.map((x) => x.id).filter((other) => other !== exchange?.id)
  return {
    observations,
    approvals: [...trace.approvals],
    result: {
      id,
      requirement: requirement.id,
      level: requirement.level,
      kind: 'check',
      title: check.title,
      outcome,
      message,
      expected,
      actual,
      place,
      because,
      exchanges: [...(exchange ? [exchange.id] : []), ...others.slice(-20)],
      durationMs,
    },
  }
}

/**
 * A check that looks first whether the bank is still there, and again when it ends with a request that
 * nobody answered: a bank that is down breaks no sentence of the documents.
 */
function alive(check: SuiteCheck, session: Session): SuiteCheck['run'] {
  return async (context) => {
    await session.alive()
    try {
      await check.run(context)
    } catch (error) {
      if (unanswered(error)) await session.alive(true)
      throw error
    }
  }
}

function unanswered(error: unknown): boolean {
  if (!(error instanceof Nonconformance || error instanceof Blocked)) return false
  const kind = error.exchange?.failure?.kind
  return kind === 'timeout' || kind === 'unreachable'
}
