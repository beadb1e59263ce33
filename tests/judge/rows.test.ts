import { expect, test } from 'vitest'
import { matchers } from '../../engine/judge/matchers.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'

const row = {
  AccountId: 'a1',
  TransactionId: 't1',
  Status: 'Booked',
  CreditDebitIndicator: 'Credit',
  BookingDateTime: '2026-01-12T09:30:00Z',
  Amount: { Amount: '12.00', Currency: 'GBP' },
}

function answer(...rows: object[]): Exchange {
  return {
    id: 'x1',
    endpoint: 'transactions',
    about: {},
    startedAt: '2026-01-20T00:00:00.000Z',
    durationMs: 1,
    request: { method: 'GET', url: 'https://bank.example/transactions', headers: [] },
    response: {
      status: 200,
      headers: [],
      body: '',
      bytes: 0,
      json: { Data: { Transaction: rows } },
    },
    connection: { identity: 'first' },
  }
}

test.each([
  ['is not there', [], '1 of 1 rows are missing'],
  [
    'is another one',
    [{ ...row, TransactionId: 't2', Status: 'x', BookingDateTime: '2026-01-01T00:00:00Z' }],
    '1 of 1 rows are missing',
  ],
  [
    'has the other direction',
    [{ ...row, CreditDebitIndicator: 'Debit' }],
    '1 of 1 rows are not shown as before: CreditDebitIndicator differs',
  ],
  [
    'has another time',
    [{ ...row, BookingDateTime: '2026-01-12T10:30:00Z' }],
    '1 of 1 rows are not shown as before: BookingDateTime differs',
  ],
  [
    'shares its id',
    [
      { ...row, CreditDebitIndicator: 'Debit' },
      { ...row, CreditDebitIndicator: 'Other' },
    ],
    '1 of 1 rows are missing',
  ],
])('a row that %s', (_, rows, message) => {
  expect(matchers.toHoldRows(answer(...rows), [row])?.message).toBe(message)
})

test('the same instant in another spelling is no difference', () => {
  const other = { ...row, BookingDateTime: '2026-01-12T09:30:00.000Z' }
  expect(matchers.toHoldRows(answer(other), [row])).toBeUndefined()
})
