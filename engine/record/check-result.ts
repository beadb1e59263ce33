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
  /** One sentence; on pass empty. */
  message: string
  expected?: string
  actual?: string
  /** Instance path of the offending place in the body of the first exchange: /Data/Account/0/Currency. */
  place?: string
  /** Id of the check or rule that could not give what this one needs, or a cause in words. */
  blockedBy?: string
  /** Known deviation that covers this result. */
  deviation?: { reason: string; ticket?: string; owner?: string; expires: string }
  /** Where it is defined, from the folder of the package; absent where its sources are not at hand. */
  source?: { file: string; line: number }
  /** File of the case that it plays, as it was named. */
  case?: string
  /** Ids of exchanges that are the evidence; the offending one first. */
  exchanges: string[]
  /** The control of a negative: an exchange without the deviation, and what came of it. */
  control?: { exchange: string; summary: string }
  /** What a table of values and places asked: names of cells, `other-case at query-account-access-consent`. */
  cells?: {
    /** Cells that there are. */
    of: number
    asked: string[]
    broken: string[]
  }
  /** What the check held answers to, of what their records tell: of a pass all of it holds. */
  matched?: Matched[]
  durationMs: number
}

/** A matcher by its name, and the exchange that was held to it. */
export interface Matched {
  exchange: string
  by: string
  /** Of `toHaveStatus`: any of them. */
  statuses?: number[]
}

/** Behaviour that the documents leave open, as a check or rule recorded it. */
export interface Observation {
  requirement: string
  what: string
  value: string
  exchange?: string
}
