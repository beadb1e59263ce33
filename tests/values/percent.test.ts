import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formDecoded, percentDecoded, percentEncoded } from '../../engine/record/percent.ts'

test.each([
  ['a b/ä', 'a%20b%2F%C3%A4'],
  ['\ud800', '%EF%BF%BD'],
  ['😀\udfff', '%F0%9F%98%80%EF%BF%BD'],
])('%j is encoded as %s', (text, encoded) => expect(percentEncoded(text)).toBe(encoded))

test.each(['%', '%zz', 'a+b%E4'])('%s encodes nothing, and stays', (text) => {
  expect(percentDecoded(text)).toBe(text)
  expect(formDecoded(text)).toBe(text)
})

test('a plus sign is a space in a form alone', () => {
  expect(formDecoded('a+b%2B')).toBe('a b+')
  expect(percentDecoded('a+b%2B')).toBe('a+b+')
})

test('no text makes them throw, and what is well formed comes back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      percentDecoded(text)
      formDecoded(text)
      expect(percentDecoded(percentEncoded(text))).toBe(text)
    }),
  )
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 0xffff })), (units) => {
      percentEncoded(String.fromCharCode(...units))
    }),
  )
})
