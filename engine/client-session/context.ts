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

/** What a check works with; `Used`: the approvals that it names in its options. */
export type Context<Used extends NamedConsent = never> = Omit<
  ReturnType<typeof contextFor>,
  'steps' | 'has' | 'approved' | 'serve'
> & {
  /** Messages of the happy path, each sent once and shared by all checks. */
  readonly steps: StepsOf<Used>
  /**
   * Does this run have the approval, whether or not this check asks for it? Not in a quick run, which
   * looks at one case of each kind.
   */
  has: (consent: Used) => boolean
  /** A customer's approval, asked for once and shared by all checks. */
  approved: (consent: Used) => Promise<Approval>
  /** Notes that approvals serve this check which something that it shares with others asked for. */
  serve: (consents: readonly Used[]) => void
}

/** Steps of the happy path; those of an approval only for the approvals that a check names. */
type StepsOf<Used extends NamedConsent> = Omit<Steps, keyof ApprovalSteps> & {
  readonly [Name in keyof ApprovalSteps]: (consent: Used) => ReturnType<Steps[Name]>
}
type Steps = Session['steps']
type ApprovalSteps = Pick<Steps, 'visit' | 'exchange' | 'refresh' | 'accounts'>

/**
 * The context of one check in a session.
 *
 * @param uses the approvals that the check names. Another one would be asked for unannounced, and
 *   throws.
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
    /** Stands for the session: the key of what is remembered as long as it lasts. */
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
    /** Cases of one kind that a sentence speaks of alike; the first alone in a quick run. */
    cases: <Case>(all: readonly Case[]): readonly Case[] =>
      session.extent.quick ? all.slice(0, 1) : all,
    ...cellsOf(session),
    /** A TPP client before or without its registration; not applicable when the target has none. */
    tpp: session.tpp,
    /** A registered TPP client at work. */
    caller: session.caller,
    approved: ask(session.approved),
    /** Approvals that customers gave so far, the oldest first: to look at what happens beside them. */
    given: session.given,
    serve(consents: readonly NamedConsent[]): void {
      for (const consent of consents) {
        ask(({ name }) => currentTrace()?.approvals.add(name))(consent)
      }
    },
    /** Plays a history of consents of its own; see historyCheck. */
    playHistory: session.playHistory,
    /** A visit to the authorisation page of this check's own. */
    visit: session.visit,
    /** Two of them at once: the second while the customer of the first waits on the last page. */
    visitsAtOnce: session.visitsAtOnce,
    /** Not applicable unless the target has this customer. */
    customer: session.customer,
    /**
     * Makes a fact true that only somebody inside the bank can, or time: not applicable where there
     * is no hook and `comes`, in milliseconds since the epoch, is too far away.
     */
    hook: session.hooks.state,
    /** Not applicable where nobody can make it true, and it does not come by itself soon enough. */
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
    /** Not applicable where the target declares this absent. */
    unlessAbsent(capability: Capability): void {
      if (!target.absent.has(capability)) return
      throw new NotApplicable(`the target declares ${capability} absent`)
    },
    /** Sends on behalf of a step that needs no approval, and ends here when nobody answers. */
    reached(exchange: Exchange): Exchange {
      requireReachable(exchange)
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
