/** An active test: a stimulus, then one verdict. `C` is what its run is given. */
export interface Check<C = never> {
  /** TXN-17/to-alone; the part before the slash is the requirement. */
  id: string
  /** A sentence about the bank. */
  title: string
  run: (context: C) => Promise<void>
  options: CheckOptions
}

export interface CheckOptions {
  /** Names of the approvals that it uses. */
  uses?: readonly string[]
  /** Name of the approval that it spends: it runs after every other check of that approval. */
  spends?: string
  /**
   * Visits of its own that a right bank ends without a code: how many, or what each is for where
   * another check shares it.
   */
  refusals?: number | readonly string[]
  /** A visit of its own at which the customer denies, by what it is for. */
  denial?: string
  /** Visits of its own that end in a code, by what each is for. */
  grants?: readonly string[]
  /** What the target must have for it. */
  needs?: readonly string[]
  /** Registers one more client, which nobody can remove. */
  registers?: boolean
  /** Exhausts the rate limit: the last thing done. */
  bursts?: boolean
}

const registered: Check<never>[] = []
const listeners = new Set<(check: Check<never>) => void>()

/** Adds a check to the suite. Ids are unique. */
export function register<C>(check: Check<C>): void {
  if (registered.some(({ id }) => id === check.id)) throw new Error(`${check.id} is defined twice`)
  registered.push(check as Check<never>)
  for (const listener of listeners) listener(check as Check<never>)
}

/** All checks of the suites imported so far, in the order of import. */
export function registeredChecks<C>(): Check<C>[] {
  return registered as unknown as Check<C>[]
}

/** Calls back for each check that a suite defines from now on: how a test runner learns of them. */
export function onCheck(listener: (check: Check<never>) => void): void {
  listeners.add(listener)
}

/** The requirement's id within the id of a check or rule. */
export function requirementOf(id: string): string {
  return id.slice(0, id.indexOf('/'))
}
