import { marginsIn, OF_LATE } from '../judge/booking-days.ts'
import {
  bookedAt,
  isBooked,
  missingFrom,
  type Row,
  rowsOf,
  rowWords,
  shared,
} from '../judge/data-rows.ts'
import { succeeded } from '../judge/matchers.ts'
import type { ReadMove } from '../model/moves.ts'
import { now } from '../record/clock.ts'
import { DAY } from '../record/durations.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Found } from './found.ts'

/** A read of transactions, and what was read before under the same consent while the customer was present. */
export interface Reading {
  exchange: Exchange
  /** Bounds of its filter, milliseconds since the epoch; none is on a booking. */
  from?: number
  to?: number
  /** AccountId in its path. */
  subject?: string
  /** Every transaction of the consent, as an earlier answer showed them. */
  before?: readonly Row[]
  /** Reads every transaction of the consent again. */
  whole(): Promise<Exchange | undefined>
}

/**
 * Finds a booked transaction that answers before and after the read contain but the read lacks, or one that is outside
 * the read's bounds. The later answer is only requested where something seems to be missing.
 */
export async function comparedRows(
  move: ReadMove,
  { exchange, from, to, subject, before, whole }: Reading,
): Promise<Found | undefined> {
  // What is shown while the customer is absent may be older.
  if (!move.present || !succeeded(exchange) || !move.what.endsWith('transactions')) return undefined
  const rows = rowsOf(exchange)
  // A bank that shows days alone may take a bound by its day.
  const margin = marginsIn([...(before ?? rows)], 0)
  const isWithin = (row: Row, over: number) => {
    const at = bookedAt(row)
    if (at === undefined) return false
    return (from === undefined || at > from - over) && (to === undefined || at < to + over)
  }
  const filtered = from !== undefined || to !== undefined
  const filter = to === undefined ? 'TXN-16' : 'TXN-17'
  const beyond = filtered
    ? rows.find(
        (row) => isBooked(row) && bookedAt(row) !== undefined && !isWithin(row, margin(row)),
      )
    : undefined
  if (beyond) {
    const message = 'a transaction stands in the answer that its filter leaves out'
    const expected = [
      from !== undefined && `after ${new Date(from).toISOString()}`,
      to !== undefined && `before ${new Date(to).toISOString()}`,
    ].filter((part) => part !== false)
    const actual = rowWords(beyond)
    return { id: filter, message, expected: expected.join(', '), actual, exchange: exchange.id }
  }
  if (!before) return undefined
  const due = (row: Row) =>
    isBooked(row) &&
    (subject === undefined || row.AccountId === subject) &&
    (!filtered || isWithin(row, -margin(row))) &&
    (bookedAt(row) ?? Number.POSITIVE_INFINITY) < now() - OF_LATE
  const wanted = before.filter(due)
  const added = subject === undefined || filtered ? [] : addedIn(rows, before)
  if (missingFrom(rows, wanted).length === 0 && added.length === 0) return undefined
  const later = await whole()
  if (!later || !succeeded(later)) return undefined
  const missing = missingFrom(rows, shared(wanted, rowsOf(later)))
  const beside = added.length === 0 ? [] : addedIn(added, rowsOf(later))
  const [lacking, more] = [missing[0], beside[0]]
  if (lacking) {
    const id = filtered ? filter : subject === undefined ? 'TXN-28' : 'TXN-02'
    const message = `${missing.length} of ${wanted.length} transactions are missing`
    const expected = `the row ${rowWords(lacking)}`
    return {
      id,
      message,
      expected,
      actual: `${rows.length} rows without it`,
      exchange: exchange.id,
    }
  }
  if (!more) return undefined
  const message = 'a transaction of the account does not stand among those of all accounts'
  return {
    id: 'TXN-23',
    message,
    expected: 'the same rows',
    actual: rowWords(more),
    exchange: exchange.id,
  }
}

/** Rows that were booked more than a day ago and are not among the others. */
function addedIn(rows: readonly Row[], others: readonly Row[]): Row[] {
  const settled = rows.filter((row) => isBooked(row) && (bookedAt(row) ?? now()) < now() - DAY)
  return missingFrom([...others], settled)
}
