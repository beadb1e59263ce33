import { isObject } from '../record/json.ts'
import type { Exchange } from '../wire/exchange.ts'
import { instantOf } from './formats.ts'

/** One element of Data.Account, Data.Balance or Data.Transaction, as the bank sent it. */
export type Row = Record<string, unknown>

/** The rows of a response: the array in Data that its endpoint has, or else the first; empty if there is none. */
export function rowsOf(exchange: Exchange): Row[] {
  const array = member(exchange.response?.json, 'Data', nameOfRows(exchange) ?? '')
  return Array.isArray(array) ? rowsIn(array) : []
}

/** The rows in the lists of other resources, which may stand beside that of the endpoint. */
export function otherRowsOf(exchange: Exchange): Row[] {
  const own = nameOfRows(exchange)
  const data = member(exchange.response?.json, 'Data')
  return LISTS.flatMap(([name]) => {
    const array = name === own ? undefined : member(data, name)
    return Array.isArray(array) ? rowsIn(array) : []
  })
}

/** The lists of Data, and the endpoints that have them. */
const LISTS: readonly (readonly [name: string, endpoints: RegExp])[] = [
  ['Account', /^accounts?$/],
  ['Balance', /balances$/],
  ['Transaction', /transactions$/],
]

/** The lists of the other resources may stand beside that of the endpoint: no sentence closes Data. */
function nameOfRows({ endpoint, response }: Exchange): string | undefined {
  const data = member(response?.json, 'Data')
  const lists = LISTS.filter(([name]) => Array.isArray(member(data, name)))
  const own = lists.find(([, endpoints]) => endpoints.test(endpoint))
  return (own ?? lists[0])?.[0]
}

const rowsIn = remembered((array: unknown[]) => array.filter(isObject))

/**
 * Computes a value once per object: equal responses share their rows, rows never change, and they are read many times.
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

/** Members that help a reader to tell rows apart, the most important first. */
const TELLING = ['BookingDateTime', 'DateTime', 'Status', 'CreditDebitIndicator', 'Amount']

/** The only row with this TransactionId and the members that differ; undefined if none differs or it has no id. */
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

/** The JSON Pointer of a row, from its index among the rows of a response. */
export function placeOf(exchange: Exchange, index: number): { place?: string } {
  const name = nameOfRows(exchange)
  return name === undefined || index < 0 ? {} : { place: `/Data/${name}/${index}` }
}

/** The member of an object at this path; undefined for anything that is not an object. */
export function member(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<string, unknown>)[name]
        : undefined,
    value,
  )
}

/** True if the transaction is booked. Pending rows may change or vanish between two calls. */
export function isBooked(row: Row): boolean {
  return row.Status === 'Booked'
}

/** BookingDateTime in milliseconds; undefined when it is not a valid date-time. */
export function bookedAt(row: Row): number | undefined {
  const at = typeof row.BookingDateTime === 'string' ? instantOf(row.BookingDateTime) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/** BookingDateTime without a fraction of a second, which not every service of a bank may tell; as it is where it is not a date-time. */
export function bookedSecond(row: Row): unknown {
  const at = bookedAt(row)
  return at === undefined ? row.BookingDateTime : Math.floor(at / 1000) * 1000
}

/**
 * The key of a transaction: the documented fields that never change. It leaves out the amount ("Transaction amounts can
 * change after the transaction is first created"), the status (a pending row is booked later), the TransactionId (it is
 * not in the document), and the address and merchant: no sentence promises them, and banks add them later.
 */
export const transactionKey = remembered((row: Row) =>
  JSON.stringify([
    row.AccountId,
    bookedSecond(row),
    row.CreditDebitIndicator,
    member(row, 'Amount', 'Currency'),
  ]),
)

/** The rows of `wanted` that `rows` lacks, counting duplicates. */
export function missingFrom(rows: Row[], wanted: Row[], key = transactionKey): Row[] {
  const isThere = matching(rows, wanted, key)
  return wanted.filter((_, index) => !isThere[index])
}

/** The rows that stand in both lists, counting duplicates: what two surrounding responses share. */
export function shared(one: Row[], other: Row[], key = transactionKey): Row[] {
  const isThere = matching(other, one, key)
  return isThere.includes(false) ? one.filter((_, index) => isThere[index]) : one
}

/** How many rows ahead to search for the same object, where the rows of two responses have the same order. */
const AHEAD = 64

/**
 * For each wanted row, whether `rows` has one with its key that no earlier wanted row has taken. Identical objects
 * match whatever the key. Usually all rows match in this way, in the same order, and no key is computed.
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

/** The rows of `rows` that have the key of one of `unwanted`. */
export function presentIn(rows: Row[], unwanted: Row[], key = transactionKey): Row[] {
  const keys = new Set(unwanted.map(key))
  return rows.filter((row) => keys.has(key(row)))
}
