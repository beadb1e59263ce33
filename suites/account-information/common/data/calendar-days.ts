import { now } from '../../../../engine/suite-api/clock.ts'
import { expect } from '../../../../engine/suite-api/expect.ts'
import { type Exchange, succeeded } from '../../../../engine/suite-api/responses.ts'

const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** The last year whose 29 February has passed. */
function leapYear(): number {
  let year = new Date(now()).getUTCFullYear()
  while (!isLeap(year) || Date.UTC(year, 2, 1) > now()) year -= 1
  return year
}

/**
 * Ends the check where the last 29 February is refused, and the days before and after it
 * are not. How far back a bank looks is open, so a refusal of all three shows nothing.
 */
export async function expectLeapDay(ask: (instant: string) => Promise<Exchange>): Promise<void> {
  const askOn = (day: string) => ask(`${leapYear()}-${day}T00:00:00Z`)
  const answer = await askOn('02-29')
  if (succeeded(answer)) return
  for (const day of ['02-28', '03-01']) if (!succeeded(await askOn(day))) return
  expect(answer).toSucceed()
}

/**
 * The last 31 December that lies in the first week of the next year (ISO 8601), in milliseconds since 1970: the year of its
 * week is another one than its own.
 */
export function lastDayOfOddYear(): number {
  let year = new Date(now()).getUTCFullYear() - 1
  while (![1, 2, 3].includes(new Date(Date.UTC(year, 11, 31)).getUTCDay())) year -= 1
  return Date.UTC(year, 11, 31)
}
