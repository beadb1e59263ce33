/** Events sent in one state of a consent. */
export interface Transition {
  /** `waiting`, `approved`, `in use`, `lapsed`, `deleted`, `revoked`, `expired`, `funds`; absent before there is a consent. */
  from?: string
  /** `read`, `query by another client`, `customer-revokes` */
  event: string
  to?: string
  /** How often the event ended in each way. */
  counts: { given: number; refused: number; unknown: number }
}

export interface Transitions {
  transitions: Transition[]
  /** Number of consents that were created. */
  consents: number
  /** Number of different events, and of different pairs and triples of consecutive events with one consent. */
  figures: readonly number[]
}
