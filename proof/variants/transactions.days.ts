import type { Row } from '../../bank/data/transactions.ts'
import { stateOf } from '../../bank/state/state.ts'
import { rowsOf } from '../altering/data-requests.ts'
import type { Variant } from '../run/proof.ts'

const DAY = 86_400_000

/** The midnight in London at which the day of an instant begins; summer time from April to October, about. */
function dayOf(instant: number): number {
  const month = new Date(instant).getUTCMonth()
  const ahead = month > 2 && month < 9 ? 3_600_000 : 0
  return Math.floor((instant + ahead) / DAY) * DAY - ahead
}

/** A filter or a period takes the whole of its days, at which `placed` puts the rows. */
const wholeDays =
  (placed: (row: Row, index: number) => number): NonNullable<Variant['policies']> =>
  (correct, { fired }) => {
    const days = (period: { from?: number; to?: number }) => ({
      ...(period.from !== undefined && { from: dayOf(period.from) }),
      ...(period.to !== undefined && { to: dayOf(period.to) + DAY - 1 }),
    })
    return {
      rowsBooked(rows) {
        fired()
        return rows.map((row, index) => ({ ...row, booked: dayOf(placed(row, index)) }))
      },
      bookedWithin: (row, period, endpoint) => correct.bookedWithin(row, days(period), endpoint),
      withinConsentPeriod(row, { transactionsFrom: from, transactionsTo: to }) {
        const period = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
        return correct.bookedWithin(row, days(period), 'transactions')
      },
    }
  }

/** Half past two in the afternoon of each day before yesterday, one row a day. */
const ofEachDay = ({ status, booked }: Row, index: number): number =>
  status === 'Booked' ? (Math.floor(Date.now() / DAY) - index - 1) * DAY + 14.5 * 3_600_000 : booked

const variants: Variant[] = [
  {
    id: 'days-of-posting-alone',
    story:
      'The ledger knows the day of a booking, in London: it is shown by its midnight, and a filter or a period takes the whole of its days.',
    policies: wholeDays(({ booked }) => booked),
  },
  {
    id: 'days-of-posting-with-a-booking-each',
    story:
      'The same for customers who buy something every day: no filter or period can begin or end on a day without a booking.',
    policies: wholeDays(ofEachDay),
  },
  {
    id: 'days-shown-of-bookings-of-each-day',
    story:
      'How finely BookingDateTime tells what a filter compares is not said: it is the day, of one booking in the afternoon of each.',
    policies: () => ({
      rowsBooked: (rows) => rows.map((row, index) => ({ ...row, booked: ofEachDay(row, index) })),
    }),
    middleware: rowsOf(['transactions', 'account-transactions'], (rows) =>
      rows.map(({ BookingDateTime, ...row }) => ({
        ...row,
        ...(typeof BookingDateTime === 'string' && {
          BookingDateTime: BookingDateTime.replace(/T.*/, 'T00:00:00Z'),
        }),
      })),
    ),
  },
  {
    id: 'older-bookings-need-a-login',
    story:
      'How far the history reaches is open: ninety days, and a filter that begins before them is refused with 403, by which 3.1.2 has the customer log in again.',
    policies: () => ({
      rowsBooked: (rows) => rows.filter(({ booked }) => booked >= ninetyDaysAgo()),
    }),
    async middleware(ctx, next) {
      const from = Date.parse(String(ctx.query.fromBookingDateTime))
      if (!ctx.path.endsWith('/transactions') || !(from < ninetyDaysAgo())) return next()
      ctx.status = 403
      ctx.body = { Code: 'UK.OBIE.Reauthenticate', Message: 'The customer must log in again.' }
      return stateOf(ctx).fired()
    },
  },
]

/** The midnight ninety days ago. */
const ninetyDaysAgo = () => (Math.floor(Date.now() / DAY) - 90) * DAY

export default variants
