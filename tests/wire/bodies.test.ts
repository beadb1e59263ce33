import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBodies } from '../../engine/wire/bodies.ts'

const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    AccountId: 'one',
    BookingDateTime: new Date(1e12 + (from + index) * 1000).toISOString(),
    Amount: { Amount: `${index}.00`, Currency: 'GBP' },
  }))

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))
const answer = (Transaction: unknown[], self = 'https://a.example/') =>
  bytes({ Data: { Transaction }, Links: { Self: self } })

type Answer = { Data: { Transaction: object[] } }

test('an answer that comes twice is one object, and its text is kept no longer than a report shows', () => {
  const bodies = createBodies()
  const first = bodies.keep(answer(rows(5000)))
  const second = bodies.keep(answer(rows(5000)))
  expect(second.json).toBe(first.json)
  expect(first.bytes).toBe(answer(rows(5000)).length)
  expect(first.body.length).toBeLessThan(64 * 1024)
  expect(answer(rows(5000)).toString()).toContain(first.body)
  expect(first.digest).toMatch(/^[0-9a-f]{64}$/)
})

test('a small answer that comes twice is one object, whole as text and without a digest', () => {
  const bodies = createBodies()
  const first = bodies.keep(answer(rows(3)))
  expect(bodies.keep(answer(rows(3)))).toEqual(first)
  expect(bodies.keep(answer(rows(3))).json).toBe(first.json)
  expect(first.body).toBe(answer(rows(3)).toString())
  expect(first).not.toHaveProperty('digest')
  expect(bodies.keep(answer(rows(3, 1))).json).not.toBe(first.json)
})

test('rows that stand in two different answers are the same objects', () => {
  const bodies = createBodies()
  const whole = bodies.keep(answer(rows(5000))).json as Answer
  const half = bodies.keep(answer(rows(2500, 2500), 'https://a.example/?from=')).json as Answer
  expect(half.Data.Transaction).toHaveLength(2500)
  expect(half.Data.Transaction.filter((row) => whole.Data.Transaction.includes(row))).toEqual([])
  const part = bodies.keep(answer(rows(2500), 'https://a.example/?to=')).json as Answer
  expect(part.Data.Transaction.every((row, index) => row === whole.Data.Transaction[index])).toBe(
    true,
  )
})

test('what is kept equals what was sent, large or small, JSON or not', () => {
  const bodies = createBodies()
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.integer({ min: 0, max: 3000 }), (text, padding) => {
      const sent = `{"Data":{"Transaction":${JSON.stringify(rows(padding))}},"more":${text}}`
      expect(bodies.keep(Buffer.from(sent)).json).toEqual(JSON.parse(sent))
    }),
    { numRuns: 50 },
  )
  const garbage = Buffer.from('<'.repeat(100_000))
  expect(bodies.keep(garbage)).toEqual({
    body: garbage.toString(),
    bytes: 100_000,
    json: undefined,
  })
  expect(bodies.keep(Buffer.alloc(0))).toEqual({ body: '', bytes: 0 })
})

test('a large body that is cut, doubled or garbled is JSON exactly where JSON.parse says so', () => {
  const whole = answer(rows(800)).toString()
  const bodies = createBodies()
  const bits = ['', ',', '[', ']', '{', '}', '"', '\\', '[]', 'null', ' ', '"Data":[1],']
  fc.assert(
    fc.property(
      fc.nat(whole.length),
      fc.nat(3),
      fc.constantFrom(...bits),
      fc.constantFrom('', ',"Data":{}', ',"Data":{"Transaction":[]}'),
      (at, less, more, end) => {
        const text = `${whole.slice(0, at)}${more}${whole.slice(at + less, -1)}${end}}`
        let expected: unknown
        try {
          expected = JSON.parse(text)
        } catch {}
        expect(bodies.keep(Buffer.from(text)).json).toEqual(expected)
      },
    ),
    { numRuns: 400 },
  )
})

test('half of a surrogate pair in a row of a large body is replaced', () => {
  const sent = answer(rows(800)).toString().replace('"one"', '"\\ud800"')
  const kept = createBodies().keep(Buffer.from(sent)).json as { Data: { Transaction: object[] } }
  expect(kept.Data.Transaction[0]).toMatchObject({ AccountId: '\ufffd' })
})
