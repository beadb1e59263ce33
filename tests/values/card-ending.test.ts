import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cardEnding } from '../../suites/values/card-ending.ts'
import { rowsOf } from '../../suites/values/value-type.ts'
import { divided, madeOf, rowOf } from './rows.ts'

const { wrong, lawful } = divided(cardEnding)

const FOUR = /^[0-9]{4}(?!\n)$/

const ending = fc.stringMatching(/^[0-9]{4}$/)

test('a wrong row is no string of four digits, a lawful one is', () => {
  fc.assert(
    fc.property(ending, (right) => {
      const card = { ending: right }
      for (const [id, made] of madeOf(wrong, card)) {
        expect(typeof made === 'string' && FOUR.test(made), id).toBe(false)
      }
      for (const [id, made] of madeOf(lawful, card)) expect(made, id).toMatch(FOUR)
    }),
  )
})

test('each row makes something of an ordinary ending, and no two the same', () => {
  const made = madeOf(rowsOf(cardEnding), { ending: '1234' })
  expect(made.length).toBe(rowsOf(cardEnding).length)
  const texts = made.map(([, value]) => JSON.stringify(value))
  expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([])
})

test('a row can be sent as JSON', () => {
  for (const [id, made] of madeOf(rowsOf(cardEnding), { ending: '0017' })) {
    expect(JSON.parse(JSON.stringify(made)), id).toEqual(made)
  }
})

test('lawful are the four digits, and others that begin with zero', () => {
  const made = (right: string) => madeOf(lawful, { ending: right })
  expect(made('1234')).toEqual([
    ['exact', '1234'],
    ['leading-zero', '0234'],
    ['zeros', '0000'],
  ])
  expect(made('0017').map(([id]) => id)).toEqual(['exact', 'zeros'])
  expect(made('0000')).toEqual([['exact', '0000']])
})

test.each([
  ['three-last', '234'],
  ['five', '12340'],
  ['whole-number', '4000000000001234'],
  ['masked', '************1234'],
  ['full-width', '１２３４'],
  ['arabic-indic', '١٢٣٤'],
  ['superscript', '¹²³⁴'],
  ['decimal-point', '12.4'],
  ['exponent', '1e34'],
  ['base-sixteen', '0x34'],
  ['number', 1234],
  ['array', ['1234']],
])('%s is %j', (id, made) => {
  expect(rowOf(cardEnding, id).make({ ending: '1234' })).toEqual(made)
})

/** How lax banks tell four digits. */
const LAX: Record<string, (value: unknown) => boolean> = {
  'without anchors': (value) => /\d{4}/.test(String(value)),
  'without the first anchor': (value) => typeof value === 'string' && /\d{4}$/.test(value),
  'without the last anchor': (value) => typeof value === 'string' && /^\d{4}/.test(value),
  'line by line': (value) => typeof value === 'string' && /^\d{4}$/m.test(value),
  'in any script': (value) => typeof value === 'string' && /^\p{Nd}{4}$/u.test(value),
  'as any numbers': (value) => typeof value === 'string' && /^\p{N}{4}$/u.test(value),
  'by its length': (value) => typeof value === 'string' && value.length === 4,
  'up to four': (value) => typeof value === 'string' && /^\d{0,4}$/.test(value),
  'as a number': (value) =>
    typeof value === 'string' && value.length === 4 && !Number.isNaN(+value),
  'by its value': (value) => Number(value) >= 0 && Number(value) <= 9999,
  trimmed: (value) => typeof value === 'string' && FOUR.test(value.trim()),
  'turned into text': (value) => typeof value !== 'string' && FOUR.test(String(value)),
  'cut to the last four': (value) => typeof value === 'string' && FOUR.test(value.slice(-4)),
  'without what is no digit': (value) =>
    typeof value === 'string' && FOUR.test(value.replace(/\D/g, '')),
  'as words': (value) => typeof value === 'string' && /^\w{4}$/.test(value),
  'as hexadecimal': (value) => typeof value === 'string' && /^[\da-f]{4}$/.test(value),
  'where it is one': (value) => typeof value !== 'string' || FOUR.test(value),
  'where there is one': (value) => !value,
}

test.each(Object.entries(LAX))('a bank that tells four digits %s takes a wrong one', (_, takes) => {
  const made = madeOf(wrong, { ending: '1234' })
  expect(made.filter(([, value]) => takes(value))).not.toEqual([])
})
