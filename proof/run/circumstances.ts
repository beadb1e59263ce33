import type { Moment } from '../clock/turned-clock.ts'

/** Time and speed of a proof; no outcome may depend on them. */
export interface Circumstances {
  /** The clock's time when the bank starts; absent: the system clock. */
  moment?: Moment
  /** Milliseconds before each of the bank's answers. */
  delay?: number
}
