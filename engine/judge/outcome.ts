import type { Exchange } from '../wire/exchange.ts'

export type Outcome =
  | 'pass'
  | 'fail'
  | 'warn'
  | 'observed'
  | 'blocked'
  | 'not-applicable'
  | 'not-run'
  | 'error'

/** The bank did not do what a check asks of it. The check's level makes it a fail or a warning. */
export class Nonconformance extends Error {
  readonly expected: string
  readonly actual: string
  readonly exchange: Exchange | undefined
  readonly place: string | undefined

  constructor(finding: {
    message: string
    expected: string
    actual: string
    exchange?: Exchange
    place?: string
  }) {
    super(finding.message)
    this.name = 'Nonconformance'
    this.expected = finding.expected
    this.actual = finding.actual
    this.exchange = finding.exchange
    this.place = finding.place
  }
}

/** Why a check cannot be judged: another check, what the environment did, or data that lacks. */
export type Cause =
  | { kind: 'check'; id: string }
  | { kind: 'environment'; what: string }
  | { kind: 'data'; what: string }

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

/** Ends the check as blocked: the bank's data cannot tell right from wrong. */
export function lacking(what: string): never {
  throw new Blocked({ kind: 'data', what }, `needs ${what}`)
}
