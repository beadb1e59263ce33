import { inUtc, type Row, wrong } from './date-time-rows.ts'

/** Wrong dates: the productions of full-date, and the restrictions of RFC 3339 section 5.7. */

/** The date-time with another date. */
const dated =
  (date: string | ((year: string, month: string, day: string) => string)): Row[2] =>
  (at) =>
    inUtc({
      ...at,
      date: typeof date === 'string' ? date : date(at.year, at.month, at.day),
    })

const isLeap = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/** The year, or the next one if it is a leap year. */
const commonYear = (year: string) => (isLeap(Number(year)) ? following(year) : year)

const following = (year: string) => String(Number(year) + 1).padStart(4, '0')

const RESTRICTED = 'RFC 3339 5.7: “The maximum value varies based on the month and year”'

export const DATES = [
  wrong('date-fullyear', 'RFC 3339 5.6: date-fullyear = 4DIGIT', [
    [
      'year-of-two-digits',
      'of a year of two digits',
      dated((y, m, d) => `${y.slice(2)}-${m}-${d}`),
    ],
    ['year-of-five-digits', 'of a year of five digits', dated((y, m, d) => `0${y}-${m}-${d}`)],
    [
      'year-expanded',
      'of an expanded year, +00 before it',
      dated((y, m, d) => `+00${y}-${m}-${d}`),
    ],
    ['year-negative', 'of a year before year 0', dated((y, m, d) => `-${y}-${m}-${d}`)],
    ['no-year', 'without its year', dated((_, m, d) => `${m}-${d}`)],
  ]),
  wrong('date-month', 'RFC 3339 5.6: date-month = 2DIGIT ; 01-12', [
    ['month-0', 'of month 00', dated((y, _, d) => `${y}-00-${d}`)],
    ['month-13', 'of month 13', dated((y, _, d) => `${y}-13-${d}`)],
    ['month-99', 'of month 99', dated((y, _, d) => `${y}-99-${d}`)],
    ['month-of-one-digit', 'of a month of one digit', dated((y, _, d) => `${y}-9-${d}`)],
    ['month-named', 'of a month by its name', dated((y, _, d) => `${y}-Jan-${d}`)],
  ]),
  wrong('date-mday', 'RFC 3339 5.6: date-mday = 2DIGIT ; 01-28, 01-29, 01-30, 01-31', [
    ['day-0', 'of day 00', dated((y, m) => `${y}-${m}-00`)],
    ['day-32', 'of day 32', dated((y, m) => `${y}-${m}-32`)],
    ['day-of-one-digit', 'of a day of one digit', dated((y, m) => `${y}-${m}-7`)],
    ['day-of-three-digits', 'of a day of three digits', dated((y, m, d) => `${y}-${m}-0${d}`)],
    ['no-day', 'without its day', dated((y, m) => `${y}-${m}`)],
  ]),
  wrong('date-mday: days that a month lacks', RESTRICTED, [
    ['february-30', 'of 30 February', dated((y) => `${y}-02-30`)],
    ['february-31', 'of 31 February', dated((y) => `${y}-02-31`)],
    ['april-31', 'of 31 April', dated((y) => `${y}-04-31`)],
    ['november-31', 'of 31 November', dated((y) => `${y}-11-31`)],
    [
      'february-29',
      'of 29 February in a year that is not a leap year',
      dated((y) => `${commonYear(y)}-02-29`),
    ],
    [
      'february-29-of-2100',
      'of 29 February 2100, no leap year though four divides it',
      dated('2100-02-29'),
    ],
  ]),
  wrong(
    'full-date: hyphens, and the order of its parts',
    'RFC 3339 5.6: full-date = date-fullyear "-" date-month "-" date-mday',
    [
      ['slashes', 'with slashes in its date', dated((y, m, d) => `${y}/${m}/${d}`)],
      ['dots', 'with dots in its date', dated((y, m, d) => `${y}.${m}.${d}`)],
      ['no-hyphens', 'without hyphens', dated((y, m, d) => `${y}${m}${d}`)],
      ['day-first', 'that begins with its day', dated((y, m, d) => `${d}-${m}-${y}`)],
      ['day-first-slashes', 'as 31/01/2026', dated((y, m, d) => `${d}/${m}/${y}`)],
      ['week-date', 'by its week', dated((y) => `${y}-W03-1`)],
      ['ordinal-date', 'by the day of its year', dated((y) => `${y}-032`)],
      [
        'no-separators',
        'without hyphens and colons',
        ({ date, time, fraction }) =>
          `${date.replaceAll('-', '')}T${time.replaceAll(':', '')}${fraction}Z`,
      ],
    ],
  ),
]
