import type { NamedConsent } from '../client-session/consent.ts'
import type { Context } from '../client-session/context.ts'
import type { HookName, TargetDocument } from '../configuration/target.ts'
import type { Cell } from '../judge/cells.ts'
import type { Check } from '../judge/judge.ts'
import { createRegistry } from '../judge/registry.ts'
import { forEachClient, forSecondClient } from './each-client.ts'
import { underEach } from './under-each.ts'

export type { Context } from '../client-session/context.ts'
export type { Level } from '../record/words.ts'

/** What is known about a run before it sends anything. */
export interface Foreseen {
  target: TargetDocument
  /** True if a person takes part in each visit. */
  attended: boolean
  /** Selects the cells of a table that the run asks. */
  draw: <Each extends Cell>(all: readonly Each[], beside?: readonly Each[]) => readonly Each[]
}

/** What a check costs and what it needs. `assay plan` adds this up before anything is sent. */
export interface CheckOptions<
  Used extends NamedConsent = NamedConsent,
  Spent extends NamedConsent = NamedConsent,
  Over extends NamedConsent = NamedConsent,
> {
  /** The approvals that the check uses; it gets no others. */
  uses?: readonly Used[]
  /**
   * Other approvals to which the sentence applies in the same way. The check is judged under each of them that the run
   * requests anyway, after the first one that it uses; it still counts as one check. A quick run leaves them out.
   */
  over?: readonly Over[]
  /** Like `over`, but the check itself looks at each of them that the run has. */
  beside?: readonly Over[]
  /**
   * The sentence applies to each client: on every other night (see --seed) it is also judged for the second client,
   * with the two clients swapped. With an id and a title, the finding for the second client belongs to a separate
   * check, which follows this one. Only for checks that use no approval.
   */
  for?: 'each client' | readonly [id: string, title: string]
  /** The approval that the check consumes: it runs after every other check of that approval. */
  spends?: Spent
  /**
   * Its own visits that a correct bank ends without a code: their number, or the purpose of each where another check
   * shares it, or a function that derives them from what a plan knows.
   */
  refusals?: number | readonly string[] | ((foreseen: Foreseen) => readonly string[])
  /** Its own visit at which the customer denies, named by its purpose. */
  denial?: string
  /** Its own visits that end in a code, each named by its purpose. */
  grants?: readonly string[]
  /** What the target must have. Otherwise the check is not applicable and not planned. */
  needs?: readonly Need[]
  /**
   * Checks of the same sentence at a closer place. Where one of them is broken too, that is the only finding, and it
   * blocks this check.
   */
  follows?: readonly string[]
  /** Tables of values and places that it uses: `assay plan` counts them, and the proof derives faults from them. */
  asks?: readonly { name: string }[]
  /** Registers one more client, which nobody can remove; `where allowed`: the check can do without it. */
  registers?: boolean | 'where allowed'
  /** Needs a bank that does not know the first client yet: the check runs before all others. */
  first?: boolean
  /** Looks at approvals that other checks request when they need them: the check runs after everything that reads. */
  late?: boolean
  /** Exhausts the rate limit: the check runs after everything that reads. */
  bursts?: boolean
  /** Ends an approval that all other checks need: the check runs last. */
  last?: boolean
}

/** A member of the target file, a hook, or a driver that can keep one customer waiting while another visits. */
export type Need =
  | `hooks.${HookName}`
  | 'clients.second'
  | 'customers.second'
  | 'refusedCertificates.expired'
  | 'rateLimitBurst'
  | 'authorisation.two-at-once'

/** A check of the suites, with what it costs. */
export interface SuiteCheck extends Check<Context<NamedConsent>> {
  options: CheckOptions
}

const registry = createRegistry<SuiteCheck>()

/** All checks of the suites imported so far; see createRegistry. */
export const { all: registeredChecks, handTo: handChecksTo } = registry

/**
 * Defines a check: a stimulus, then one verdict.
 *
 * @param id requirement and slug: TXN-17/to-alone.
 * @param title a sentence about the bank.
 * @param run gets the approval to look at: the first that the check uses, then each of `over`.
 * @throws if the id is taken.
 */
export function check<
  Used extends NamedConsent = never,
  Spent extends NamedConsent = never,
  Over extends NamedConsent = never,
>(
  id: string,
  title: string,
  options: CheckOptions<Used, Spent, Over>,
  run: (context: Context<Used | Spent | Over>, consent: Used | Over) => Promise<void>,
): void {
  const { uses: [first] = [], over = [] } = options
  const judge = (context: Context<Used | Spent | Over>) =>
    underEach<Used | Spent | Over, Used | Over>(context, [first as Used, ...over], run)
  if (options.for === undefined) {
    registry.add({ id, title, options, run: judge })
    return
  }
  // It uses no approval, so any context fits.
  const alone = judge as (context: Context) => Promise<void>
  if (options.asks) throw new TypeError(`${id}: the places of a table name the clients`)
  if (options.for === 'each client') {
    registry.add({ id, title, options, run: (context) => forEachClient(id, context, alone) })
    return
  }
  registry.add({ id, title, options, run: judge })
  const { needs = [], follows = [] } = options
  const ofSecond = { needs: [...needs, 'clients.second'] as const, follows: [id, ...follows] }
  const [ownId, ownTitle] = options.for
  registry.add({
    ...{ id: ownId, title: ownTitle, options: { ...options, ...ofSecond } },
    run: (context) => forSecondClient(context, alone),
  })
}

/** The approvals that a check needs: the run requests them for it. */
export function consentsOf({ uses = [], spends }: CheckOptions): readonly NamedConsent[] {
  return spends ? [...uses, spends] : uses
}

/** Every approval that a check may use, including those that it looks at only where the run has them anyway. */
export function namedBy(options: CheckOptions): readonly NamedConsent[] {
  return [...consentsOf(options), ...(options.over ?? []), ...(options.beside ?? [])]
}
