import { DAY, now } from '../../../../engine/suite-api/clock.ts'
import type { Approval, ConsentData, NamedConsent } from '../../../../engine/suite-api/consents.ts'
import { bookingTimes, isBooked, type Row, rowsOf } from '../../../../engine/suite-api/responses.ts'
import { inUtc, justAfter, justBefore } from '../data/booking-times.ts'
import { firstRead } from '../data/data-reads.ts'

/** The ends that a period has. */
type Ends = 'both' | 'from' | 'to'

/**
 * A transaction period whose ends lie close to bookings that it excludes, so that a shift by a time zone or
 * rounding to days shows. Undefined where the data has no such place: then the days of the table are used.
 *
 * @param of an approval of the same customer without a period.
 * @param indicator of the transactions under the consent, if it permits only one kind.
 */
export function periodAmong(
  of: NamedConsent,
  ends: Ends,
  indicator?: 'Credit' | 'Debit',
): NonNullable<NamedConsent['dates']> {
  return {
    of,
    async choose(approval) {
      const rows = await bookedRows(approval)
      const given = rows.filter((row) => !indicator || row.CreditDebitIndicator === indicator)
      return periodOver(bookingTimes(given), ends)
    },
  }
}

async function bookedRows(approval: Approval): Promise<Row[]> {
  return rowsOf(await firstRead(approval, '/transactions')).filter(isBooked)
}

/**
 * A period with only a start begins within the data if the data reaches further back than this. Where a bank
 * shows less, often ninety days, it begins before the data, and shows whether a period makes the bank show more.
 */
const REACH = 100 * DAY

/** About a third of the bookings is before the start, and a third after the end. */
function periodOver(times: number[], ends: Ends): Partial<ConsentData> | undefined {
  const last = times.length - 1
  const third = Math.floor(last / 3)
  const reaches = ends === 'both' || (times[0] ?? Number.NaN) < now() - REACH
  const from = ends !== 'to' && reaches ? justAfter(times, 0, Math.min(third, last - 1)) : undefined
  const to = ends === 'from' ? undefined : justBefore(times, Math.max(last - third, 1), last)
  if (ends !== 'from' && !to) return undefined
  if (from && to && to.index - from.index < 2) return undefined
  return {
    ...(from && { TransactionFromDateTime: inUtc(from.instant) }),
    ...(to && { TransactionToDateTime: inUtc(to.instant) }),
  }
}
