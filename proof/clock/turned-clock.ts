import { restartClock } from '../../engine/record/clock.ts'
import { machineTime, shiftDate } from './shifted-date.ts'

/**
 * Turns the clock of this process: `Date` tells another instant, and local times are those of another zone.
 * Imported before everything else, so that nothing keeps the `Date` of before. What OpenSSL says of a certificate
 * still goes by the machine's clock, so instants lie in the past: certificates made then are valid for ten years.
 */

const zone = process.env.TZ

/** Milliseconds that this process is ahead of the machine. */
let ahead = 0

shiftDate(() => ahead)

/** An instant, and where on Earth a process could run then. */
export interface Moment {
  /** RFC 3339, UTC. */
  at: string
  /** A name of the time zone database. */
  zone: string
}

/** Turns the clock to a moment, from which it goes on; without one back to the machine's. */
export function turnClock(moment: Moment | undefined): void {
  ahead = moment ? Date.parse(moment.at) - machineTime() : 0
  // Otherwise the engine would take it for a step, and go on by the time of before.
  restartClock()
  const name = moment?.zone ?? zone
  if (name === undefined) delete process.env.TZ
  else process.env.TZ = name
}
