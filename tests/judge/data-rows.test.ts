import fc from 'fast-check'
import { expect, test } from 'vitest'
import { missingFrom, type Row, shared } from '../../engine/judge/data-rows.ts'

/** Rows of few kinds, some of them the very same object, as in answers that share what they hold. */
const pool: Row[] = [...'abcabcd'].map((AccountId) => ({ AccountId }))
const rows = fc
  .array(fc.nat(pool.length - 1), { maxLength: 200 })
  .map((all) => all.map((index) => pool[index] as Row))

const key = ({ AccountId }: Row) => String(AccountId)

/** The same by counting alone. */
function countedMissing(present: Row[], wanted: Row[]): string[] {
  const left = present.map(key)
  return wanted.map(key).filter((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

test('what is missing is what counting finds missing, however rows are shared and ordered', () => {
  fc.assert(
    fc.property(rows, rows, (present, wanted) => {
      const missing = missingFrom(present, wanted, key).map(key)
      expect(missing.sort()).toEqual(countedMissing(present, wanted).sort())
    }),
  )
})

test('what two answers share and what one lacks are all of it', () => {
  fc.assert(
    fc.property(rows, rows, (one, other) => {
      const all = [...shared(one, other, key), ...missingFrom(other, one, key)].map(key)
      expect(all.sort()).toEqual(one.map(key).sort())
    }),
  )
})

test('rows that are alike in all are counted, not told apart', () => {
  const [row] = pool as [Row]
  expect(shared([row, row, row], [row, row], key)).toHaveLength(2)
  expect(missingFrom([row], [row, { ...row }], key)).toHaveLength(1)
})
