/** What was done with consents in one state. */
export interface Transition {
  /** `waiting`, `approved`, `in use`, `lapsed`, `deleted`, `revoked`, `expired`, `funds`; absent before there is a consent. */
  from?: string
  /** `read`, `query by another client`, `customer-revokes` */
  event: string
  to?: string
  /** How often it ended in which way. */
  counts: { given: number; refused: number; unknown: number }
}

export interface Transitions {
  transitions: Transition[]
  /** Consents that were created. */
  consents: number
  /** How many different events came, and how many pairs and triples of them, one after the other with one consent. */
  figures: readonly number[]
}
