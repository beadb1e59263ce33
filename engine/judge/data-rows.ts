import { isObject } from '../record/json.ts'
import type { Exchange } from '../wire/exchange.ts'
import { instantOf } from './formats.ts'

/** One element of Data.Account, Data.Balance or Data.Transaction, as the bank sent it. */
export type Row = Record<string, unknown>

/** The rows of an answer: the first array that stands in Data; empty where there is none. */
export function rowsOf(exchange: Exchange): Row[] {
  const array = member(exchange.response?.json, 'Data', nameOfRows(exchange) ?? '')
  return Array.isArray(array) ? rowsIn(array) : []
}

function nameOfRows({ response }: Exchange): string | undefined {
  const data = member(response?.json, 'Data')
  return ['Account', 'Balance', 'Transaction'].find((name) => Array.isArray(member(data, name)))
}

const rowsIn = remembered((array: unknown[]) => array.filter(isObject))

/**
 * Derives a thing once: answers that are alike share their rows, nothing changes these, and they are looked
 * at many times.
 */
export function remembered<K extends object, V>(derive: (from: K) => V): (from: K) => V {
  const known = new WeakMap<K, V>()
  return (from) => {
    const before = known.get(from)
    if (before !== undefined) return before
    const value = derive(from)
    known.set(from, value)
    return value
  }
}

/** Members that tell rows apart for a reader, the deciding ones first. */
const TELLING = ['BookingDateTime', 'DateTime', 'Status', 'CreditDebitIndicator', 'Amount']

/** The one row of the same TransactionId, and which of its members differ; undefined where none does, or it has no id. */
export function sameIdOtherwise(rows: Row[], wanted: Row): { row: Row; names: string } | undefined {
  const { TransactionId: id } = wanted
  if (typeof id !== 'string') return undefined
  const [row, more] = rows.filter(({ TransactionId }) => TransactionId === id)
  if (!row || more) return undefined
  const names = TELLING.filter((name) => JSON.stringify(row[name]) !== JSON.stringify(wanted[name]))
  return names.length > 0 ? { row, names: names.join(' and ') } : undefined
}

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
export function placeOf(exchange: Exchange, index: number): { place?: string } {
  const name = nameOfRows(exchange)
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
  const at = typeof row.BookingDateTime === 'string' ? instantOf(row.BookingDateTime) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/**
 * What tells a transaction from another: the documented fields that never change. Not the amount
 * ("Transaction amounts can change after the transaction is first created"), not the status (a
 * pending row is booked one day), no TransactionId (it is not in the document), and neither address nor
 * merchant: no sentence promises them, and banks find them out later.
 */
export const transactionKey = remembered((row: Row) =>
  JSON.stringify([
    row.AccountId,
    bookedAt(row) ?? row.BookingDateTime,
    row.CreditDebitIndicator,
    member(row, 'Amount', 'Currency'),
  ]),
)

/** What of `wanted` does not stand in `rows`, each as often as it is wanted. */
export function missingFrom(rows: Row[], wanted: Row[], key = transactionKey): Row[] {
  const isThere = matching(rows, wanted, key)
  return wanted.filter((_, index) => !isThere[index])
}

/** What stands in both, as often as it stands in both: the rows that two outer answers share. */
export function shared(one: Row[], other: Row[], key = transactionKey): Row[] {
  const isThere = matching(other, one, key)
  return isThere.includes(false) ? one.filter((_, index) => isThere[index]) : one
}

/** How far on a row is looked for by its looks, where the rows of two answers stand in one order. */
const AHEAD = 64

/**
 * For each wanted row whether `rows` hold one of its key that no other has taken. Rows that are one object are
 * alike whatever the key: mostly that is all of them, in the same order, and no key is made.
 */
function matching(rows: Row[], wanted: Row[], key: (row: Row) => string): boolean[] {
  const isThere: boolean[] = new Array(wanted.length).fill(false)
  const left: Row[] = []
  let at = wanted[0] ? Math.max(0, rows.indexOf(wanted[0])) : 0
  for (let before = 0; before < at; before += 1) left.push(rows[before] as Row)
  for (const [index, row] of wanted.entries()) {
    const end = Math.min(rows.length, at + AHEAD)
    let found = at
    while (found < end && rows[found] !== row) found += 1
    if (found === end) continue
    for (; at < found; at += 1) left.push(rows[at] as Row)
    at = found + 1
    isThere[index] = true
  }
  if (!isThere.includes(false)) return isThere
  const groups = groupedBy([...left, ...rows.slice(at)], key)
  for (const [index, row] of wanted.entries()) {
    if (!isThere[index]) isThere[index] = groups.get(key(row))?.pop() !== undefined
  }
  return isThere
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

/** What of `rows` has the key of one of `unwanted`. */
export function presentIn(rows: Row[], unwanted: Row[], key = transactionKey): Row[] {
  const keys = new Set(unwanted.map(key))
  return rows.filter((row) => keys.has(key(row)))
}
