import { expect, test } from 'vitest'
import { instantOf } from '../../engine/judge/formats.ts'

test.each([
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2016-12-31t23:59:60.25z', '2017-01-01T00:00:00.250Z'],
  ['2017-01-01T00:59:60+01:00', '2017-01-01T00:00:00.000Z'],
  ['2016-12-31T23:59:59.5Z', '2016-12-31T23:59:59.500Z'],
  ['2016-12-31T23:59:59.001000000000Z', '2016-12-31T23:59:59.001Z'],
  ['2016-12-31T23:59:60.123456789012Z', '2017-01-01T00:00:00.123Z'],
])('a date-time is an instant, in a leap second too: %s', (text, instant) => {
  expect(instantOf(text)).toBe(Date.parse(instant))
})

test('what is not a date-time is no instant', () => {
  expect(instantOf('yesterday')).toBeNaN()
  expect(instantOf('2016-12-31T24:60:60Z')).toBeNaN()
})
