import fc from 'fast-check'
import { expect, test } from 'vitest'
import { repeatedName } from '../../engine/wire/repeated-names.ts'

const placeIn = (text: string) => repeatedName(Buffer.from(text), JSON.parse(text))

/** A name that stands twice in one object is found at its place, and no other. */

test.each([
  ['{"a":1,"a":1}', '/a'],
  [
    '{"Data":{"Balance":[{"x":1},{"Amount":{"Currency":"EUR","Currency":"GBP"}}]}}',
    '/Data/Balance/1/Amount/Currency',
  ],
  ['{"a":{"b":1,"b":2},"a":3}', '/a/b'],
  ['{"a":[1,[2,{"b":1}],{"c/~":1,"c/~":{}}]}', '/a/2/c~1~0'],
  ['{"\\u0061":1,"a":2}', '/a'],
  ['{"":1,"":2}', '/'],
  ['{"a":{"b":{"c":1,"d":2}},"e":{"b":1},"a":{"b":{"c":1,"d":2}}}', '/a'],
])('%s', (text, place) => {
  expect(placeIn(text)).toBe(place)
})

test.each([
  '{"a":":","b":"\\":","c":{"a":[{"a":1},{"a":2}]}}',
  '[]',
  '1',
  '"a:b"',
  '{"__proto__":1}',
])('%s has none', (text) => expect(placeIn(text)).toBeUndefined())

test('what a serializer writes has none', () => {
  fc.assert(fc.property(fc.json(), (text) => placeIn(text) === undefined))
})

test('one more member of a name that is there is found', () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, noNullPrototype: true })
  fc.assert(
    fc.property(objects, fc.jsonValue(), (object, value) => {
      const [name = ''] = Object.keys(object)
      const first = `${JSON.stringify(name)}:${JSON.stringify(value)}`
      const text = `{${first},${JSON.stringify(object).slice(1)}`
      expect(placeIn(text)).toBe(`/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    }),
  )
})
