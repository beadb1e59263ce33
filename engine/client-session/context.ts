import type { Capability, HookName } from '../configuration/target.ts'
import { answerOf } from '../judge/answer-words.ts'
import { requireReachable } from '../judge/expect.ts'
import { NotApplicable } from '../judge/outcome.ts'
import type { Observation } from '../record/check-result.ts'
import { type Exchange, OwnTrouble } from '../wire/exchange.ts'
import { cellsOf } from './asked-cells.ts'
import type { Approval } from './caller.ts'
import type { NamedConsent } from './consent.ts'
import type { Session } from './session.ts'
import { currentTrace } from './trace.ts'

/** What a check works with; `Used`: the approvals that its options name. */
export type Context<Used extends NamedConsent = never> = Omit<
  ReturnType<typeof contextFor>,
  'steps' | 'has' | 'approved' | 'serve'
> & {
  /** Steps of the happy path; each is sent once and shared by all checks. */
  readonly steps: StepsOf<Used>
  /**
   * True if this run has the approval, whether or not this check requests it. Always false in a quick run, which looks
   * at one case of each kind.
   */
  has: (consent: Used) => boolean
  /** A customer's approval, requested once and shared by all checks. */
  approved: (consent: Used) => Promise<Approval>
  /** Records that this check uses approvals that a shared fixture requested. */
  serve: (consents: readonly Used[]) => void
}

/** Steps of the happy path; steps of an approval only for the approvals that a check names. */
type StepsOf<Used extends NamedConsent> = Omit<Steps, keyof ApprovalSteps> & {
  readonly [Name in keyof ApprovalSteps]: (consent: Used) => ReturnType<Steps[Name]>
}
type Steps = Session['steps']
type ApprovalSteps = Pick<Steps, 'visit' | 'exchange' | 'refresh' | 'accounts'>

/**
 * The context of one check in a session.
 *
 * @param uses the approvals that the check names. To request another one throws, because no plan announced it.
 */
export function contextFor(
  { id, uses }: { id: string; uses: readonly NamedConsent[] },
  session: Session,
  observed: (observation: Observation) => void,
) {
  const { target, steps } = session
  const names = new Set(uses.map(({ name }) => name))
  const ask =
    <T>(send: (consent: NamedConsent) => T) =>
    (consent: NamedConsent): T => {
      if (names.has(consent.name)) return send(consent)
      throw new OwnTrouble(`${id} asks for “${consent.name}”, which its options do not name`)
    }
  return {
    target,
    /** Represents the session: the key for what is remembered as long as the session lasts. */
    session: session as object,
    steps: {
      ...steps,
      visit: ask(steps.visit),
      exchange: ask(steps.exchange),
      refresh: ask(steps.refresh),
      accounts: ask(steps.accounts),
      consent: (consent: NamedConsent) =>
        (consent.dates ? ask(steps.consent) : steps.consent)(consent),
    },
    has({ name, client = 'first', customer = 'first' }: NamedConsent): boolean {
      const { quick, approvals } = session.extent
      if (quick || (approvals && !approvals.has(name))) return false
      return (
        target.clients[client] !== undefined && target.document.customers[customer] !== undefined
      )
    },
    /** Similar cases to which a sentence applies in the same way; only the first in a quick run. */
    cases: <Case>(all: readonly Case[]): readonly Case[] =>
      session.extent.quick ? all.slice(0, 1) : all,
    ...cellsOf(session),
    /** A TPP client before or without registration; not applicable when the target does not have it. */
    tpp: session.tpp,
    /** A registered TPP client that sends requests. */
    caller: session.caller,
    approved: ask(session.approved),
    /** Approvals that customers gave so far, the oldest first: to look at what else is there. */
    given: session.given,
    serve(consents: readonly NamedConsent[]): void {
      for (const consent of consents) {
        ask(({ name }) => currentTrace()?.approvals.add(name))(consent)
      }
    },
    /** Plays a history with its own consents; see historyCheck. */
    playHistory: session.playHistory,
    /** A separate visit of this check to the authorisation page. */
    visit: session.visit,
    /** Two visits at once: the second while the customer of the first waits on the last page. */
    visitsAtOnce: session.visitsAtOnce,
    /** Not applicable if the target does not have this customer. */
    customer: session.customer,
    /**
     * Makes a fact true that only a person at the bank or time can bring about. Not applicable if there is no hook
     * and `comes`, in milliseconds since the epoch, is too far away.
     */
    hook: session.hooks.state,
    /** Not applicable if nobody can make it true and it does not happen by itself soon enough. */
    requireHook(name: HookName): void {
      const { shortLife } = session.hooks
      const soon = name === 'consent-expired' && shortLife !== undefined
      if (!soon) session.hooks.possible(name)
    },
    /** Records behaviour that the documents leave open. */
    observe(what: string, value: unknown, exchange?: Exchange): void {
      if (exchange) requireReachable(exchange)
      const requirement = id.slice(0, id.indexOf('/'))
      observed({ requirement, what, value: spelled(value, exchange), exchange: exchange?.id })
    },
    /** Not applicable if the target declares this capability absent. */
    unlessAbsent(capability: Capability): void {
      if (!target.absent.has(capability)) return
      throw new NotApplicable(`the target declares ${capability} absent`)
    },
    /** Returns the exchange of a request that needs no approval; without an answer, the check ends as blocked. */
    reached(exchange: Exchange): Exchange {
      requireReachable(exchange)
      return exchange
    },
  }
}

/** A value as text for a report; where no answer came, what came instead. */
function spelled(value: unknown, exchange: Exchange | undefined): string {
  if (typeof value === 'string') return value
  if (value === undefined) return exchange && !exchange.response ? answerOf(exchange) : 'absent'
  return JSON.stringify(value)
}
