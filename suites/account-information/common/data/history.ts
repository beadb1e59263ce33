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
 * How far the history reaches is open. Many banks show all of it for some minutes after the customer has logged in,
 * and ninety days from then on, as without the customer.
 */
const NINETY_DAYS = 90 * 24 * 60 * 60 * 1000

/** Fewer days than those are there in any case, however a bank counts them. */
export const HISTORY = NINETY_DAYS - 24 * 60 * 60 * 1000

/** Does an answer show nothing that was booked more than ninety days before it was asked for? */
export function endsAtNinetyDays(answer: Exchange): boolean {
  return oldestIn(rowsOf(answer)) >= Date.parse(answer.startedAt) - NINETY_DAYS
}

/**
 * Ends the check as not applicable where one of the consents shows ninety days by now, and showed more before: it is
 * no measure of another one, whose customer may have logged in later.
 */
export async function requireWholeHistories(...approvals: Approval[]): Promise<void> {
  for (const approval of approvals) {
    const first = earliestRead(approval, '/transactions')
    if (!first || endsAtNinetyDays(first)) continue
    const now = await approval.get('/transactions')
    if (!succeeded(now) || !endsAtNinetyDays(now)) continue
    throw new NotApplicable('a consent shows ninety days by now, and showed more before')
  }
}

/** When the oldest of the booked rows was booked, milliseconds since 1970; Infinity where there is none. */
const oldestIn = remembered((rows: Row[]): number => {
  let oldest = Number.POSITIVE_INFINITY
  for (const row of bookedOf(rows)) oldest = Math.min(oldest, bookedAt(row) ?? oldest)
  return oldest
})
