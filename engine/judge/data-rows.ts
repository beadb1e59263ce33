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

/** Members that tell rows apart for a reader, the deciding ones first. */
const TELLING = ['BookingDateTime', 'DateTime', 'Status', 'CreditDebitIndicator', 'Amount']

/** A row in a few words: `BookingDateTime 2026-03-30T09:12:00Z, Status Booked, …`. */
export function rowWords(row: Row | undefined): string {
  const words = [...TELLING, 'AccountId', 'Description'].flatMap((name) => {
    const value = row?.[name]
    if (value === undefined) return []
    const amount = member(value, 'Amount')
    const text = amount === undefined ? value : `${amount} ${member(value, 'Currency')}`
    return [`${name} ${typeof text === 'string' ? text : JSON.stringify(text)}`]
  })
  return words.length > 0 ? words.join(', ').slice(0, 300) : JSON.stringify(row).slice(0, 300)
}

/** The JSON Pointer of a row, by its number among the rows of an answer. */
export function placeOf({ response }: Exchange, index: number): { place?: string } {
  const data = member(response?.json, 'Data')
  const name = ['Account', 'Balance', 'Transaction'].find((each) =>
    Array.isArray(member(data, each)),
  )
  return name === undefined || index < 0 ? {} : { place: `/Data/${name}/${index}` }
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
 * pending row is booked one day), no TransactionId (it is not in the document), and neither address nor
 * merchant: no sentence promises them, and banks find them out later.
 */
export function transactionKey(row: Row): string {
  const known = keys.get(row)
  if (known !== undefined) return known
  const key = JSON.stringify([
    row.AccountId,
    bookedAt(row) ?? row.BookingDateTime,
    row.CreditDebitIndicator,
    member(row, 'Amount', 'Currency'),
  ])
  keys.set(row, key)
  return key
}

/** A row is compared many times, and nothing changes it. */
const keys = new WeakMap<Row, string>()

/** What of `wanted` does not stand in `rows`, each as often as it is wanted. */
export function missingFrom(rows: Row[], wanted: Row[], key = transactionKey): Row[] {
  const left = groupedBy(rows, key)
  return wanted.filter((row) => !left.get(key(row))?.pop())
}

function groupedBy(rows: Row[], key: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(key(row))
    if (group) group.push(row)
    else groups.set(key(row), [row])
  }
  return groups
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
