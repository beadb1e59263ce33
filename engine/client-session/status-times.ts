import { setTimeout as wait } from 'node:timers/promises'
import { member } from '../judge/data-rows.ts'
import { now } from '../record/clock.ts'
import type { Exchange } from '../wire/exchange.ts'

/**
 * Milliseconds after which a time in this precision has certainly changed: two units of its last digit, plus some for
 * the clocks. 0 if it has milliseconds; a fraction of zeros only counts as no fraction.
 */
export function standsStillFor(time: string): number {
  const digits = /\.(?=\d*[1-9])(\d+)/.exec(time)?.[1]?.length ?? 0
  return digits > 2 ? 0 : 2 * 10 ** (3 - digits) + 100
}

/**
 * Waits until a change of Status would show in StatusUpdateDateTime: a time to the second does not change for a second.
 *
 * @param shown an answer with the consent.
 * @param since the exchange after which nothing has changed it; `shown` itself, where others may have.
 */
export async function untilTimeHasMoved(shown: Exchange | undefined, since: Exchange | undefined) {
  const time = member(shown?.response?.json, 'Data', 'StatusUpdateDateTime')
  if (typeof time !== 'string' || !since) return
  const still = standsStillFor(time)
  if (still === 0) return
  const gone = now() - Date.parse(since.startedAt) - since.durationMs
  // If a clock is set back meanwhile, the result could be hours without this bound.
  await wait(Math.min(still, Math.max(0, still - gone)))
}
