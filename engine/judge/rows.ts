import type { Exchange } from '../wire/exchange.ts'

/** One element of Data.Account, Data.Balance or Data.Transaction, as the bank sent it. */
export type Row = Record<string, unknown>

/** The rows of an answer: the first array that stands in Data; empty where there is none. */
export function rowsOf(exchange: Exchange): Row[] {
  const data = member(exchange.response?.json, 'Data')
  if (typeof data !== 'object' || data === null) return []
  const array = ['Account', 'Balance', 'Transaction']
    .map((name) => member(data, name))
    .find(Array.isArray)
  return (array ?? []).filter(
    (row): row is Row => typeof row === 'object' && row !== null && !Array.isArray(row),
  )
}

/** A member of an object, undefined for anything that is no object. */
export function member(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<string, unknown>)[name]
        : undefined,
    value,
  )
}

/** Is the transaction booked? Pending rows may change or vanish between two calls. */
export function isBooked(row: Row): boolean {
  return row.Status === 'Booked'
}

/** BookingDateTime as milliseconds; undefined when it is no instant. */
export function bookedAt(row: Row): number | undefined {
  const at = typeof row.BookingDateTime === 'string' ? Date.parse(row.BookingDateTime) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/**
 * What tells a transaction from another: the documented fields that never change. Not the amount
 * ("Transaction amounts can change after the transaction is first created"), not the status (a
 * pending row is booked one day), no TransactionId (it is not in the document).
 */
export function transactionKey(row: Row): string {
  const known = keys.get(row)
  if (known !== undefined) return known
  const key = JSON.stringify([
    row.AccountId,
    bookedAt(row) ?? row.BookingDateTime,
    row.CreditDebitIndicator,
    member(row, 'Amount', 'Currency'),
    row.AddressLine,
    member(row, 'MerchantDetails', 'MerchantName'),
  ])
  keys.set(row, key)
  return key
}

/** A row is compared many times, and nothing changes it. */
const keys = new WeakMap<Row, string>()

/** What of `wanted` does not stand in `rows`, each as often as it is wanted. */
export function missingFrom(rows: Row[], wanted: Row[], key = transactionKey): Row[] {
  const counts = new Map<string, number>()
  for (const each of rows.map(key)) counts.set(each, (counts.get(each) ?? 0) + 1)
  return wanted.filter((row) => {
    const each = key(row)
    const left = counts.get(each) ?? 0
    counts.set(each, left - 1)
    return left <= 0
  })
}

/** What stands in both, as often as it stands in both: the rows that two outer answers share. */
export function shared(one: Row[], other: Row[], key = transactionKey): Row[] {
  const missing = new Set(missingFrom(other, one, key))
  return one.filter((row) => !missing.has(row))
}

/** What of `rows` has the key of one of `unwanted`. */
export function presentIn(rows: Row[], unwanted: Row[], key = transactionKey): Row[] {
  const keys = new Set(unwanted.map(key))
  return rows.filter((row) => keys.has(key(row)))
}
