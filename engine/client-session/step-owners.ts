import type { Target } from '../configuration/resolve.ts'
import type { HookName } from '../configuration/target.ts'
import { blockBy, NotApplicable } from '../judge/outcome.ts'
import type { EndpointOwners } from '../judge/results.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Wire } from '../wire/wire.ts'
import type { FundsAddresses } from './caller.ts'
import type { NamedConsent } from './consent.ts'
import type { Ledger } from './ledger/events.ts'
import { traced } from './trace.ts'

/**
 * One message of the happy path, sent once. The run continues whenever the next step's input can be extracted; only the
 * check that owns the message judges it.
 */
export interface Step<T> {
  /** Id of the check that owns this message, or of the rule that its answer breaks. */
  owner: string
  exchange?: Exchange
  /** What later steps need from it; undefined when it cannot be extracted. */
  value?: T
  /** Why there is no value, in words. */
  why: string
}

/** Ids of the checks and rules that the engine depends on. The suites define them: see suites/owners.ts. */
export interface Owners {
  /** The check that owns each step: it judges the first exchange of the step. */
  readonly steps: Readonly<Record<StepName, string>>
  /** The check that registers the first client's software again. */
  readonly laterRegistration: string
  /** The rules about the form of an answer without which the next message has no address. */
  readonly shapes: {
    readonly configuration: string
    readonly members: string
    readonly jwks: string
  }
  /** The check that owns the first correct request to an endpoint. */
  readonly endpoints: EndpointOwners
  /** The checks that show that a hook made its fact true: one that passes is enough. */
  readonly facts: Readonly<Record<HookName, readonly string[]>>
}

export type StepName =
  | 'discovery'
  | 'jwks'
  | 'registration'
  | 'management'
  | 'consent'
  | 'consentWithExpiry'
  | 'consentWithPeriod'
  | 'query'
  | 'deletion'
  | 'visit'
  | 'visitWithoutState'
  | 'visitAgain'
  | 'exchange'
  | 'refresh'
  | 'fundsConfirmation'
  | 'fundsDeletion'
  | 'accounts'
  | 'accountsWithBasicAlone'
  | 'accountsWithDetailAlone'
  | 'balances'
  | 'transactions'
  | 'products'

/** The check that owns GET /accounts under these permissions. */
export function accountsOwner(permissions: readonly string[], { steps }: Owners): string {
  if (!permissions.includes('ReadAccountsDetail')) return steps.accountsWithBasicAlone
  return permissions.includes('ReadAccountsBasic') ? steps.accounts : steps.accountsWithDetailAlone
}

/** The value of a step; without one, this check ends as blocked by the step's owner. */
export function requireValue<T>(step: Step<T>): T {
  if (step.value !== undefined) return step.value
  blockBy(step.owner, step.why, step.exchange)
}

/**
 * The exchange of a step, for the check that owns it.
 *
 * @throws NotApplicable if nothing had to be sent.
 */
export function requireExchange(step: Step<unknown>): Exchange {
  if (step.exchange) return step.exchange
  throw new NotApplicable(step.why)
}

export type StepMemory = ReturnType<typeof stepMemory>

/** What the steps of one session share. */
export interface SharedBySteps {
  target: Target
  wire: Wire
  memory: StepMemory
  owners: Owners
  /** The events of approvals and tokens. */
  ledger: Ledger
  /** Filled in with what the bank turns out to accept. */
  funds: FundsAddresses
}

/** Remembers steps by name; each runs once, on behalf of the check that owns it. */
export function stepMemory() {
  const steps = new Map<string, Promise<Step<unknown>>>()
  return {
    once<T>(
      name: string,
      owner: string,
      run: () => Promise<Omit<Step<T>, 'owner'> & { owner?: string }>,
    ) {
      const known = steps.get(name) as Promise<Step<T>> | undefined
      if (known) return known
      const done = traced(owner, async () => ({ owner, ...(await run()) }))
      steps.set(name, done)
      done.catch(() => {})
      return done
    },
    /** Marks a step as done: another run sent it. */
    restore(name: string, step: Step<unknown>): void {
      steps.set(name, Promise.resolve(step))
    },
    /** Owners of the steps completed so far. */
    async owners(): Promise<Set<string>> {
      const settled = await Promise.allSettled(steps.values())
      return new Set(settled.flatMap((s) => (s.status === 'fulfilled' ? [s.value.owner] : [])))
    },
  }
}

/** The checks that own the steps of an approval; a special property of the approval selects its owner. */
export function ownersOf(consent: NamedConsent, { steps }: Owners) {
  const { expiresInDays, transactionsFromDays, transactionsToDays, withoutState } = consent
  const dated = (transactionsFromDays ?? transactionsToDays) !== undefined
  const undated = dated ? steps.consentWithPeriod : steps.consent
  const again = consent.reconfirms && steps.visitAgain
  return {
    consent: expiresInDays !== undefined ? steps.consentWithExpiry : undated,
    visit: withoutState ? steps.visitWithoutState : (again ?? steps.visit),
    // The code of a re-confirmation is part of it; a separate check owns the exchange of any other code.
    exchange: again ?? steps.exchange,
  }
}
