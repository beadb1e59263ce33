import type { Level } from '../../engine/suite-api/check.ts'
import { DAY, HOUR } from '../../engine/suite-api/clock.ts'
import type { Part, Value, ValueType } from './value-type.ts'

/** A booked transaction, from which bounds close to it are made. */
export interface Booking {
  /** Its BookingDateTime, in milliseconds since 1970. */
  row: number
  /**
   * The precision of its text in milliseconds: 1 with three or more digits of
   * a fraction, 1000 with none. The booking is at any instant in this range.
   */
  told: number
  /** Where the time tells a day, but not by its beginning: by how much the booking may also be before it. */
  early?: number
  /** The last earlier booking and the first later one, at other instants. */
  before?: number
  after?: number
}

/** The filters of a query, RFC 3339 in UTC. */
export type BoundsQuery = Partial<Record<'fromBookingDateTime' | 'toBookingDateTime', string>>

type Bound = (row: number) => number

/** Each bound, computed from the instant of the row. */
interface Sides {
  from?: Bound
  to?: Bound
}

const AFTER_AND_BEFORE =
  '“restrict results to transactions booked after and before the given time” (Data endpoints 5)'
const FINER = `${AFTER_AND_BEFORE}; RFC 3339 5.6: time-secfrac`

const SECOND = 1000
const by =
  (milliseconds: number): Bound =>
  (row) =>
    row + milliseconds
/** The last whole second before the row, and the first one after it. */
const secondBefore: Bound = (row) => Math.floor((row - 1) / SECOND) * SECOND
const secondAfter: Bound = (row) => (Math.floor(row / SECOND) + 1) * SECOND
const firstOfDay: Bound = (row) => Math.floor(row / DAY) * DAY
const lastOfDay: Bound = (row) => firstOfDay(row) + DAY - SECOND
/** Clocks of twelve hours call it half past twelve, and a reader of those may take it for half past midnight. */
const halfPastNoon: Bound = (row) => firstOfDay(row) + 12.5 * HOUR

/**
 * Bounds within a second and a millisecond of a row, and at the ends of its day. Under a lawful row the
 * transaction must be in the answer; under a wrong one it must not, or the request is refused. No bound
 * equals a booking, as far as its precision shows: whether bounds are inclusive is open (AMB-18).
 */
export const bounds: ValueType<Booking, BoundsQuery> = {
  name: 'filter of bookings',
  grammar: `${AFTER_AND_BEFORE}, both or one, of RFC 3339 section 5.6 with seconds and milliseconds`,
  parts: [
    sides('from: a second from the row', 'must', AFTER_AND_BEFORE, {
      in: [
        ['from-second-before', 'from a second before a booking', { from: by(-SECOND) }],
        [
          'from-whole-second-before',
          'from the whole second before a booking',
          { from: secondBefore },
        ],
      ],
      out: [
        ['from-second-after', 'from a second after a booking', { from: by(SECOND) }],
        ['from-whole-second-after', 'from the whole second after a booking', { from: secondAfter }],
      ],
    }),
    sides('to: a second from the row', 'must', AFTER_AND_BEFORE, {
      in: [
        ['to-second-after', 'to a second after a booking', { to: by(SECOND) }],
        ['to-whole-second-after', 'to the whole second after a booking', { to: secondAfter }],
      ],
      out: [
        ['to-second-before', 'to a second before a booking', { to: by(-SECOND) }],
        ['to-whole-second-before', 'to the whole second before a booking', { to: secondBefore }],
      ],
    }),
    sides('both: seconds from the row', 'must', AFTER_AND_BEFORE, {
      in: [
        [
          'second-around',
          'from a second before a booking to one after it',
          { from: by(-SECOND), to: by(SECOND) },
        ],
      ],
      out: [
        [
          'seconds-before',
          'from two seconds to one before a booking',
          { from: by(-2 * SECOND), to: by(-SECOND) },
        ],
        [
          'seconds-after',
          'from one second to two after a booking',
          { from: by(SECOND), to: by(2 * SECOND) },
        ],
        [
          'reversed',
          'from a second after a booking to one before it',
          { from: by(SECOND), to: by(-SECOND) },
        ],
      ],
    }),
    sides('the day of the row: its first and its last second', 'must', AFTER_AND_BEFORE, {
      in: [
        [
          'from-first-of-day',
          'from the first second of the day of a booking',
          { from: firstOfDay },
        ],
        ['to-last-of-day', 'to the last second of the day of a booking', { to: lastOfDay }],
        ['its-day', 'of the day of a booking', { from: firstOfDay, to: lastOfDay }],
      ],
      out: [
        ['from-last-of-day', 'from the last second of the day of a booking', { from: lastOfDay }],
        ['to-first-of-day', 'to the first second of the day of a booking', { to: firstOfDay }],
      ],
    }),
    sides('the day of the row: half past noon', 'must', AFTER_AND_BEFORE, {
      in: [
        [
          'from-half-past-noon',
          'from half past noon of the day of a booking in its afternoon',
          { from: halfPastNoon },
        ],
        [
          'to-half-past-noon',
          'to half past noon of the day of a booking in its morning',
          { to: halfPastNoon },
        ],
      ],
      out: [
        [
          'from-half-past-noon-later',
          'from half past noon of the day of a booking in its morning',
          { from: halfPastNoon },
        ],
        [
          'to-half-past-noon-earlier',
          'to half past noon of the day of a booking in its afternoon',
          { to: halfPastNoon },
        ],
      ],
    }),
    sides('from and to at one instant', 'must', AFTER_AND_BEFORE, {
      in: [],
      out: [
        [
          'midnight-twice',
          'from the first second of the day of a booking to the same',
          { from: firstOfDay, to: firstOfDay },
        ],
        [
          'second-before-twice',
          'from a second before a booking to the same',
          { from: by(-SECOND), to: by(-SECOND) },
        ],
      ],
    }),
    sides('from and to: a millisecond from the row', 'should', FINER, {
      in: [
        ['from-millisecond-before', 'from a millisecond before a booking', { from: by(-1) }],
        ['to-millisecond-after', 'to a millisecond after a booking', { to: by(1) }],
        [
          'millisecond-around',
          'from a millisecond before a booking to one after it',
          { from: by(-1), to: by(1) },
        ],
      ],
      out: [
        ['from-millisecond-after', 'from a millisecond after a booking', { from: by(1) }],
        ['to-millisecond-before', 'to a millisecond before a booking', { to: by(-1) }],
        ['milliseconds-before', 'of milliseconds before a booking', { from: by(-9), to: by(-1) }],
        ['milliseconds-after', 'of milliseconds after a booking', { from: by(1), to: by(9) }],
      ],
    }),
    {
      part: 'the instant of the row itself',
      none: 'Whether it is included is open (AMB-18), and TXN-36 records it.',
    },
    {
      part: 'less than a millisecond from the row',
      none: 'A BookingDateTime that tells milliseconds leaves open on which side of such a bound it lies.',
    },
  ],
}

type Row = readonly [id: string, words: string, sides: Sides]

function sides(
  part: string,
  level: Level,
  because: string,
  rows: { in: readonly Row[]; out: readonly Row[] },
): Part<Booking, BoundsQuery> {
  const made = ([id, words, each]: Row, shown: boolean): Value<Booking, BoundsQuery> => ({
    ...{ id, words, level, because },
    make: (booking) => queryOf(booking, each, shown),
  })
  const shown = rows.in.map((row) => ({ ...made(row, true), lawful: true as const }))
  return { part, rows: [...shown, ...rows.out.map((row) => made(row, false))] }
}

/** Undefined where a bound equals a booking, or where the row is not certainly on the intended side. */
function queryOf(booking: Booking, { from, to }: Sides, shown: boolean): BoundsQuery | undefined {
  const { row, told, early = 0, before, after } = booking
  const [first, last] = [from?.(row), to?.(row)]
  const latest = row + told - 1
  for (const one of [before, row, after]) {
    if (one === undefined) continue
    const within = (bound = Number.NaN) => bound >= one - early && bound < one + told
    if (within(first) || within(last)) return undefined
  }
  const inside = (first ?? -Infinity) < row - early && latest < (last ?? Infinity)
  if (inside !== shown) return undefined
  return {
    ...(first !== undefined && { fromBookingDateTime: textOf(first) }),
    ...(last !== undefined && { toBookingDateTime: textOf(last) }),
  }
}

function textOf(instant: number): string {
  return new Date(instant).toISOString().replace('.000Z', 'Z')
}
