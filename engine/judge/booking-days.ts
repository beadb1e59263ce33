import { DAY, HOUR } from '../record/durations.ts'
import { bookedAt, isBooked, type Row, remembered } from './data-rows.ts'
import { isDateTime } from './formats.ts'

/** Times of bookings, and whether they tell days alone. */

/** Books of a night may end with the day before it, and serve until the next ones are complete. */
export const OF_LATE = 2 * DAY

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
  times.every(isMidnight) ||
  timesOfDay(times).some((one) => times.length >= ENOUGH || tellsDay(one))

/** So many bookings do not have one time of day by chance. */
const ENOUGH = 3

/** Times of day that tell a day even if it is one alone: noon, and the last second of a day. */
const tellsDay = (timeOfDay: number): boolean => timeOfDay === 12 * HOUR || timeOfDay >= DAY - 1000

/** Is it a time that tells the day around it, by the clock of UTC or of London? */
export const isOfDay = (time: number): boolean => timesOfDay([time]).some(tellsDay)

/** The one time of day of these times, by clocks that never change and by those of places that have summer time. */
function timesOfDay(times: number[]): number[] {
  return [undefined, ...SUMMERS].flatMap((summer) => {
    const shown = times.map((time) => (summer && isIn(summer, time) ? time + HOUR : time) % DAY)
    const [one = 0, ...more] = new Set(shown)
    return more.length === 0 ? [one] : []
  })
}

/**
 * Summer time: it begins and ends on the first Sunday from a day on (month, counted from 0, and day). `hour`, of UTC, lies
 * between midnight and noon of that day: it is not always the hour of the switch.
 */
interface Summer {
  from: readonly [month: number, day: number]
  to: readonly [month: number, day: number]
  hour: number
}

/** Europe with London, and the United States, where some processors of cards are. */
const SUMMERS: readonly Summer[] = [
  { from: [2, 25], to: [9, 25], hour: 1 },
  { from: [2, 8], to: [10, 1], hour: 12 },
]

function isIn({ from, to, hour }: Summer, time: number): boolean {
  const year = new Date(time).getUTCFullYear()
  const [begin, end] = [from, to].map(([month, day]) => {
    const first = Date.UTC(year, month, day)
    return first + ((7 - new Date(first).getUTCDay()) % 7) * DAY + hour * HOUR
  }) as [number, number]
  return begin <= time && time < end
}

/** Do these rows tell the days of their bookings alone? */
const tellDays = remembered(
  (rows: Row[]) => rows.some(isBookedAtSomeTime) && areOfDays(bookingTimes(rows)),
)

/** Midnights of every time zone are on a quarter of an hour of UTC. */
const QUARTER = HOUR / 4

/**
 * A day, if the time of a row tells a day, or may do so in a time zone and its account
 * has no other time of day in this answer.
 */
export function marginOf(row: Row, rows: Row[]): number {
  const time = bookedAt(row)
  if (time === undefined) return 0
  if (isMidnight(time) || isOfDay(time)) return DAY
  if (time % QUARTER !== 0) return 0
  const times = rows
    .filter(({ AccountId }) => AccountId === row.AccountId)
    .map(bookedAt)
    .filter((at) => at !== undefined)
  return timesOfDay(times).length > 0 ? DAY : 0
}

/**
 * The distance from a bound within which a row of these does not tell on which side of it its booking is: a bank that shows
 * days alone, of all bookings or of some, may take a bound by its day, or compare a time of day that it does not show.
 *
 * @param otherwise the distance where the row tells more than a day.
 */
export function marginsIn(rows: Row[], otherwise: number): (row: Row) => number {
  if (tellDays(rows)) return () => DAY
  return (row) => Math.max(marginOf(row, rows), otherwise)
}
