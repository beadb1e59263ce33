import type { Moment } from '../clock/turned-clock.ts'

/** When and how fast it is proven: no outcome may depend on it. */
export interface Circumstances {
  /** What the clock says when the bank starts; the machine's clock without it. */
  moment?: Moment
  /** Milliseconds before each of the bank's answers. */
  delay?: number
}
