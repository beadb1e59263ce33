import type { Context, Middleware } from 'koa'
import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import type { Row } from '../../bank/data/transactions.ts'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import { stateOf } from '../../bank/state/state.ts'
import { DAY, HOUR } from '../../engine/record/durations.ts'
import { rowsOf } from '../altering/data-requests.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'

/** The clocks of a place: what they show, and when they show it, as milliseconds since the epoch of an imaginary UTC. */
function clocksOf(timeZone: string) {
  // Swedish dates are those of RFC 3339.
  const style = { dateStyle: 'short', timeStyle: 'medium' } as const
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, ...style })
  const shownAt = (instant: number) =>
    Date.parse(`${format.format(instant).replace(' ', 'T')}Z`) + (instant % 1000)
  const aheadAt = (instant: number) => shownAt(instant) - instant
  const whenShown = (shown: number) => shown - aheadAt(shown - aheadAt(shown))
  const dayOf = (instant: number) => Math.floor(shownAt(instant) / DAY) * DAY
  return { whenShown, dayOf }
}

const LONDON = clocksOf('Europe/London')
const NEW_YORK = clocksOf('America/New_York')

const NOON = 12 * HOUR

/** The first two rows of a card are pending. */
const NEWEST_BOOKED = 2

/**
 * A filter or a period takes the whole of its days, at which `placed` puts the rows.
 *
 * @param told the time of the day by which the day is shown.
 */
const wholeDays =
  (
    placed: (row: Row, index: number) => number,
    told = 0,
    { dayOf, whenShown } = LONDON,
  ): NonNullable<Variant['policies']> =>
  (correct, { fired }) => {
    const days = (period: { from?: number; to?: number }) => ({
      ...(period.from !== undefined && { from: whenShown(dayOf(period.from)) }),
      ...(period.to !== undefined && { to: whenShown(dayOf(period.to) + DAY) - 1 }),
    })
    return {
      rowsBooked(rows) {
        fired()
        return rows.map((row, index) => ({
          ...row,
          booked: whenShown(dayOf(placed(row, index)) + told),
        }))
      },
      bookedWithin: (row, period, endpoint) => correct.bookedWithin(row, days(period), endpoint),
      withinConsentPeriod(row, { transactionsFrom: from, transactionsTo: to }) {
        const period = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
        return correct.bookedWithin(row, days(period), 'transactions')
      },
    }
  }

/** From the begin of a day to its end. */
const ENDS = { fromBookingDateTime: 0, toBookingDateTime: DAY - 1000 }

/** Half past two in the afternoon of each day before yesterday, one row a day. */
const ofEachDay = ({ status, booked }: Row, index: number): number =>
  status === 'Booked' ? (Math.floor(Date.now() / DAY) - index - 1) * DAY + 14.5 * HOUR : booked

/** The midnight ninety days ago. */
const ninetyDaysAgo = () => (Math.floor(Date.now() / DAY) - 90) * DAY

const isOfNinetyDays = ({ booked }: Row) => booked >= ninetyDaysAgo()

const isAbsent = (ctx = currentRequest()) => ctx?.get('x-fapi-customer-ip-address') === ''

/** Refuses a filter that begins before them. */
const loginBeforeNinetyDays =
  (isNeeded: (ctx: Context) => boolean): Middleware =>
  async (ctx, next) => {
    const isAsked = ctx.path.endsWith('/transactions') && isNeeded(ctx)
    const from = Date.parse(String(ctx.query.fromBookingDateTime))
    if (!isAsked || !(from < ninetyDaysAgo())) return next()
    ctx.status = 403
    ctx.body = { Code: 'UK.OBIE.Reauthenticate', Message: 'The customer must log in again.' }
    return stateOf(ctx).fired()
  }

/** How many answers of the transaction endpoints each access token got. */
const answered = ofEachBank(() => new Map<string, number>())

/** Counted, because time limits depend on the machine's speed. */
const FIRST_MOMENTS = 8

/** Is the request one of the first with a token that comes of a login, while the customer is present? */
function isOfTheLogin(ctx: Context): boolean {
  if (isAbsent(ctx) || tokenInfoOf(ctx)?.refreshed !== false) return false
  return (answered().get(ctx.get('authorization')) ?? 0) <= FIRST_MOMENTS
}

const variants: Variant[] = [
  {
    id: 'days-of-posting-alone',
    story:
      'BookingDateTime is the midnight of the booking day in London, and filters and periods apply to whole days. The ledger stores only the day.',
    policies: wholeDays(({ booked }) => booked),
  },
  {
    id: 'days-of-posting-with-a-booking-each',
    story:
      'BookingDateTime is the midnight of the booking day in London, and filters and periods apply to whole days. Each day has a booking.',
    policies: wholeDays(ofEachDay),
  },
  {
    id: 'days-of-posting-told-by-their-noon',
    story:
      'BookingDateTime is the noon of the booking day in London, and filters and periods apply to whole days. The ledger stores only the day.',
    policies: wholeDays(({ booked }) => booked, NOON),
  },
  {
    id: 'days-up-to-today-told-by-their-last-second',
    story:
      'BookingDateTime is the last second of the booking day in London, even of today, and filters and periods apply to whole days.',
    policies: wholeDays(
      ({ booked }, index) => (index === NEWEST_BOOKED ? Date.now() : booked),
      DAY - 1000,
    ),
  },
  {
    id: 'days-of-new-york',
    story:
      'BookingDateTime is the midnight of the booking day in New York, where the card processor is, and filters and periods apply to whole days.',
    policies: wholeDays(({ booked }) => booked, 0, NEW_YORK),
  },
  {
    id: 'days-told-by-their-noon-with-a-booking-each',
    story:
      'BookingDateTime is the noon of the booking day in London, filters and periods apply to whole days, and each day has a booking. Links.Self has the days that were applied.',
    policies: (correct, tools) => ({
      ...wholeDays(ofEachDay, NOON)(correct, tools),
      selfLink(base, path) {
        const self = new URL(correct.selfLink(base, path))
        for (const [name, end] of Object.entries(ENDS)) {
          const at = Date.parse(self.searchParams.get(name) ?? '')
          if (Number.isNaN(at)) continue
          const day = LONDON.whenShown(LONDON.dayOf(at))
          self.searchParams.set(name, new Date(day + end).toISOString())
        }
        return self.href
      },
    }),
  },
  {
    id: 'days-shown-of-bookings-of-each-day',
    story:
      'BookingDateTime shows only the day of a booking, but filters compare its exact time. How precise BookingDateTime is, is not said.',
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
      'Only 90 days of transactions are available, and an earlier fromBookingDateTime is refused with 403, by which 3.1.2 asks for a new login. How far the history reaches is open.',
    policies: () => ({
      rowsBooked: (rows) => rows.filter(isOfNinetyDays),
    }),
    middleware: loginBeforeNinetyDays(() => true),
  },
  {
    id: 'older-bookings-need-the-customer',
    story:
      'Without x-fapi-customer-ip-address, only 90 days of transactions are available, and an earlier fromBookingDateTime is refused with 403. How far the history reaches is open.',
    policies: () => ({
      rowsBooked: (rows) => (isAbsent() ? rows.filter(isOfNinetyDays) : rows),
    }),
    middleware: loginBeforeNinetyDays(isAbsent),
  },
  {
    id: 'older-bookings-need-a-login-by-now',
    story:
      'Shortly after the login all transactions are available, later only 90 days, and an earlier fromBookingDateTime is refused with 403. How far the history reaches is open.',
    policies: () => ({
      rowsBooked(rows) {
        const ctx = currentRequest()
        return ctx && isOfTheLogin(ctx) ? rows : rows.filter(isOfNinetyDays)
      },
    }),
    middleware: loginBeforeNinetyDays((ctx) => {
      const token = ctx.get('authorization')
      answered().set(token, (answered().get(token) ?? 0) + 1)
      return !isOfTheLogin(ctx)
    }),
  },
]

export default variants
