import type { Lack } from '../record/words.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Finding } from './rule.ts'

export { LACKS, type Lack, type Outcome } from '../record/words.ts'

/** The bank did not do what a check requires. The check's level makes this a fail or a warning. */
export class Nonconformance extends Error {
  readonly expected: string
  readonly actual: string
  readonly exchange: Exchange | undefined
  readonly place: string | undefined
  /** Names of the table cells whose answer was wrong. */
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

/** Why a check cannot be judged: another check, the environment, or missing data. */
export type Cause =
  | { kind: 'check'; id: string }
  | { kind: 'environment'; what: string }
  | { kind: Lack; what: string }

/** The check cannot be judged. This states the reason and never means that the bank is right. */
export class Blocked extends Error {
  readonly because: Cause
  /** The exchange that failed to give what this check relies on. */
  readonly exchange: Exchange | undefined

  constructor(because: Cause, message: string, exchange?: Exchange) {
    super(message)
    this.name = 'Blocked'
    this.because = because
    this.exchange = exchange
  }
}

/** The bank uses a freedom, or the target declares something absent, so there is nothing to judge. */
export class NotApplicable extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'NotApplicable'
  }
}

/**
 * Ends the check as blocked by the check or rule that judges what it needs, for a reason that no matcher of `relyOn`
 * covers.
 *
 * @throws Blocked always.
 */
export function blockBy(owner: string, why: string, exchange?: Exchange): never {
  throw new Blocked({ kind: 'check', id: owner }, why, exchange)
}

/**
 * Ends the check as blocked by something that neither the bank nor Assay caused.
 *
 * @throws Blocked always.
 */
export function blockByEnvironment(what: string, exchange?: Exchange): never {
  throw new Blocked({ kind: 'environment', what }, what, exchange)
}

/**
 * Ends the check as blocked: with the customers' data nothing can tell right from wrong.
 *
 * @param what the data that is needed, in words: “two accounts”.
 * @throws Blocked always.
 */
export function blockForData(what: string): never {
  throw new Blocked({ kind: 'data', what }, `needs ${what}`)
}

/**
 * Ends the check as blocked: because of a freedom that the bank uses, nothing can tell right from wrong. Nobody has to
 * change anything.
 *
 * @param what is needed, in words: “a limit that lasts while the customer is present”.
 * @throws Blocked always.
 */
export function blockForFreedom(what: string): never {
  throw new Blocked({ kind: 'freedom', what }, `needs ${what}`)
}

/**
 * Ends the check as blocked: the target does not name something that is needed to tell right from wrong.
 *
 * @param what is needed, in words, with the member of the target.
 * @throws Blocked always.
 */
export function blockForTarget(what: string): never {
  throw new Blocked({ kind: 'target', what }, `needs ${what}`)
}
