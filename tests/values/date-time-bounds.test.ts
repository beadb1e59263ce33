import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY, HOUR } from '../../engine/record/durations.ts'
import { instantOf, isDateTime } from '../../engine/suite-api/responses.ts'
import { type BoundsQuery, bounds } from '../../suites/values/date-time-bounds.ts'
import { rowsOf } from '../../suites/values/value-type.ts'
import { divided, madeOf, rowOf } from './rows.ts'

const { wrong, lawful } = divided(bounds)

const NOON = { row: Date.parse('2026-01-05T12:00:00Z'), told: 1 }

/** Bookings of whole seconds or milliseconds, with neighbours that are close. */
const booking = fc
  .record({
    told: fc.constantFrom(1, 100, 1000),
    row: fc.integer({ min: 0, max: 4_102_444_800 }),
    fraction: fc.integer({ min: 0, max: 999 }),
    before: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
    after: fc.option(fc.integer({ min: 1, max: 100 }), { nil: undefined }),
  })
  .map(({ told, row, fraction, before, after }) => {
    const at = row * 1000 + Math.floor(fraction / told) * told
    return {
      ...{ told, row: at },
      ...(before !== undefined && { before: at - before * told }),
      ...(after !== undefined && { after: at + after * told }),
    }
  })

const instant = (text: string | undefined, none: number) => (text ? instantOf(text) : none)

const limits = ({ fromBookingDateTime, toBookingDateTime }: BoundsQuery) => ({
  from: instant(fromBookingDateTime, Number.NEGATIVE_INFINITY),
  to: instant(toBookingDateTime, Number.POSITIVE_INFINITY),
})

test('whenever the row was booked, it lies between bounds of a lawful row, and not of a wrong one', () => {
  fc.assert(
    fc.property(booking, (right) => {
      for (const booked of [right.row, right.row + right.told - 1]) {
        for (const [id, made] of madeOf(lawful, right)) {
          const { from, to } = limits(made)
          expect(from < booked && booked < to, id).toBe(true)
        }
        for (const [id, made] of madeOf(wrong, right)) {
          const { from, to } = limits(made)
          expect(from <= booked && booked <= to, id).toBe(false)
        }
      }
    }),
  )
})

test('no bound lies on a booking', () => {
  fc.assert(
    fc.property(booking, (right) => {
      const { row, told, before = row, after = row } = right
      for (const [id, made] of madeOf(rowsOf(bounds), right)) {
        for (const text of Object.values(made)) {
          const bound = instantOf(text)
          for (const one of [row, before, after]) {
            expect(bound >= one && bound < one + told, id).toBe(false)
          }
        }
      }
    }),
  )
})

test('a bound is RFC 3339 in UTC, with milliseconds where it needs them', () => {
  fc.assert(
    fc.property(booking, (right) => {
      for (const [, made] of madeOf(rowsOf(bounds), right)) {
        for (const text of Object.values(made)) {
          expect(isDateTime(text)).toBe(true)
          expect(text).toMatch(/:\d\d(\.\d{3})?Z$/)
          expect(text).not.toMatch(/\.000Z$/)
        }
      }
    }),
  )
})

test('each row makes something of a booking at noon or in the afternoon, and no two the same', () => {
  const made = [500, 3 * HOUR + 500].map((later) => {
    const right = { ...NOON, row: NOON.row + later }
    return madeOf(rowsOf(bounds), right).map(([id, query]) => [id, JSON.stringify(query)] as const)
  })
  expect(new Set(made.flat().map(([id]) => id)).size).toBe(rowsOf(bounds).length)
  for (const one of made) expect(new Set(one.map(([, query]) => query)).size).toBe(one.length)
})

test('of a booking whose text tells seconds alone, no bound lies within that second', () => {
  const ids = madeOf(rowsOf(bounds), { ...NOON, told: 1000 }).map(([id]) => id)
  expect(ids).toContain('from-millisecond-before')
  expect(ids).toContain('from-second-after')
  for (const id of ['from-millisecond-after', 'to-millisecond-after', 'millisecond-around']) {
    expect(ids).not.toContain(id)
  }
})

test('of a booking at midnight no bound is its midnight, and of one at the end of a day not that end', () => {
  const midnight = { ...NOON, row: Date.parse('2026-01-05T00:00:00Z') }
  expect(rowOf(bounds, 'to-first-of-day').make(midnight)).toBeUndefined()
  const last = { ...NOON, row: Date.parse('2026-01-05T23:59:59.500Z') }
  expect(rowOf(bounds, 'from-last-of-day').make(last)).toBeUndefined()
  expect(rowOf(bounds, 'to-last-of-day').make(last)).toBeUndefined()
})

test('of a booking whose noon tells its day alone, no bound lies within a day of it', () => {
  const right = { ...NOON, told: DAY, early: DAY }
  for (const [id, made] of madeOf(rowsOf(bounds), right)) {
    for (const text of Object.values(made)) {
      expect(Math.abs(instantOf(text) - NOON.row), id).toBeGreaterThanOrEqual(DAY)
    }
  }
})

test.each([
  ['from-second-before', { fromBookingDateTime: '2026-01-05T11:59:59Z' }],
  ['from-millisecond-after', { fromBookingDateTime: '2026-01-05T12:00:00.001Z' }],
  ['to-whole-second-after', { toBookingDateTime: '2026-01-05T12:00:01Z' }],
  ['from-last-of-day', { fromBookingDateTime: '2026-01-05T23:59:59Z' }],
  [
    'second-around',
    { fromBookingDateTime: '2026-01-05T11:59:59Z', toBookingDateTime: '2026-01-05T12:00:01Z' },
  ],
  [
    'reversed',
    { fromBookingDateTime: '2026-01-05T12:00:01Z', toBookingDateTime: '2026-01-05T11:59:59Z' },
  ],
])('%s is %j', (id, query) => {
  expect(rowOf(bounds, id).make(NOON)).toEqual(query)
})

/** How lax banks compare the row with a bound: the instants as they see them. */
const LAX: Record<string, (at: number) => number> = {
  'by days': (at) => Math.floor(at / 86_400_000),
  'by hours': (at) => Math.floor(at / 3_600_000),
  'by minutes': (at) => Math.floor(at / 60_000),
  'by rounded seconds': (at) => Math.round(at / 1000),
}

test.each(Object.entries(LAX))(
  'a bank that compares %s, bounds included, shows too much',
  (_, seen) => {
    const right = { ...NOON, row: NOON.row + 300 }
    const shown = madeOf(wrong, right).filter(([, made]) => {
      const { from, to } = limits(made)
      return seen(from) <= seen(right.row) && seen(right.row) <= seen(to)
    })
    expect(shown).not.toEqual([])
  },
)

test.each(Object.entries(LAX))(
  'a bank that compares %s, bounds left out, shows too little',
  (_, seen) => {
    const right = { ...NOON, row: NOON.row + 300 }
    const hidden = madeOf(lawful, right).filter(([, made]) => {
      const { from, to } = limits(made)
      return !(seen(from) < seen(right.row) && seen(right.row) < seen(to))
    })
    expect(hidden).not.toEqual([])
  },
)
