import { expect, test } from 'vitest'
import { DAY } from '../../engine/record/durations.ts'
import { marginOf, marginsIn } from '../../engine/suite-api/responses.ts'

const midnightsOfNewYork = ['03-08T05', '03-09T04', '11-01T04', '11-02T05'].map(
  (hour) => `2026-${hour}:00:00Z`,
)

test.each([
  ['midnights of UTC', true, '2026-01-05T00:00:00Z', '2026-02-05T00:00:00Z'],
  ['midnights of London', true, '2026-01-05T00:00:00Z', '2026-07-04T23:00:00Z'],
  ['noons of London', true, '2026-01-05T12:00:00Z', '2026-07-05T11:00:00Z'],
  ['midnights of New York', true, ...midnightsOfNewYork],
  ['two hours of one winter', false, '2026-01-05T14:00:00Z', '2026-02-05T15:00:00Z'],
  [
    'an hour and one before it',
    false,
    ...[5, 6, 7].map((day) => `2026-01-0${day}T1${day % 2}:00:00Z`),
  ],
  ['one full hour', true, '2026-01-05T14:00:00Z'],
  ['ends of days', true, '2026-01-05T23:59:59Z', '2026-01-06T23:59:59Z'],
  ['one noon', true, '2026-01-05T12:00:00Z'],
  ['one time of day', true, '2026-01-05T17:30:00Z', '2026-01-06T17:30:00Z', '2026-01-09T17:30:00Z'],
  ['one time of two days', true, '2026-01-05T17:30:00Z', '2026-01-06T17:30:00Z'],
  ['two times of day', false, '2026-01-05T09:00:00Z', '2026-01-06T17:00:00Z'],
  ['three hours', false, '2026-01-05T09:00:00Z', '2026-01-06T10:00:00Z', '2026-01-07T11:00:00Z'],
  ['one afternoon', false, '2026-01-05T14:33:12Z'],
  ['no time', false, 'yesterday'],
])('bookings at %s tell days alone: %s', (_, expected, ...times) => {
  const rows = times.map((BookingDateTime) => ({ Status: 'Booked', BookingDateTime }))
  const margin = marginsIn(rows, 0)
  expect(rows.map(margin)).toEqual(rows.map(() => (expected ? DAY : 0)))
})

test.each([
  ['a midnight', DAY, '2026-01-05T00:00:00Z', '2026-01-06T14:33:12Z'],
  ['a noon of London', DAY, '2026-07-05T11:00:00Z'],
  ['one time of day', DAY, '2026-01-05T05:00:00Z', '2026-07-05T04:00:00Z'],
  ['one full hour of several', 0, '2026-01-05T14:00:00Z', '2026-01-06T09:00:00Z'],
  ['a time', 0, '2026-01-05T14:33:12Z'],
])('%s has a margin of %i milliseconds', (_, expected, ...times) => {
  const rows = times.map((BookingDateTime) => ({ AccountId: 'one', BookingDateTime }))
  const others = [{ AccountId: 'other', BookingDateTime: '2026-01-05T14:33:12Z' }]
  expect(marginOf(rows[0] ?? {}, [...rows, ...others])).toBe(expected)
})
