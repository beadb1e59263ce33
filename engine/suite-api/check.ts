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

/** What is known of a run before anything is sent. */
export interface Foreseen {
  target: TargetDocument
  /** Does a person take part in each visit? */
  attended: boolean
  /** Which cells of a table the run asks. */
  draw: <Each extends Cell>(all: readonly Each[], beside?: readonly Each[]) => readonly Each[]
}

/** What a check costs, and what must be there for it. `assay plan` adds it up before anything is sent. */
export interface CheckOptions<
  Used extends NamedConsent = NamedConsent,
  Spent extends NamedConsent = NamedConsent,
  Over extends NamedConsent = NamedConsent,
> {
  /** The approvals that it uses; it is given no others. */
  uses?: readonly Used[]
  /**
   * Other approvals for which the sentence holds alike. The check is judged under each of them that
   * the run asks for anyway, after the first that it uses, and is one check all the same. A quick run
   * leaves them out.
   */
  over?: readonly Over[]
  /** The same, where the check itself looks at each of them that the run has. */
  beside?: readonly Over[]
  /**
   * The sentence holds for each client: it is judged for the second one as well, with the two in each other's place,
   * on every other night (see --seed). An id and a title: what is found there is told by a check of its own, which follows this one. Of checks that use
   * no approval.
   */
  for?: 'each client' | readonly [id: string, title: string]
  /** The approval that it spends: it runs after every other check of that approval. */
  spends?: Spent
  /**
   * Visits of its own that a right bank ends without a code: how many, or what each is for where
   * another check shares it, or how to tell from what a plan knows.
   */
  refusals?: number | readonly string[] | ((foreseen: Foreseen) => readonly string[])
  /** A visit of its own at which the customer denies, by what it is for. */
  denial?: string
  /** Visits of its own that end in a code, by what each is for. */
  grants?: readonly string[]
  /** What the target must have for it; without that it is not applicable, and not planned. */
  needs?: readonly Need[]
  /**
   * Checks of the same sentence at a closer place. Where one of them is broken too, that is the one
   * finding, and this check is blocked by it.
   */
  follows?: readonly string[]
  /** Tables of values and places that it asks: `assay plan` counts them, and the proof makes faults of them. */
  asks?: readonly { name: string }[]
  /** Registers one more client, which nobody can remove; `where allowed`: it can do without. */
  registers?: boolean | 'where allowed'
  /** Wants a bank that does not know the first client yet: it runs before everything else. */
  first?: boolean
  /** Looks at approvals that other checks ask for when they need them: it runs after everything that reads. */
  late?: boolean
  /** Exhausts the rate limit: done after everything that reads. */
  bursts?: boolean
  /** Ends an approval that everything else needs: the very last thing done. */
  last?: boolean
}

/** A member of the target file, a hook, or a driver that can have one customer wait while another visits. */
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

/** Of the suites imported so far; see createRegistry. */
export const { all: registeredChecks, handTo: handChecksTo } = registry

/**
 * Defines a check: a stimulus, then one verdict.
 *
 * @param id requirement and slug: TXN-17/to-alone.
 * @param title a sentence about the bank.
 * @param run is told under which approval it looks: the first that it uses, then each of `over`.
 * @throws where the id is taken.
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
  // It uses no approval: a context for any serves.
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

/** The approvals that a check needs: it is the reason why they are asked for. */
export function consentsOf({ uses = [], spends }: CheckOptions): readonly NamedConsent[] {
  return spends ? [...uses, spends] : uses
}

/** Every approval that a check may use, also those that it looks at where the run has them anyway. */
export function namedBy(options: CheckOptions): readonly NamedConsent[] {
  return [...consentsOf(options), ...(options.over ?? []), ...(options.beside ?? [])]
}
