import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instantOf, isDateTime } from '../../engine/suite-api/responses.ts'
import { dateTime, filterDateTime } from '../../suites/values/date-time.ts'
import { rowsOf } from '../../suites/values/value-type.ts'
import { divided, madeOf, rowOf } from './rows.ts'

const at = (text: string) => ({ instant: Date.parse(text) })

const ORDINARY = at('2026-01-05T12:34:56Z')

/** Whole seconds, and milliseconds, of the years that dates of consents and bookings lie in. */
const right = fc
  .oneof(
    fc.integer({ min: 0, max: 4_102_444_800 }).map((seconds) => seconds * 1000),
    fc.integer({ min: 0, max: 4_102_444_800_000 }),
    fc.constantFrom(
      ...['2017-01-01', '2024-02-29T23:59:59Z', '2099-12-31T23:59:59.9Z', '2026-12-31T23:59Z'].map(
        (text) => Date.parse(text.includes('Z') ? text : `${text}T00:00:00Z`),
      ),
    ),
  )
  .map((instant) => ({ instant }))

/** Date.parse misreads a fraction of more than nine digits. */
const toTheMillisecond = (text: string) => instantOf(text.replace(/(\.\d{3})\d+/, '$1'))

describe.each([dateTime, filterDateTime])('$name', (type) => {
  const { wrong, lawful } = divided<{ instant: number }, unknown>(type)

  test('a lawful row is RFC 3339 and means the same instant', () => {
    fc.assert(
      fc.property(right, (instant) => {
        for (const [id, made] of madeOf(lawful, instant)) {
          expect(isDateTime(String(made)), `${id}: ${made}`).toBe(true)
          expect(toTheMillisecond(String(made)), `${id}: ${made}`).toBe(instant.instant)
        }
      }),
    )
  })

  test('a wrong row is not a date-time of RFC 3339', () => {
    fc.assert(
      fc.property(right, (instant) => {
        for (const [id, made] of madeOf(wrong, instant)) {
          expect(typeof made === 'string' && isDateTime(made), `${id}: ${made}`).toBe(false)
        }
      }),
    )
  })

  test('each row makes something of an instant, and no two the same', () => {
    const rights = [ORDINARY, at('2017-01-01T00:00:00Z')]
    const made = rights.flatMap((instant) =>
      madeOf<typeof ORDINARY, unknown>(rowsOf(type), instant),
    )
    expect(rowsOf(type).filter(({ id }) => !made.some(([one]) => one === id))).toEqual([])
    const texts = madeOf<typeof ORDINARY, unknown>(rowsOf(type), ORDINARY).map(([, value]) =>
      JSON.stringify(value),
    )
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([])
  })

  test('an instant of milliseconds has a spelling of each length that tells it', () => {
    const ids = (text: string) =>
      madeOf(lawful, at(text))
        .map(([id]) => id)
        .filter((id) => id.startsWith('fraction-'))
    const more = ['fraction-6', 'fraction-7', 'fraction-9', 'fraction-12', 'fraction-30']
    expect(ids('2026-01-05T12:34:56.789Z')).toEqual(more)
    expect(ids('2026-01-05T12:34:56.700Z')).toEqual(['fraction-1', 'fraction-2', ...more])
    expect(ids('2026-01-05T12:34:56Z')).toEqual(['fraction-1', 'fraction-2', 'fraction-3', ...more])
  })

  test.each([
    ['exact', '2026-01-05T12:34:56Z'],
    ['fraction-1', '2026-01-05T12:34:56.0Z'],
    ['fraction-6', '2026-01-05T12:34:56.000000Z'],
    ['offset-zero', '2026-01-05T12:34:56+00:00'],
    ['offset-unknown', '2026-01-05T12:34:56-00:00'],
    ['offset-plus-1', '2026-01-05T13:34:56+01:00'],
    ['offset-minus-5', '2026-01-05T07:34:56-05:00'],
    ['offset-half-hour', '2026-01-05T18:04:56+05:30'],
    ['small-letters', '2026-01-05t12:34:56z'],
    ['space-for-t', '2026-01-05 12:34:56Z'],
    ['no-offset', '2026-01-05T12:34:56'],
    ['no-seconds', '2026-01-05T12:34Z'],
    ['second-60', '2026-01-05T12:34:60Z'],
    ['hour-24', '2026-01-05T24:00:00Z'],
    ['half-day', '2026-01-05T12:34:56 PMZ'],
    ['month-13', '2026-13-05T12:34:56Z'],
    ['february-29', '2026-02-29T12:34:56Z'],
    ['no-separators', '20260105T123456Z'],
    ['date-alone', '2026-01-05'],
    ['seconds', '1767616496'],
    ['milliseconds', '1767616496000'],
    ['http-date', 'Mon, 05 Jan 2026 12:34:56 GMT'],
    ['asctime', 'Mon Jan 05 12:34:56 2026'],
    ['zone-name', '2026-01-05T12:34:56Z[Europe/London]'],
    ['full-width', '２０２６-０１-０５T１２:３４:５６Z'],
  ])('%s is %s', (id, made) => {
    expect(rowOf<{ instant: number }, unknown>(type, id).make(ORDINARY)).toBe(made)
  })
})

test.each([
  ['2024-05-01T00:00:00Z', '2025-02-29T00:00:00Z'],
  ['2025-05-01T00:00:00Z', '2025-02-29T00:00:00Z'],
])('of %s the day that its year lacks is %s', (text, made) => {
  expect(rowOf(filterDateTime, 'february-29').make(at(text))).toBe(made)
})

test('a leap second is made of the instant behind it alone', () => {
  const { make } = rowOf(filterDateTime, 'leap-second')
  expect(make(at('2017-01-01T00:00:00Z'))).toBe('2016-12-31T23:59:60Z')
  expect(make(at('2016-01-01T00:00:00Z'))).toBeUndefined()
})

test.each([
  ['number-of-seconds', 1_767_616_496],
  ['array', ['2026-01-05T12:34:56.000Z']],
  ['array-of-numbers', [2026, 1, 5, 12, 34, 56]],
  ['object', { $date: '2026-01-05T12:34:56.000Z' }],
  ['null', null],
])('of a body, %s is %j', (id, made) => {
  expect(rowOf(dateTime, id).make(ORDINARY)).toEqual(made)
})

test('what 3.1.2 takes at filters breaks nothing there, and something in a body', () => {
  for (const id of ['date-alone', 'empty']) {
    expect(rowOf(filterDateTime, id).level).toBe('observe')
    expect(rowOf(dateTime, id).level).toBe('should')
  }
  const levels = (type: typeof filterDateTime | typeof dateTime) =>
    rowsOf<{ instant: number }, unknown>(type).filter(({ level }) => level === 'observe').length
  expect(levels(filterDateTime) - levels(dateTime)).toBe(1)
})

/** How lax banks read an instant. */
const LAX: Record<string, (text: string) => number> = {
  'by the parser of its platform': (text) => Date.parse(text),
  trimmed: (text) => exactly(text.trim()),
  'by its beginning': (text) => exactly(text.slice(0, 20)),
  'by its end': (text) => exactly(text.slice(-20)),
  'line by line': (text) => exactly(text.split('\n')[0] ?? ''),
  'as a number': (text) => Number(text || 'x'),
  'as UTC, whatever stands at its end': (text) =>
    exactly(text.replace(/[a-z+]+.*$/i, '') && `${text.slice(0, 19)}Z`),
  'with any day up to 31': (text) =>
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T/.test(text) ? 1 : Number.NaN,
  'with two digits for each part': (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? 1 : Number.NaN,
  'in any script': (text) =>
    /^\p{Nd}{4}-\p{Nd}{2}-\p{Nd}{2}T\p{Nd}{2}:\p{Nd}{2}:\p{Nd}{2}Z$/u.test(text) ? 1 : Number.NaN,
  'with one digit or two': (text) =>
    /^\d{1,4}-\d{1,2}-\d{1,2}T\d{1,2}:\d{1,2}:\d{1,2}Z$/.test(text) ? 1 : Number.NaN,
  'without quotation marks': (text) => exactly(text.replaceAll('"', '')),
  'with offsets of any hour': (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/.test(text) && !isDateTime(text)
      ? 1
      : Number.NaN,
  'with offsets of four digits': (text) => exactly(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')),
  'of ISO 8601 in its basic form': (text) => (/^\d{8}T\d{6}Z$/.test(text) ? 1 : Number.NaN),
  'with a comma in its fraction': (text) => exactly(text.replace(',', '.')),
  'up to a NUL': (text) => exactly(text.split('\0')[0] ?? ''),
}

const exactly = (text: string) => (isDateTime(text) ? instantOf(text) : Number.NaN)

test.each(Object.entries(LAX))('a bank that reads instants %s takes a wrong one', (_, read) => {
  const { wrong } = divided(filterDateTime)
  const judged = wrong.filter(({ level }) => level !== 'observe')
  const taken = madeOf(judged, ORDINARY).filter(([, text]) => !Number.isNaN(read(text)))
  expect(taken).not.toEqual([])
})

/** How strict banks refuse a right one. */
const STRICT: Record<string, RegExp> = {
  'without a fraction': /^[^.]*$/,
  'with a fraction of three digits or none': /^[^.]*(\.\d{3})?[^.\d]*$/,
  'with a fraction of at most six digits': /^[^.]*(\.\d{1,6})?(Z|\+00:00)$/i,
  'with Z': /Z$/i,
  'with an offset': /\d$/,
  'in capitals': /^[^a-z]*$/,
  'of at most 29 characters': /^.{1,29}$/,
}

test.each(Object.entries(STRICT))(
  'a bank that takes only those %s refuses a right one',
  (_, form) => {
    const judged = divided(filterDateTime).lawful.filter(({ level }) => level !== 'observe')
    const refused = madeOf(judged, ORDINARY).filter(([, text]) => !form.test(text))
    expect(refused).not.toEqual([])
  },
)
