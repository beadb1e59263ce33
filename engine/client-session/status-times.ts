import { setTimeout as wait } from 'node:timers/promises'
import { member } from '../judge/data-rows.ts'
import type { Exchange } from '../wire/exchange.ts'

/** Milliseconds after which a time that is told to the second has moved on for certain. */
const APART = 2100

/**
 * Waits until a change of Status shows in StatusUpdateDateTime: one to the second stands still for a
 * second.
 *
 * @param shown an answer with the consent.
 * @param since the exchange that changed Status the time before.
 */
export async function untilTimeHasMoved(
  shown: Exchange | undefined,
  since: Exchange | undefined,
): Promise<void> {
  const time = member(shown?.response?.json, 'Data', 'StatusUpdateDateTime')
  if (typeof time !== 'string' || !since || /\.\d*[1-9]/.test(time)) return
  await wait(Math.max(0, Date.parse(since.startedAt) + since.durationMs + APART - Date.now()))
}
