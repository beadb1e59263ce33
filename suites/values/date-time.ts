import { DATES } from './date-time-dates.ts'
import { type Instant, inUtc, same, wrong } from './date-time-rows.ts'
import { TIMES } from './date-time-times.ts'
import type { Part, Value, ValueType } from './value-type.ts'

const WHOLE = 'RFC 3339 5.6: date-time = full-date "T" full-time'

/** Digits of another script, given the code point of its zero. */
const inScript = (zero: number) => (text: string) =>
  text.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)))

const GRAMMAR = 'RFC 3339 section 5.6, with sections 4.3 and 5.7 and appendix D'

const TEXTS: Part<Instant, string>[] = [
  same('date-time', WHOLE, [['exact', 'in UTC', inUtc]]),
  ...DATES,
  same('"T"', 'RFC 3339 5.6 NOTE: “may alternatively be lower case "t" or "z" respectively”', [
    ['small-t', 'with a lower-case t', (at) => inUtc(at).replace('T', 't'), 'should'],
    [
      'small-letters',
      'with a lower-case t and a lower-case z',
      (at) => inUtc(at).toLowerCase(),
      'should',
    ],
  ]),
  wrong(
    '"T": another separator',
    'RFC 3339 5.6 NOTE: “may choose, for the sake of readability, to specify a full-date and full-time separated by (say) a space character”, and no sentence of the document chooses so',
    [
      ['space-for-t', 'with a space for its T', (at) => inUtc(at).replace('T', ' '), 'observe'],
      [
        'low-line-for-t',
        'with an underscore for its T',
        (at) => inUtc(at).replace('T', '_'),
        'observe',
      ],
    ],
  ),
  wrong('"T": one', WHOLE, [
    ['no-t', 'without its T', (at) => inUtc(at).replace('T', '')],
    ['t-twice', 'with T twice', (at) => inUtc(at).replace('T', 'TT')],
    ['spaces-around-t', 'with spaces around its T', (at) => inUtc(at).replace('T', ' T ')],
  ]),
  ...TIMES,
  wrong('date-time: both of its parts', WHOLE, [
    ['date-alone', 'that is a date alone', ({ date }) => date],
    ['date-and-z', 'that is a date and Z', ({ date }) => `${date}Z`],
    ['time-alone', 'that is a time alone', ({ time }) => `${time}Z`],
    ['month-alone', 'that is a month', ({ year, month }) => `${year}-${month}`],
    ['year-alone', 'that is a year', ({ year }) => year],
  ]),
  wrong('DIGIT: of ASCII', 'RFC 5234 B.1: DIGIT = %x30-39', [
    ['full-width', 'of full-width digits', (at) => inScript(0xff10)(inUtc(at))],
    ['arabic-indic', 'of Arabic-Indic digits', (at) => inScript(0x0660)(inUtc(at))],
    [
      'letter-for-zero',
      'with the letter O for a zero',
      (at) => {
        const text = inUtc(at).replace('0', 'O')
        return text.includes('O') ? text : undefined
      },
    ],
    ['en-dashes', 'with en dashes for hyphens', (at) => inUtc(at).replaceAll('-', '\u2013')],
  ]),
  wrong('nothing before, after and between', WHOLE, [
    ['leading-space', 'with a space before it', (at) => ` ${inUtc(at)}`],
    ['trailing-space', 'with a space after it', (at) => `${inUtc(at)} `],
    ['trailing-newline', 'with a line feed after it', (at) => `${inUtc(at)}\n`],
    ['second-line', 'with a second line', (at) => `${inUtc(at)}\ntomorrow`],
    ['trailing-nul', 'with a NUL after it', (at) => `${inUtc(at)}\0`],
    ['zero-width-space', 'with a zero-width space after it', (at) => `${inUtc(at)}\u200b`],
    ['text-behind', 'with a word after it', (at) => `${inUtc(at)} or later`],
    ['text-before', 'with a word before it', (at) => `from ${inUtc(at)}`],
    ['digit-behind', 'with a digit after it', (at) => `${inUtc(at)}0`],
    ['in-quotes', 'in quotation marks', (at) => `"${inUtc(at)}"`],
    ['two', 'that are two, with a comma between', (at) => `${inUtc(at)},${inUtc(at)}`],
    ['interval', 'that is an interval', (at) => `${inUtc(at)}/${inUtc(at)}`],
  ]),
  wrong('other spellings of an instant', WHOLE, [
    ['seconds', 'that is seconds since 1970', ({ instant }) => `${Math.floor(instant / 1000)}`],
    ['milliseconds', 'that is milliseconds since 1970', ({ instant }) => `${instant}`],
    ['http-date', 'as in HTTP headers', ({ instant }) => new Date(instant).toUTCString()],
    [
      'asctime',
      'as of asctime',
      ({ instant }) => {
        const [week = '', day, month, year, time] = new Date(instant).toUTCString().split(' ')
        return `${week.slice(0, 3)} ${month} ${day} ${time} ${year}`
      },
    ],
    ['duration', 'that is a duration', () => 'P30D'],
    ['relative', 'that is so many days from now', () => '+30d'],
    ['now', 'that is the word now', () => 'now'],
    ['tomorrow', 'that is the word tomorrow', () => 'tomorrow'],
    ['yesterday', 'that is the word yesterday', () => 'yesterday'],
    ['zero', 'that is 0', () => '0'],
  ]),
  wrong('no instant', WHOLE, [
    ['empty', 'that is empty', () => ''],
    ['space', 'that is a space', () => ' '],
    ['null-word', 'that is the word null', () => 'null'],
    ['undefined-word', 'that is the word undefined', () => 'undefined'],
    ['invalid-date', 'that is Invalid Date', () => 'Invalid Date'],
    ['letters', 'of letters', () => 'yyyy-mm-ddThh:mm:ssZ'],
  ]),
]

const JSON_STRING =
  '“| ExpirationDateTime | date-time | optional |”: RFC 3339 5.6 defines texts, which RFC 8259 7 makes strings'

function value(id: string, words: string, make: (right: Instant) => unknown) {
  return { id, words, level: 'should', because: JSON_STRING, make } satisfies Value<
    Instant,
    unknown
  >
}

/** ExpirationDateTime, TransactionFromDateTime and TransactionToDateTime of a request, as a JSON value. */
export const dateTime: ValueType<Instant, unknown> = {
  name: 'date-time',
  grammar: `${GRAMMAR}; RFC 8259 3 for the JSON value`,
  parts: [
    ...TEXTS,
    {
      part: 'string: no number',
      rows: [
        value('number-of-seconds', 'that is a number of seconds', ({ instant }) =>
          Math.floor(instant / 1000),
        ),
        value(
          'number-of-milliseconds',
          'that is a number of milliseconds',
          ({ instant }) => instant,
        ),
        value('number-five', 'that is the number 5', () => 5),
      ],
    },
    {
      part: 'string: no literal',
      rows: [
        value('true', 'that is true', () => true),
        value('false', 'that is false', () => false),
      ],
    },
    {
      part: 'string: no array and no object',
      rows: [
        value('array', 'in an array', ({ instant }) => [textOf(instant)]),
        value('empty-array', 'that is an empty array', () => []),
        value('array-of-numbers', 'that is an array of its numbers', ({ instant }) =>
          textOf(instant).split(/\D+/).slice(0, 6).map(Number),
        ),
        value('object', 'in an object', ({ instant }) => ({ $date: textOf(instant) })),
        value('empty-object', 'that is an empty object', () => ({})),
      ],
    },
    {
      part: 'null',
      rows: [
        {
          ...value('null', 'that is null', () => null),
          level: 'observe',
          because: '“| ExpirationDateTime | date-time | optional |”: null may be none',
        },
      ],
    },
    {
      part: 'which instant',
      none: 'Dates that have passed, or that contradict each other, are date-times: CONS-16 and CONS-17 record what they give.',
    },
  ],
}

function textOf(instant: number): string {
  return new Date(instant).toISOString()
}

/** Values that specification 3.1.2 accepts in filters, and the document, which names RFC 3339 for them, does not. */
const TAKEN_AT_FILTERS: Record<string, string> = {
  'date-alone':
    '3.1.2, fromBookingDateTime: “Time component is optional - set to 00:00:00 for just Date”',
  empty: '“(RFC 3339, both optional)”: an empty parameter may be none',
}

/** fromBookingDateTime and toBookingDateTime of a query, before it is encoded. */
export const filterDateTime: ValueType<Instant, string> = {
  name: 'filter date-time',
  grammar: GRAMMAR,
  parts: [
    ...TEXTS.map(({ part, rows = [] }) => ({ part, rows: rows.map(atFilters) })),
    {
      part: 'the query: its encoding, and a parameter that comes twice',
      none: 'They belong to the place that writes the query: a plus sign must be encoded there.',
    },
  ],
}

function atFilters(row: Value<Instant, string>): Value<Instant, string> {
  const because = TAKEN_AT_FILTERS[row.id]
  return because === undefined ? row : { ...row, level: 'observe', because }
}
