import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDateTime, parseDateTime } from '../../bank/state/datetime.ts'

const instants = fc.date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9998-12-31T00:00:00Z'),
  noInvalidDate: true,
})

test('whatever is formatted parses back', () => {
  fc.assert(
    fc.property(instants, (date) => {
      expect(parseDateTime(formatDateTime(date.getTime()))).toBe(date.getTime())
    }),
  )
})

test('an offset names the same instant', () => {
  const offsets = fc.integer({ min: -1439, max: 1439 })
  fc.assert(
    fc.property(instants, offsets, (date, offset) => {
      const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1)
      const minutes = Math.abs(offset)
      const two = (value: number) => String(value).padStart(2, '0')
      const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
      expect(parseDateTime(local + zone)).toBe(date.getTime())
    }),
  )
})

test.each([
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2024-01-01t01:02:03.57z', '2024-01-01T01:02:03.570Z'],
  ['2024-01-01T00:00:00.123456789+00:00', '2024-01-01T00:00:00.123Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2024-01-01T00:00:00-00:00', '2024-01-01T00:00:00.000Z'],
])('%s is %s', (text, instant) => {
  expect(parseDateTime(text)).toBe(Date.parse(instant))
})

test.each([
  '2023-02-29T00:00:00Z',
  '2024-00-01T00:00:00Z',
  '2024-13-01T00:00:00Z',
  '2024-01-01T24:00:00Z',
  '2024-01-01T00:60:00Z',
  '2024-01-01T00:00:61Z',
  '2024-01-01T00:00:00',
  '2024-01-01 00:00:00Z',
  '2024-01-01T00:00Z',
  '2024-01-01T00:00:00.Z',
  '2024-01-01T00:00:00+0100',
  '2024-01-01T00:00:00+24:00',
  ' 2024-01-01T00:00:00Z',
  '2024-01-01',
  '1704067200',
  '',
  5,
  null,
])('%s is none', (text) => {
  expect(parseDateTime(text)).toBeUndefined()
})
