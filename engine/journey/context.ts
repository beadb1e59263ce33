import type { Tpp } from '../client/tpp.ts'
import { type Check, type CheckOptions, register } from '../judge/check.ts'
import { environment } from '../judge/expect.ts'
import { answerOf } from '../judge/matchers.ts'
import { NotApplicable } from '../judge/outcome.ts'
import type { Target } from '../target/resolve.ts'
import type { Capability, HookName } from '../target/target.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Approval } from './approvals.ts'
import type { Caller } from './caller.ts'
import type { ClientName, CustomerName, NamedConsent } from './consent.ts'
import type { FactSubject } from './facts.ts'
import type { Steps } from './happy-path.ts'
import type { Session } from './session.ts'
import type { Visit } from './visit.ts'
import type { VisitOptions } from './visiting.ts'

/** What a check works with. */
export interface Context {
  readonly target: Target
  /** Messages of the happy path, each sent once and shared by all checks. */
  readonly steps: Steps
  /** A TPP client before or without its registration; not applicable when the target has none. */
  tpp(name?: ClientName): Tpp
  /** A registered TPP client at work. */
  caller(name?: ClientName): Promise<Caller>
  /** A customer's approval, asked for once and shared by all checks. */
  approved(consent: NamedConsent): Promise<Approval>
  /** A visit to the authorisation page of this check's own. */
  visit(options: VisitOptions): Promise<Visit>
  /** Not applicable unless the target has this customer. */
  customer(name: CustomerName): void
  /**
   * Makes a fact true that only somebody inside the bank can, or time: not applicable where there
   * is no hook and `comes`, in milliseconds since the epoch, is too far away.
   */
  fact(name: HookName, subject: FactSubject, comes?: number): Promise<void>
  /** Not applicable where nobody can make it true, and it does not come by itself soon enough. */
  able(name: HookName): void
  /** Records behaviour that the documents leave open. */
  observe(what: string, value: unknown, exchange?: Exchange): void
  /** Not applicable where the target declares this absent. */
  unlessAbsent(capability: Capability): void
  /** Sends on behalf of a step that needs no approval, and ends here when nobody answers. */
  reached(exchange: Exchange): Exchange
}

export type SuiteCheck = Check<Context>

type Run = (context: Context) => Promise<void>

/**
 * Defines a check: a stimulus, then one verdict.
 *
 * @param id requirement and slug: TXN-17/to-alone.
 * @param title a sentence about the bank.
 */
export function check(id: string, title: string, options: CheckOptions, run: Run): void {
  register<Context>({ id, title, options, run })
}

export interface Observation {
  requirement: string
  what: string
  value: string
  exchange?: string
}

/** The context of one check in a session. */
export function contextFor(
  id: string,
  session: Session,
  observed: (observation: Observation) => void,
): Context {
  const { target } = session
  return {
    target,
    steps: session.steps,
    tpp: session.tpp,
    caller: session.caller,
    approved: session.approved,
    visit: session.visit,
    customer: (name) => {
      session.customer(name)
    },
    fact: session.facts.state,
    able(name) {
      const { shortLife } = session.facts
      const soon = name === 'consent-expired' && shortLife !== undefined
      if (!soon) session.facts.possible(name)
    },
    observe(what, value, exchange) {
      if (exchange) environment(exchange)
      observed({
        requirement: id.slice(0, id.indexOf('/')),
        what,
        value: spelled(value, exchange),
        exchange: exchange?.id,
      })
    },
    unlessAbsent(capability) {
      if (target.absent.has(capability)) {
        throw new NotApplicable(`the target declares ${capability} absent`)
      }
    },
    reached(exchange) {
      environment(exchange)
      return exchange
    },
  }
}

/** A value as a report holds it; where an answer did not come, what came instead. */
function spelled(value: unknown, exchange: Exchange | undefined): string {
  if (typeof value === 'string') return value
  if (value === undefined) return exchange && !exchange.response ? answerOf(exchange) : 'absent'
  return JSON.stringify(value)
}
