import type { Finding } from '../judge/rule.ts'

/** What is wrong at a step. */
export interface Found extends Finding {
  /** Id of a requirement, or of the rule that the exchange breaks. */
  id: string
  /** Id of the exchange. */
  exchange: string
}
