import type { Level, Outcome } from './words.ts'

/** One check or rule, judged. */
export interface CheckResult {
  /** TXN-17/to-alone */
  id: string
  requirement: string
  level: Level
  /** An active check with a stimulus, or a rule over all exchanges. */
  kind: 'check' | 'rule'
  title: string
  outcome: Outcome
  /** One sentence; empty on pass. */
  message: string
  expected?: string
  actual?: string
  /** Path to the offending place in the body of the first exchange: /Data/Account/0/Currency. */
  place?: string
  /** Id of the check or rule that did not give what this one needs, or a cause in words. */
  blockedBy?: string
  /** Known deviation that covers this result. */
  deviation?: { reason: string; ticket?: string; owner?: string; expires: string }
  /** Where it is defined, relative to the folder of the package; absent if the sources are not available. */
  source?: { file: string; line: number }
  /** File of the case that the check replays, as the user named it. */
  case?: string
  /** Ids of exchanges that are the evidence; the offending one first. */
  exchanges: string[]
  /** The control of a negative test: an exchange without the deviation, and its result. */
  control?: { exchange: string; summary: string }
  /** What was asked from a table of values and places: names of cells, `other-case at query-account-access-consent`. */
  cells?: {
    /** Number of cells in the table. */
    of: number
    asked: string[]
    broken: string[]
  }
  /** The matchers that the check applied and that can be reproduced from the records: after a pass all of them hold. */
  matched?: Matched[]
  durationMs: number
}

/** A matcher by name, and the exchange that it judged. */
export interface Matched {
  exchange: string
  by: string
  /** For `toHaveStatus`: any of these is correct. */
  statuses?: number[]
}

/** Behaviour that the documents leave open, as a check or rule recorded it. */
export interface Observation {
  requirement: string
  what: string
  value: string
  exchange?: string
}
