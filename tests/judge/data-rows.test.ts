import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bookedSecond,
  missingFrom,
  type Row,
  rowsOf,
  shared,
  transactionKey,
} from '../../engine/judge/data-rows.ts'
import type { Endpoint, Exchange } from '../../engine/wire/exchange.ts'

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

test.each<[Endpoint, string]>([
  ['accounts', 'of an account'],
  ['account', 'of an account'],
  ['balances', 'of a balance'],
  ['account-balances', 'of a balance'],
  ['transactions', 'of a transaction'],
  ['account-transactions', 'of a transaction'],
])(
  'the rows of %s are those of its own list, whatever other lists stand beside it',
  (endpoint, AccountId) => {
    const [Account, Balance, Transaction] = ['an account', 'a balance', 'a transaction'].map(
      (what) => [{ AccountId: `of ${what}` }],
    )
    const json = { Data: { Account, Balance, Transaction } }
    expect(rowsOf({ endpoint, response: { json } } as unknown as Exchange)).toEqual([{ AccountId }])
  },
)

test('a list of another resource is taken where that of the endpoint is missing', () => {
  const json = { Data: { Balance: [{ AccountId: '1' }] } }
  const exchange = { endpoint: 'transactions', response: { json } } as unknown as Exchange
  expect(rowsOf(exchange)).toHaveLength(1)
})

test('a transaction is the same whether or not a fraction of its second is told', () => {
  const keyOf = (BookingDateTime: string) => transactionKey({ BookingDateTime })
  expect(keyOf('2026-01-05T12:00:00.678Z')).toBe(keyOf('2026-01-05T12:00:00Z'))
  expect(bookedSecond({ BookingDateTime: 'noon' })).toBe('noon')
})
