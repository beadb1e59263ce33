import type { Context } from '../../../engine/suite-api/check.ts'
import { DAY, now } from '../../../engine/suite-api/clock.ts'
import type { Approval, NamedConsent } from '../../../engine/suite-api/consents.ts'
import { matchers } from '../../../engine/suite-api/expect.ts'
import { Blocked } from '../../../engine/suite-api/outcomes.ts'
import {
  bookedAt,
  bookingTimes,
  type Exchange,
  instantOf,
  isBookedAtSomeTime,
  type Row,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../engine/suite-api/rule.ts'
import { everything } from '../../consents.ts'
import type { Answered, Place } from '../../tables.ts'
import type { Booking, BoundsQuery } from '../../values/date-time-bounds.ts'
import type { Instant } from '../../values/date-time-rows.ts'
import { blockForBookings, bookingIn, boundsFor, FILTERS } from '../common/data/booking-times.ts'
import { relyOnWholeAnswers } from '../common/data/completeness.ts'
import { requireRows } from '../common/data/data-reads.ts'
import { ofNinetyDays } from '../common/data/history.ts'
import { readOwner } from '../common/data/read-owners.ts'
import {
  addresses,
  between,
  bookedIn,
  bookedMissing,
  bulk,
  filterFinding,
  latest,
  relyOnFilters,
  relyOnSteadyRows,
} from '../common/data/transaction-readings.ts'

/** Filters on all transactions and on those of one account, under each of these approvals that the run has. */

type Side = keyof typeof FILTERS

const OPERATIONS = ['transactions', 'account-transactions'] as const

interface Address<Used extends NamedConsent> {
  name: string
  operation: (typeof OPERATIONS)[number]
  consent: Used
}

function addressesOf<Used extends NamedConsent>(
  context: Context<Used>,
  consents: readonly Used[],
): Address<Used>[] {
  const [first] = consents
  const had = consents.filter((consent) => consent === first || context.has(consent))
  return had.flatMap((consent) =>
    OPERATIONS.map((operation) => ({
      name: consent === first ? operation : `${operation}, ${consent.name}`,
      operation,
      consent,
    })),
  )
}

/** The paths of an operation: the list of all accounts, or that of each account. */
async function pathsOf(approval: Approval, operation: string): Promise<string[]> {
  const [all = bulk, ...single] = await addresses(approval)
  return operation === 'transactions' ? [all] : single
}

/** Each filter at each address: a value that is not a date-time is refused. */
export function malformedPlaces<Used extends NamedConsent>(
  context: Context<Used>,
  consents: readonly Used[],
): Place<Instant, string, Used>[] {
  return addressesOf(context, consents).flatMap(({ name, operation, consent }) =>
    Object.entries(FILTERS).map(([side, filter]) => ({
      ...{ name: `${filter} of ${name}`, kind: 'data', dear: true },
      async open({ approved }) {
        const approval = await approved(consent)
        const [path = bulk] = await pathsOf(approval, operation)
        return {
          right: { instant: now() - 180 * DAY },
          async ask(made, deviation) {
            const exchange = await approval.get(path, { query: { [filter]: made }, deviation })
            // A bank that ignores the filter ignores its wrong value too: the check of that filter judges it.
            if (succeeded(exchange)) await relyOnFilters(approval, side as Side)
            return answered(exchange, matchers.toBeRefused(exchange))
          },
        }
      },
    })),
  )
}

/**
 * The same with an instant in another spelling: the rows are those of the instant. Under
 * approvals other than the first, one spelling of each part of the grammar is enough.
 */
export function spelledPlaces<Used extends NamedConsent>(
  context: Context<Used>,
  consents: readonly Used[],
): Place<Instant, string, Used>[] {
  return addressesOf(context, consents).flatMap(({ name, operation, consent }) =>
    Object.entries(FILTERS).map(([side, filter]) => ({
      ...{ name: `${filter} of ${name}`, kind: 'data' },
      ...(consent !== consents[0] && { dear: true }),
      async open({ approved }) {
        const approval = await approved(consent)
        if (!(await tells(approval, side as Side))) return undefined
        const telling = await firstThatTells(approval, operation, (rows) =>
          boundsFor(side as Side, bookingTimes(rows)),
        )
        if (!telling) return undefined
        const { path, of: bounds } = telling
        return {
          right: { instant: bounds.from ?? bounds.to ?? 0 },
          async ask(made) {
            const findingIn = (answer: Exchange, rows: Row[]) =>
              filterFinding({ answer, bounds, rows })
            const { rows, read: exchange } = await between(
              approval,
              path,
              () => approval.get(path, { query: { [filter]: made } }),
              (answer, before) => succeeded(answer) && isRight(findingIn(answer, before)),
            )
            if (!succeeded(exchange)) return answered(exchange, matchers.toSucceed(exchange))
            const { outside, missing } = findingIn(exchange, rows)
            if (missing) await relyOnRows(approval)
            return answered(exchange, outside ?? missing)
          },
        }
      },
    })),
  )
}

/** One or both filters close to a booked row, which is inside or outside the bounds. */
export function closePlaces<Used extends NamedConsent>(
  context: Context<Used>,
  consents: readonly Used[],
  ...filters: (Side | 'both')[]
): Place<Booking, BoundsQuery, Used>[] {
  return addressesOf(context, consents).map(({ name, operation, consent }) => ({
    ...{ name, kind: operation, dear: true },
    async open({ approved }) {
      const approval = await approved(consent)
      if (!(await tells(approval, ...filters))) return undefined
      const telling = await firstThatTells(approval, operation, bookingIn)
      if (!telling) return undefined
      const { path, of: right } = telling
      const isIt = (row: Row) => isBookedAtSomeTime(row) && bookedAt(row) === right.row
      return {
        right,
        async ask(made, deviation) {
          const query = { ...made }
          if (!isShown(made, right)) {
            const exchange = await approval.get(path, { query, deviation })
            if (!succeeded(exchange)) return answered(exchange, undefined)
            const other = (row: Row) => !isIt(row)
            return answered(exchange, matchers.toHoldOnly(exchange, 'of other instants', other))
          }
          const missingIn = (answer: Exchange, rows: Row[]) =>
            bookedMissing(answer, rows.filter(isIt))
          const { rows, read: exchange } = await between(
            approval,
            path,
            () => approval.get(path, { query }),
            (answer, before) => succeeded(answer) && !missingIn(answer, before),
          )
          if (!succeeded(exchange)) return answered(exchange, matchers.toSucceed(exchange))
          requireRows(exchange, 'TXN-15/each-combination')
          const missing = missingIn(exchange, rows)
          if (missing) await relyOnRows(approval)
          return answered(exchange, missing)
        },
      }
    },
  }))
}

/**
 * Do the rows of an approval exercise these filters? Ends the check
 * where a filter is wrong, or where the first approval has no such rows.
 */
async function tells(approval: Approval, ...filters: (Side | 'both')[]): Promise<boolean> {
  try {
    await relyOnFilters(approval, ...filters)
    return true
  } catch (error) {
    const isOfData = error instanceof Blocked && error.because.kind === 'data'
    if (approval.name === everything.name || !isOfData) throw error
    return false
  }
}

/** Ends the check as blocked where rows come and go, or whole answers lack some: then the filter is not the cause. */
async function relyOnRows(approval: Approval): Promise<void> {
  await relyOnSteadyRows(approval)
  await relyOnWholeAnswers(approval)
}

const isRight = ({ outside, missing }: ReturnType<typeof filterFinding>): boolean =>
  outside === undefined && missing === undefined

/** Is the booking between the bounds? */
function isShown({ fromBookingDateTime, toBookingDateTime }: BoundsQuery, { row }: Booking) {
  const from = fromBookingDateTime ? instantOf(fromBookingDateTime) : -Infinity
  const to = toBookingDateTime ? instantOf(toBookingDateTime) : Infinity
  return from < row && row < to
}

const answered = (exchange: Answered['exchange'], finding: Finding | undefined): Answered => ({
  ...(exchange && { exchange }),
  ...(finding && { finding }),
})

/**
 * The result for the first address of an operation whose rows exercise the filter; undefined where there is none.
 *
 * @throws Blocked where no transactions of the first approval exercise it.
 */
async function firstThatTells<Found>(
  approval: Approval,
  operation: string,
  find: (rows: Row[]) => Found | undefined,
): Promise<{ path: string; of: Found } | undefined> {
  const seen: Row[] = []
  for (const path of await pathsOf(approval, operation)) {
    const { whole } = await latest(approval, path)
    const rows = bookedIn(whole, readOwner(approval, path))
    // A filter that begins before ninety days may need another login.
    const found = find(ofNinetyDays(rows)) ?? find(rows)
    if (found !== undefined) return { path, of: found }
    seen.push(...rows)
  }
  if (approval.name === everything.name && operation === 'transactions')
    blockForBookings('two booked transactions at different times', seen)
  return undefined
}
