import { expect, test } from 'vitest'
import { marginAround } from '../../suites/account-information/common/data/booking-times.ts'

const DAY = 86_400_000

test.each([
  ['midnights of UTC', true, '2026-01-05T00:00:00Z', '2026-02-05T00:00:00Z'],
  ['midnights of London', true, '2026-01-05T00:00:00Z', '2026-07-04T23:00:00Z'],
  ['noons of London', true, '2026-01-05T12:00:00Z', '2026-07-05T11:00:00Z'],
  ['midnights of New York', true, '2026-01-05T05:00:00Z', '2026-07-05T04:00:00Z'],
  ['ends of days', true, '2026-01-05T23:59:59Z', '2026-01-06T23:59:59Z'],
  ['one noon', true, '2026-01-05T12:00:00Z'],
  ['one time of day', true, '2026-01-05T17:30:00Z', '2026-01-06T17:30:00Z', '2026-01-09T17:30:00Z'],
  ['one time of two days', false, '2026-01-05T17:30:00Z', '2026-01-06T17:30:00Z'],
  ['two times of day', false, '2026-01-05T09:00:00Z', '2026-01-06T17:00:00Z'],
  ['three hours', false, '2026-01-05T09:00:00Z', '2026-01-06T10:00:00Z', '2026-01-07T11:00:00Z'],
  ['one afternoon', false, '2026-01-05T14:33:12Z'],
  ['no time', false, 'yesterday'],
])('bookings at %s tell days alone: %s', (_, expected, ...times) => {
  const rows = times.map((BookingDateTime) => ({ Status: 'Booked', BookingDateTime }))
  expect(marginAround(rows, 0)).toBe(expected ? DAY : 0)
})
