import { bookedAt, isBooked, type Row, remembered } from './data-rows.ts'
import { isDateTime } from './formats.ts'

/** Times of bookings, and whether they tell days alone. */

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Is it a booked row whose BookingDateTime is RFC 3339? */
export const isBookedAtSomeTime = remembered(
  (row: Row) => isBooked(row) && isDateTime(String(row.BookingDateTime)),
)

/** The times of booked rows in milliseconds since 1970, each once, sorted. */
export const bookingTimes = remembered((rows: Row[]): number[] => {
  const times = rows.filter(isBookedAtSomeTime).map((row) => bookedAt(row) as number)
  return [...new Set(times)].sort((one, other) => one - other)
})

/** Is it a midnight of UTC or of London, which is an hour ahead in summer? */
export const isMidnight = (time: number): boolean => time % DAY === 0 || time % DAY === 23 * HOUR

/** Midnights, or one time of day that tells a day, such as noon or that of a midnight elsewhere. */
export const areOfDays = (times: number[]): boolean =>
  times.every(isMidnight) || haveOneTimeOfDay(times)

/** So many bookings do not have one time of day by chance. */
const ENOUGH = 3

/** In summer it may be an hour earlier. A full hour, or the last second of a day, tells a day even if it is one alone. */
function haveOneTimeOfDay(times: number[]): boolean {
  const [time = 0, other = time, ...more] = new Set(times.map((each) => each % DAY))
  const isOne = more.length === 0 && [0, HOUR, DAY - HOUR].includes(Math.abs(time - other))
  return isOne && (times.length >= ENOUGH || time % HOUR === 0 || time >= DAY - 1000)
}

/** Do these rows tell the days of their bookings alone? */
const tellDays = remembered(
  (rows: Row[]) => rows.some(isBookedAtSomeTime) && areOfDays(bookingTimes(rows)),
)

/**
 * The distance from a bound within which these rows do not tell on which side of it a booking is: a bank that shows days
 * alone may take a bound by its day, or compare a time of day that it does not show.
 *
 * @param otherwise the distance where the rows tell more than days.
 */
export const marginAround = (rows: Row[], otherwise: number): number =>
  tellDays(rows) ? DAY : otherwise
