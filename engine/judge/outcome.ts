import type { Lack } from '../record/words.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Finding } from './rule.ts'

export { LACKS, type Lack, type Outcome } from '../record/words.ts'

/** The bank did not do what a check asks of it. The check's level makes it a fail or a warning. */
export class Nonconformance extends Error {
  readonly expected: string
  readonly actual: string
  readonly exchange: Exchange | undefined
  readonly place: string | undefined
  /** Names of the cells of a table that broke. */
  readonly cells: readonly string[]

  constructor(finding: Finding & { exchange?: Exchange; cells?: readonly string[] }) {
    super(finding.message)
    this.name = 'Nonconformance'
    this.expected = finding.expected
    this.actual = finding.actual
    this.exchange = finding.exchange
    this.place = finding.place
    this.cells = finding.cells ?? []
  }
}

/** Why a check cannot be judged: another check, what the environment did, or data that lacks. */
export type Cause =
  | { kind: 'check'; id: string }
  | { kind: 'environment'; what: string }
  | { kind: Lack; what: string }

/** The check cannot be judged; says why, never that the bank is right. */
export class Blocked extends Error {
  readonly because: Cause
  /** What failed to give what this check relies on. */
  readonly exchange: Exchange | undefined

  constructor(because: Cause, message: string, exchange?: Exchange) {
    super(message)
    this.name = 'Blocked'
    this.because = because
    this.exchange = exchange
  }
}

/** The bank took a freedom, or the target declares something absent, so that nothing is to judge. */
export class NotApplicable extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'NotApplicable'
  }
}

/**
 * Ends the check as blocked by the check or rule that judges what it needs, for a reason that no
 * matcher of `relyOn` covers.
 *
 * @throws Blocked always.
 */
export function blockBy(owner: string, why: string, exchange?: Exchange): never {
  throw new Blocked({ kind: 'check', id: owner }, why, exchange)
}

/**
 * Ends the check as blocked by something that is neither the bank's doing nor ours.
 *
 * @throws Blocked always.
 */
export function blockByEnvironment(what: string, exchange?: Exchange): never {
  throw new Blocked({ kind: 'environment', what }, what, exchange)
}

/**
 * Ends the check as blocked: the customers' data cannot tell right from wrong.
 *
 * @param what data that could, in words: “two accounts”.
 * @throws Blocked always.
 */
export function blockForData(what: string): never {
  throw new Blocked({ kind: 'data', what }, `needs ${what}`)
}

/**
 * Ends the check as blocked: a freedom that the bank takes leaves nothing that could tell right from wrong, and nobody
 * need change anything.
 *
 * @param what would tell, in words: “a limit that lasts while the customer is present”.
 * @throws Blocked always.
 */
export function blockForFreedom(what: string): never {
  throw new Blocked({ kind: 'freedom', what }, `needs ${what}`)
}

/**
 * Ends the check as blocked: the target does not name what would tell right from wrong.
 *
 * @param what would, in words, with the member of the target.
 * @throws Blocked always.
 */
export function blockForTarget(what: string): never {
  throw new Blocked({ kind: 'target', what }, `needs ${what}`)
}
