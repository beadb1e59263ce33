import { DAY, HOUR, now } from '../../../../engine/suite-api/clock.ts'
import { blockBy, blockForData } from '../../../../engine/suite-api/outcomes.ts'
import {
  areOfDays,
  bookedAt,
  bookingTimes,
  isBooked,
  isBookedAtSomeTime,
  isMidnight,
  marginOf,
  OF_LATE,
  type Row,
  remembered,
} from '../../../../engine/suite-api/responses.ts'
import type { Booking } from '../../../values/date-time-bounds.ts'

/** Bounds of a query, in milliseconds since 1970. */
export interface Bounds {
  from?: number
  to?: number
}

/** Distance of a bound from a booking, if there is room. It is small, so that a shift by a time zone shows. */
export const NEAR = 5 * 60_000

/** The booked rows among those of an answer. */
export const bookedOf = remembered((rows: Row[]): Row[] => rows.filter(isBooked))

/** Rows that were booked two or more days ago: newer ones may not be everywhere yet. */
export function settled(rows: Row[]): Row[] {
  return rows.filter((row) => (bookedAt(row) ?? Number.POSITIVE_INFINITY) < lately())
}

/** Rows that every answer must show, of whatever minute it is: settled ones, and those without a time that can be read. */
export function dueEverywhere(rows: Row[]): Row[] {
  return rows.filter((row) => (bookedAt(row) ?? Number.NEGATIVE_INFINITY) < lately())
}

/** The rows that every answer must show, or, if none of them is so old, those of before this hour, or all of them. */
export function dueIfAny(rows: Row[]): Row[] {
  const due = dueEverywhere(rows)
  if (due.length > 0) return due
  const earlier = rows.filter((row) => (bookedAt(row) ?? 0) < now() - HOUR)
  return earlier.length > 0 ? earlier : rows
}

const lately = () => now() - OF_LATE

/**
 * Ends the check as blocked, without the bookings that it needs. If booked
 * rows have no time, or one that is not RFC 3339, that is the cause.
 */
export function blockForBookings(what: string, rows: Row[]): never {
  const unread = rows.find((row) => isBooked(row) && !isBookedAtSomeTime(row))
  if (!unread) blockForData(what)
  const given = typeof unread.BookingDateTime === 'string'
  const owner = given ? 'TXN-38/rfc-3339' : 'TXN-31/booking-date-time'
  blockBy(
    owner,
    `needs ${what}; booked rows have ${given ? 'a time that is not RFC 3339' : 'no BookingDateTime'}`,
  )
}

/** Of the settled bookings, the one that is furthest from its neighbours; one that tells a day alone only if all do. */
export function bookingIn(rows: Row[]): Booking | undefined {
  const times = bookingTimes(rows)
  const exact = settled(rows).filter((row) => marginOf(row, rows) === 0)
  const tellDays = areOfDays(times) || exact.length === 0
  let found: { index: number; room: number } | undefined
  for (const time of bookingTimes(tellDays ? settled(rows) : exact)) {
    const index = times.indexOf(time)
    const [before = -Infinity, after = Infinity] = [times[index - 1], times[index + 1]]
    const room = Math.min(time - before, after - time)
    if (!found || room > found.room) found = { index, room }
  }
  if (!found) return undefined
  const [before, row = 0, after] = [-1, 0, 1].map((step) => times[(found?.index ?? 0) + step])
  const texts = rows.filter((each) => bookedAt(each) === row).map(toldBy)
  return {
    row,
    told: tellDays ? DAY : Math.max(unitOf(times), ...texts),
    ...(tellDays && !times.every(isMidnight) && { early: DAY }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  }
}

/** Milliseconds of an hour, a minute and a second. */
const UNITS = [HOUR, 60_000, 1000]

/** The largest unit that divides all times: the bank shows no finer ones, whatever it compares. */
const unitOf = (times: number[]): number =>
  UNITS.find((unit) => times.every((time) => time % unit === 0)) ?? 1

/** The precision of a BookingDateTime, in milliseconds. */
function toldBy({ BookingDateTime }: Row): number {
  const { length = 0 } = /\.(\d+)/.exec(String(BookingDateTime))?.[1] ?? ''
  return 10 ** Math.max(0, 3 - length)
}

/** RFC 3339 in UTC, in whole seconds. */
export function inUtc(instant: number): string {
  return new Date(instant).toISOString().replace(/\.\d+Z$/, 'Z')
}

/** The middle third of the longest gap between two bookings; undefined where the gap is less than six days. */
export function emptyWindow(rows: Row[]): Required<Bounds> | undefined {
  const times = bookingTimes(rows)
  const gaps = times.slice(1).map((to, at) => ({ from: times[at] as number, to }))
  const [longest] = gaps.sort((one, other) => other.to - other.from - (one.to - one.from))
  if (!longest || longest.to - longest.from < 6 * DAY) return undefined
  const third = (longest.to - longest.from) / 3
  return { from: longest.from + third, to: longest.to - third }
}

/** The parameters that filter by booking. */
export const FILTERS = { from: 'fromBookingDateTime', to: 'toBookingDateTime' } as const

/** The query for these bounds; the order of its parameters has no meaning. */
export function queryOf(
  bounds: Bounds,
  order: 'from first' | 'to first' = 'from first',
): Record<string, string> {
  const names = order === 'from first' ? (['from', 'to'] as const) : (['to', 'from'] as const)
  const query: Record<string, string> = {}
  for (const name of names) {
    const instant = bounds[name]
    if (instant !== undefined) query[FILTERS[name]] = inUtc(instant)
  }
  return query
}

export type Kind = 'from' | 'to' | 'both' | 'reversed'

/**
 * Bounds with rows on both sides of each, never equal to a row: `from` lies just after one and `to` just
 * before one, so that a filter off by an hour in either direction shows; the window of `both` has rows before,
 * in and after it. Undefined where the data has no such rows, or where days alone are told and no row
 * lies a day outside of each bound.
 *
 * @param near whether a single bound lies near a row that it drops, or near one of the same day that it keeps.
 */
export function boundsFor(
  kind: Kind,
  times: number[],
  near: 'dropped' | 'kept' = 'dropped',
): Bounds | undefined {
  const bounds = placedFor(kind, times, near)
  if (!bounds || !areOfDays(times)) return bounds
  const { from, to } = bounds
  const isTold =
    (from === undefined || times.some((time) => time < from - DAY)) &&
    (to === undefined || times.some((time) => time > to + DAY))
  // The day of both bounds, or a day that both touch, is a window for a bank that takes whole days.
  const isApart = kind !== 'reversed' || (from ?? 0) - (to ?? 0) >= 2 * DAY
  return isTold && isApart ? bounds : undefined
}

function placedFor(kind: Kind, times: number[], near: 'dropped' | 'kept'): Bounds | undefined {
  const last = times.length - 1
  if (kind === 'from' || kind === 'to') {
    const after = (kind === 'from') === (near === 'dropped')
    const place = after ? justAfter(times, 0, last - 1) : justBefore(times, 1, last)
    return place && { [kind]: place.instant }
  }
  const middle = times.length >> 1
  const first = justBefore(times, 1, Math.min(middle, last - 1))
  const second = first && justAfter(times, Math.max(first.index, middle - 1), last - 1)
  if (!second) return undefined
  const [from, to] = [first.instant, second.instant]
  return kind === 'both' ? { from, to } : { from: to, to: from }
}

interface Place {
  index: number
  instant: number
}

/** Just after the booking of an index from `low` to `high`. */
export function justAfter(times: number[], low: number, high: number): Place | undefined {
  return nearest(times, (near) =>
    chosen(times, low, high, (index) => {
      const [at, next] = [times[index] as number, times[index + 1] as number]
      return { room: next - at, instant: at + Math.min(near, (next - at) / 2) }
    }),
  )
}

/** Just before the booking of an index from `low` to `high`. */
export function justBefore(times: number[], low: number, high: number): Place | undefined {
  return nearest(times, (near) =>
    chosen(times, low, high, (index) => {
      const [before, at] = [times[index - 1] as number, times[index] as number]
      return { room: at - before, instant: at - Math.min(near, (at - before) / 2) }
    }),
  )
}

/**
 * A bank that knows only days may take a filter by its day: if bookings tell days, the bound lies a day and a half from
 * them, where there is a day without a booking.
 */
function nearest(times: number[], place: (near: number) => Place | undefined): Place | undefined {
  const far = 1.5 * DAY
  const apart = areOfDays(times) ? place(far) : undefined
  if (apart && times.every((time) => Math.abs(time - apart.instant) >= DAY)) return apart
  return place(NEAR)
}

/** Near the middle, and in summer if possible, when London's clocks differ from UTC. */
function chosen(
  times: number[],
  low: number,
  high: number,
  beside: (index: number) => { room: number; instant: number },
): Place | undefined {
  const places: (Place & { distance: number })[] = []
  const ofDays = areOfDays(times)
  for (let index = low; index <= high; index += 1) {
    const { room, instant } = beside(index)
    // Rounded to whole seconds, the bound must stay between the two bookings.
    if (room < 2000) continue
    const winter = isSummer(times[index] as number) ? 0 : times.length
    const narrow = ofDays && room < 3 * DAY ? 2 * times.length : 0
    const distance = narrow + winter + Math.abs(index - (low + high) / 2)
    places.push({ index, instant: Math.floor(instant / 1000) * 1000, distance })
  }
  return places.sort((one, other) => one.distance - other.distance)[0]
}

function isSummer(instant: number): boolean {
  const month = new Date(instant).getUTCMonth()
  return month >= 3 && month <= 8
}
