import { DAY, HOUR, now } from '../../../../engine/suite-api/clock.ts'
import type { Approval } from '../../../../engine/suite-api/consents.ts'
import { NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import {
  bookedAt,
  type Exchange,
  type Row,
  remembered,
  rowsOf,
  succeeded,
} from '../../../../engine/suite-api/responses.ts'
import { bookedOf } from './booking-times.ts'
import { earliestRead } from './data-reads.ts'

/**
 * The length of the history is open. Many banks show all of it for some minutes after
 * the customer has logged in, and then only ninety days, as without the customer.
 */
const NINETY_DAYS = 90 * DAY

/** A history of this length always exists, however a bank counts days. */
export const HISTORY = NINETY_DAYS - DAY

/** London is ahead of UTC by so much in summer: its days and months begin then. */
const SUMMER_TIME = HOUR

/**
 * May a row be older than the history is by now? Its beginning moves on by days of 24 hours, of UTC or of London, or by
 * whole months. Times are in milliseconds since 1970.
 *
 * @param first when an answer was requested, and when the oldest row that it showed was booked.
 */
export function mayHaveLeft(
  booked: number,
  first: { at: number; oldest: number },
  now: number,
): boolean {
  const days = [booked, 0, -SUMMER_TIME].map(
    (from) => Math.floor((now - from) / DAY) - Math.floor((first.at - from) / DAY),
  )
  const months = [0, SUMMER_TIME].map((ahead) => monthOf(now + ahead) - monthOf(first.at + ahead))
  return booked < first.oldest + DAY * Math.max(...days, 31 * Math.max(...months))
}

/** The number of a month of UTC. */
function monthOf(time: number): number {
  const date = new Date(time)
  return 12 * date.getUTCFullYear() + date.getUTCMonth()
}

/** Does an answer show nothing that was booked before the ninety days before the request, the first of them as a whole? */
export function endsAtNinetyDays(answer: Exchange): boolean {
  return oldestIn(rowsOf(answer)) >= Date.parse(answer.startedAt) - NINETY_DAYS - DAY
}

/** The rows that are shown however long ago the customer has logged in. */
export const ofNinetyDays = (rows: Row[]): Row[] =>
  rows.filter((row) => (bookedAt(row) ?? -Infinity) >= now() - HISTORY)

/**
 * Not applicable where one of the consents now shows ninety days, and showed more before:
 * it cannot be compared with another one, whose customer may have logged in later.
 */
export async function requireWholeHistories(...approvals: Approval[]): Promise<void> {
  for (const approval of approvals) {
    const first = earliestRead(approval, '/transactions')
    if (!first || endsAtNinetyDays(first)) continue
    const now = await approval.get('/transactions')
    if (!succeeded(now) || !endsAtNinetyDays(now)) continue
    throw new NotApplicable('the consent now shows ninety days, and showed more before')
  }
}

/**
 * May the request be refused until the customer logs in again? 3.1.2 has 403 for that, and a login of some time ago opens
 * ninety days of transactions alone.
 */
export const needsLogin = ({ response }: Exchange): boolean => response?.status === 403

/** The time of the oldest booked row, in milliseconds since 1970; Infinity where there is none. */
const oldestIn = remembered((rows: Row[]): number => {
  let oldest = Number.POSITIVE_INFINITY
  for (const row of bookedOf(rows)) oldest = Math.min(oldest, bookedAt(row) ?? oldest)
  return oldest
})
