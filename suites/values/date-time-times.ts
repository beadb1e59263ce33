import { inOffset, inUtc, type Row, same, type Written, wrong } from './date-time-rows.ts'

/** Correct and wrong spellings of a time: the productions of full-time, with RFC 3339 sections 4.3 and 5.7. */

/** The date-time with another time; the fraction stays after it. */
const timed =
  (time: (hour: string, minute: string, second: string) => string): Row[2] =>
  (at) =>
    inUtc({ ...at, time: time(at.hour, at.minute, at.second) })

/** The date-time with this in place of its Z. */
const zoned =
  (offset: string): Row[2] =>
  (at) =>
    inUtc(at).replace('Z', offset)

/** The instant with a fraction of this many digits; undefined where that loses precision. */
function ofDigits(digits: number): Row[2] {
  return (at) => {
    const thousandths = String(((at.instant % 1000) + 1000) % 1000).padStart(3, '0')
    if (!/^0*$/.test(thousandths.slice(digits))) return undefined
    const fraction = thousandths.slice(0, digits).padEnd(digits, '0')
    return inUtc({ ...at, fraction: `.${fraction}` })
  }
}

/** The whole second followed by this in place of a fraction. */
const instead =
  (fraction: string): Row[2] =>
  (at) =>
    inUtc({ ...at, fraction })

/** The time on a twelve-hour clock. */
function inHalves({ date, hour, minute, second }: Written): string {
  const hours = String(Number(hour) % 12 || 12).padStart(2, '0')
  return `${date}T${hours}:${minute}:${second} ${Number(hour) < 12 ? 'AM' : 'PM'}Z`
}

/** Instants right after the last leap seconds: IERS bulletins C, RFC 3339 appendix D. */
const AFTER_LEAP_SECONDS = ['2017-01-01', '2015-07-01', '2012-07-01', '2009-01-01'].map((day) =>
  Date.parse(day),
)

function leapSecond({ instant }: Written): string | undefined {
  if (!AFTER_LEAP_SECONDS.includes(instant)) return undefined
  return new Date(instant - 1000).toISOString().replace(':59.000Z', ':60Z')
}

const OTHER_OFFSETS =
  'RFC 3339 5.6: time-numoffset; “All date-times are UTC”, and at filters 3.1.2 ignores one (AMB-30)'

export const TIMES = [
  wrong('time-hour', 'RFC 3339 5.7: “only allows values between "00" and "23" for the hour”', [
    ['hour-24', 'of hour 24, which is the next midnight', timed(() => '24:00:00')],
    ['hour-25', 'of hour 25', timed((_, m, s) => `25:${m}:${s}`)],
    ['hour-of-one-digit', 'of an hour of one digit', timed((_, m, s) => `9:${m}:${s}`)],
    ['hour-negative', 'of an hour with a minus sign', timed((h, m, s) => `-${h}:${m}:${s}`)],
    ['half-day', 'by the clock of twelve hours', inHalves],
  ]),
  wrong('time-minute', 'RFC 3339 5.6: time-minute = 2DIGIT ; 00-59', [
    ['minute-60', 'of minute 60', timed((h, _, s) => `${h}:60:${s}`)],
    ['minute-of-one-digit', 'of a minute of one digit', timed((h, _, s) => `${h}:7:${s}`)],
    ['no-minutes', 'without minutes', ({ date, hour }) => `${date}T${hour}Z`],
  ]),
  wrong('time-second', 'RFC 3339 5.6: time-second = 2DIGIT ; 00-58, 00-59, 00-60', [
    ['second-61', 'of second 61', timed((h, m) => `${h}:${m}:61`)],
    ['second-99', 'of second 99', timed((h, m) => `${h}:${m}:99`)],
    ['second-of-one-digit', 'of a second of one digit', timed((h, m) => `${h}:${m}:7`)],
    ['no-seconds', 'without seconds', ({ date, hour, minute }) => `${date}T${hour}:${minute}Z`],
  ]),
  wrong(
    'time-second: 60 where no leap second was',
    'RFC 3339 5.7: “At all other times the maximum value of time-second is "59"”; which times they are a reader may not know',
    [
      [
        'second-60',
        'of second 60',
        (at) =>
          at.hour === '23' && at.minute === '59'
            ? undefined
            : inUtc({ ...at, time: `${at.hour}:${at.minute}:60` }),
        'observe',
      ],
    ],
  ),
  same(
    'time-second: 60 where a leap second was',
    'RFC 3339 5.7: “may have the value "60" at the end of months in which a leap second occurs”',
    [['leap-second', 'that is the leap second before it', leapSecond, 'observe']],
  ),
  same('time-secfrac', 'RFC 3339 5.6: time-secfrac = "." 1*DIGIT', [
    ['fraction-1', 'with a fraction of one digit', ofDigits(1)],
    ['fraction-2', 'with a fraction of two digits', ofDigits(2)],
    [
      'fraction-3',
      'with a fraction of three digits',
      (at) => (at.fraction === '' ? ofDigits(3)(at) : undefined),
    ],
    ['fraction-6', 'with a fraction of six digits', ofDigits(6)],
    ['fraction-7', 'with a fraction of seven digits', ofDigits(7)],
    ['fraction-9', 'with a fraction of nine digits', ofDigits(9)],
    ['fraction-12', 'with a fraction of twelve digits', ofDigits(12), 'should'],
    ['fraction-30', 'with a fraction of thirty digits', ofDigits(30), 'should'],
  ]),
  wrong('time-secfrac: its point and digits', 'RFC 3339 5.6: time-secfrac = "." 1*DIGIT', [
    ['fraction-empty', 'with a point and no fraction', instead('.')],
    ['fraction-comma', 'with a comma before its fraction', instead(',000')],
    ['fraction-colon', 'with a colon before its fraction', instead(':000')],
    ['fraction-letter', 'with a letter in its fraction', instead('.00x')],
    ['fraction-twice', 'with two fractions', instead('.000.000')],
    [
      'fraction-of-minute',
      'with a fraction of a minute',
      ({ date, hour, minute }) => `${date}T${hour}:${minute}.5Z`,
    ],
  ]),
  wrong(
    'partial-time: colons',
    'RFC 3339 5.6: partial-time = time-hour ":" time-minute ":" time-second [time-secfrac]',
    [
      ['no-colons', 'without colons', timed((h, m, s) => `${h}${m}${s}`)],
      ['dots-in-time', 'with dots in its time', timed((h, m, s) => `${h}.${m}.${s}`)],
      ['hyphens-in-time', 'with hyphens in its time', timed((h, m, s) => `${h}-${m}-${s}`)],
    ],
  ),
  same('"Z"', 'RFC 3339 5.6 NOTE: “may alternatively be lower case "t" or "z" respectively”', [
    ['small-z', 'with a lower-case z', zoned('z'), 'should'],
  ]),
  same('time-numoffset: zero', 'RFC 3339 5.6: time-offset = "Z" / time-numoffset', [
    ['offset-zero', 'with the offset +00:00', zoned('+00:00')],
  ]),
  same(
    'time-numoffset: zero, and the local offset unknown',
    'RFC 3339 4.3: “This differs semantically from an offset of "Z" or "+00:00"”, and is the same instant; ISO 8601 has none such',
    [['offset-unknown', 'with the offset -00:00', zoned('-00:00'), 'observe']],
  ),
  same('time-numoffset: another', OTHER_OFFSETS, [
    ['offset-plus-1', 'with the offset +01:00', inOffset(60), 'observe'],
    ['offset-minus-5', 'with the offset -05:00', inOffset(-300), 'observe'],
    ['offset-half-hour', 'with the offset +05:30', inOffset(330), 'observe'],
    ['offset-plus-14', 'with the offset +14:00', inOffset(840), 'observe'],
    ['offset-minus-12', 'with the offset -12:00', inOffset(-720), 'observe'],
    ['offset-of-a-day', 'with the offset +23:59', inOffset(1439), 'observe'],
  ]),
  wrong('time-offset: none', 'RFC 3339 5.6: full-time = partial-time time-offset; 3.1.2 takes it', [
    ['no-offset', 'without an offset', zoned(''), 'observe'],
  ]),
  wrong(
    'time-numoffset: its form',
    'RFC 3339 5.6: time-numoffset = ("+" / "-") time-hour ":" time-minute',
    [
      ['offset-without-colon', 'with the offset +0000', zoned('+0000')],
      ['offset-of-hours', 'with the offset +00', zoned('+00')],
      ['offset-of-one-digit', 'with the offset +0:00', zoned('+0:00')],
      ['offset-with-seconds', 'with the offset +00:00:00', zoned('+00:00:00')],
      ['offset-without-sign', 'with the offset 00:00', zoned('00:00')],
      ['offset-two-signs', 'with the offset +-00:00', zoned('+-00:00')],
      ['offset-minus-sign', 'with a minus sign for a hyphen in its offset', zoned('\u221200:00')],
      ['offset-24', 'with the offset +24:00', zoned('+24:00')],
      ['offset-minute-60', 'with the offset +00:60', zoned('+00:60')],
      ['offset-sign-alone', 'with the offset +', zoned('+')],
    ],
  ),
  wrong('time-offset: one', 'RFC 3339 5.6: time-offset = "Z" / time-numoffset', [
    ['z-twice', 'with Z twice', zoned('ZZ')],
    ['z-and-offset', 'with Z and an offset', zoned('Z+00:00')],
    ['offset-and-z', 'with an offset and Z', zoned('+00:00Z')],
    ['space-before-z', 'with a space before its Z', zoned(' Z')],
    ['zone-utc', 'with UTC for Z', zoned('UTC')],
    ['zone-gmt', 'with GMT after a space for Z', zoned(' GMT')],
    ['zone-bst', 'with BST after a space for Z', zoned(' BST')],
    ['zone-of-military', 'with A for Z', zoned('A')],
    ['zone-name', 'with the name of a time zone after it', zoned('Z[Europe/London]')],
  ]),
]
