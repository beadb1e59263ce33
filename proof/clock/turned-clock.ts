import { restartClock } from '../../engine/record/clock.ts'
import { machineTime, shiftDate } from './shifted-date.ts'

/**
 * Changes the clock of this process: `Date` shows another instant, and local times are in another zone. Import it
 * first, so that no module keeps the original `Date`. OpenSSL checks certificates by the system clock, so use instants
 * in the past: certificates made then are valid for ten years.
 */

const zone = process.env.TZ

/** Milliseconds by which this process is ahead of the system clock. */
let ahead = 0

shiftDate(() => ahead)

/** An instant, and a time zone in which a process could run then. */
export interface Moment {
  /** RFC 3339, UTC. */
  at: string
  /** A name of the time zone database. */
  zone: string
}

/** Sets the clock to a moment, from which it continues; without a moment, back to the system clock. */
export function turnClock(moment: Moment | undefined): void {
  ahead = moment ? Date.parse(moment.at) - machineTime() : 0
  // Otherwise the engine would treat it as a clock change during the run, and keep the old time.
  restartClock()
  const name = moment?.zone ?? zone
  if (name === undefined) delete process.env.TZ
  else process.env.TZ = name
}
