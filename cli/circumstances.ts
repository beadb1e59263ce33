import { say, shown } from '../engine/report/terminal.ts'
import { commit, drawnMoments } from '../proof/clock/moments.ts'
import type { Circumstances } from '../proof/run/circumstances.ts'
import { number, UsageError } from './usage.ts'

export interface CircumstanceOptions {
  at?: string
  zone?: string
  moments?: string
  delay?: string
}

/**
 * The times and speeds at which banks and TPPs are proven; empty when no option sets any. Times that are drawn at
 * random are printed, so that they can be repeated.
 */
export function circumstancesOf(options: CircumstanceOptions): Circumstances[] {
  const { at, zone = 'UTC' } = options
  const delay = number('--delay', options.delay, 60_000)
  const slow = delay === undefined ? {} : { delay }
  if (!isZone(zone))
    throw new UsageError(`--zone takes a time zone such as Europe/London, not ${zone}`)
  if (at !== undefined) {
    if (!(Date.parse(at) < Date.now()))
      throw new UsageError(
        `--at takes an instant of the past such as 2026-02-28T23:59:58Z, not ${at}`,
      )
    return [{ ...slow, moment: { at, zone } }]
  }
  const drawn = drawnMoments(Date.now(), commit(), number('--moments', options.moments, 200) ?? 0)
  for (const { at, zone, day } of drawn) say(shown`some at ${at} in ${zone} (${day})`)
  if (drawn.length > 0) return drawn.map(({ at, zone }) => ({ ...slow, moment: { at, zone } }))
  return delay === undefined ? [] : [slow]
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
