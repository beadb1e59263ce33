import { Blocked, NotApplicable } from '../judge/outcome.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { NamedConsent } from './consent.ts'
import { traced } from './trace.ts'

/**
 * One message of the happy path, sent once. It goes on whenever what follows can be extracted; only
 * the check that owns it judges it.
 */
export interface Step<T> {
  /** Id of the check that owns this message, or of the rule that its answer breaks. */
  owner: string
  exchange?: Exchange
  /** What the rest of the journey needs of it; undefined when it cannot be extracted. */
  value?: T
  /** Why there is no value, in words. */
  why: string
}

/** The checks that own the steps: each of them judges the first exchange of its step. */
export const OWNERS = {
  discovery: 'DISC-01/served',
  jwks: 'DISC-10/served',
  registration: 'REG-08/created',
  management: 'TOK-03/client-credentials',
  consent: 'CONS-01/answers-201',
  consentWithExpiry: 'CONS-13/accepted',
  consentWithPeriod: 'CONS-14/accepted',
  query: 'CONS-22/answers-200',
  deletion: 'CLC-01/awaiting',
  visit: 'AUTHZ-01/approved',
  visitWithoutState: 'AUTHZ-05/without-state',
  visitAgain: 'AUTHZ-16/same-intent',
  exchange: 'TOK-03/authorization-code',
  refresh: 'TOK-03/refresh-token',
  fundsConfirmation: 'FCC-01/answers-201',
  fundsDeletion: 'FCC-12/answers-204',
  accounts: 'ACC-01/answers-200',
  balances: 'BAL-01/answers-200',
  transactions: 'TXN-01/answers-200',
  products: 'PROD-01/answers-200',
} as const

const BASIC_ALONE = 'ACC-11/basic-alone'
const DETAIL_ALONE = 'ACC-11/detail-alone'

/** Every check that owns a step. */
export const STEP_OWNERS: readonly string[] = [...Object.values(OWNERS), BASIC_ALONE, DETAIL_ALONE]

/** The check that owns GET /accounts under these permissions. */
export function accountsOwner(permissions: readonly string[]): string {
  if (!permissions.includes('ReadAccountsDetail')) return BASIC_ALONE
  return permissions.includes('ReadAccountsBasic') ? OWNERS.accounts : DETAIL_ALONE
}

/** The value of a step, or the end of this check: blocked by the step's owner. */
export function taken<T>(step: Step<T>): T {
  if (step.value !== undefined) return step.value
  throw new Blocked({ kind: 'check', id: step.owner }, step.why, step.exchange)
}

/** The exchange of a step, for the check that owns it; not applicable when nothing had to be sent. */
export function exchangeOf(step: Step<unknown>): Exchange {
  if (step.exchange) return step.exchange
  throw new NotApplicable(step.why)
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
    /** Takes a step as done: another run sent it. */
    restore(name: string, step: Step<unknown>): void {
      steps.set(name, Promise.resolve(step))
    },
    /** Owners of the steps taken so far. */
    async owners(): Promise<Set<string>> {
      const settled = await Promise.allSettled(steps.values())
      return new Set(settled.flatMap((s) => (s.status === 'fulfilled' ? [s.value.owner] : [])))
    },
  }
}

/** The check that owns the creation of a consent: that of the dates it asks for, if any. */
export function consentOwner(consent: NamedConsent): string {
  if (consent.expiresInDays !== undefined) return OWNERS.consentWithExpiry
  const dated = [consent.transactionsFromDays, consent.transactionsToDays]
  return dated.some((days) => days !== undefined) ? OWNERS.consentWithPeriod : OWNERS.consent
}

/** The check that owns the visit of an approval: the one thing that is special about it, if any. */
export function visitOwner({ withoutState, reconfirms }: NamedConsent): string {
  if (withoutState) return OWNERS.visitWithoutState
  return reconfirms ? OWNERS.visitAgain : OWNERS.visit
}

/** A code of a re-confirmation is part of it; any other is exchanged by a check of its own. */
export function exchangeOwner({ reconfirms }: NamedConsent): string {
  return reconfirms ? OWNERS.visitAgain : OWNERS.exchange
}
