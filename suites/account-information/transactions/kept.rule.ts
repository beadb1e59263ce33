import { DAY } from '../../../engine/suite-api/clock.ts'
import {
  bookedAt,
  brief,
  type Endpoint,
  type Exchange,
  isBookedAtSomeTime,
  type Row,
  remembered,
  rowsOf,
  succeeded,
  transactionKey,
} from '../../../engine/suite-api/responses.ts'
import { type Finding, type RuleTools, rule } from '../../../engine/suite-api/rule.ts'
import { bookedOf, settled } from '../common/data/booking-times.ts'
import { DETAILS, keyAcrossConsents } from '../common/data/completeness.ts'
import { endsAtNinetyDays, HISTORY, mayHaveLeft } from '../common/data/history.ts'
import { amountOf } from '../common/data/same-rows.ts'
import { DATA, isWithCustomer } from '../common/endpoints.ts'
import { moreOften } from './twins.ts'

/** Data that a consent showed before. Requirements: specs/account-information/transactions.yaml */

rule(
  'TXN-28/kept',
  'What the first answer under a consent showed, every later answer to the same request shows as well',
  {
    endpoints: DATA,
    follows: ['AUTHZ-17/data', 'AUTHZ-30/other-customer', 'TXN-20/inside', 'ACC-14/all-accounts'],
  },
  (exchange, { earlier }) => {
    const { consent, deviation } = exchange.about
    if (!DATA.includes(exchange.endpoint) || !succeeded(exchange) || deviation !== undefined) {
      return undefined
    }
    if (!consent || new URL(exchange.request.url).search !== '') return undefined
    // Answers with and without the customer are compared separately: DATA-08/absent judges the difference.
    const present = isWithCustomer(exchange)
    const key = `${consent.id} ${exchange.endpoint} ${exchange.about.subject ?? ''} ${present}`
    const first = earlier.get(key) as Shown | undefined
    if (!first) {
      earlier.set(key, counted(exchange))
      return []
    }
    // Byte-identical answers are one object.
    if (first.json === exchange.response?.json) return []
    const now = counted(exchange)
    const begins = endsAtNinetyDays(exchange) ? Date.parse(exchange.startedAt) - HISTORY : -Infinity
    const lost = [...first.counts]
      .filter(([row, times]) => (now.counts.get(row) ?? 0) < times)
      .filter(([row]) => (first.booked.get(row) ?? begins) >= begins)
      .filter(([row]) => !isPassing(first, now, row, present))
    const [gone] = lost
    if (!gone) return []
    return [
      {
        message: `${lost.length} of ${first.counts.size} rows of an earlier answer are not there any more`,
        expected: gone[0],
        actual: 'an answer without it',
      },
    ]
  },
)

const TRANSACTIONS: readonly Endpoint[] = ['transactions', 'account-transactions']

rule(
  'TXN-42/once',
  'With a filter no transaction is listed more often than without one',
  { endpoints: TRANSACTIONS, unseen: 'no filtered answer came after one without a filter' },
  (exchange, tools) => repeated(exchange, tools, true),
)

rule(
  'TXN-28/once',
  'No booked transaction is listed more often than in the first answer that showed it',
  {
    endpoints: TRANSACTIONS,
    unseen: 'no path was asked for twice',
    follows: ['TXN-42/once', 'TXN-28/second-read'],
  },
  (exchange, tools) => repeated(exchange, tools, false),
)

/** So many rows must have named a merchant, or an address, for a comparison. */
const ENOUGH = 3

/**
 * Every transactions 2xx after the first under a consent, with and without the customer separately.
 * Fails: three or more booked rows named a merchant, or an address, and now none of them does.
 */
rule(
  'TXN-44/kept',
  'Merchants and addresses of an answer are not all missing in later answers under the consent',
  {
    endpoints: TRANSACTIONS,
    unseen: 'no path showed three transactions with a merchant or an address twice',
    follows: ['TXN-44/as-bulk', 'AUTHZ-30/other-customer', 'DATA-08/absent'],
  },
  (exchange, { earlier }) => {
    const { consent, deviation, subject } = exchange.about
    if (!TRANSACTIONS.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    if (!consent || deviation !== undefined) return undefined
    const key = `${consent.id} ${exchange.endpoint} ${subject ?? ''} ${isWithCustomer(exchange)}`
    const first = earlier.get(key) as readonly Row[] | undefined
    const all = rowsOf(exchange)
    if (!first) {
      earlier.set(key, all)
      return undefined
    }
    const [before, now] = [namesIn(first), namesIn(all)]
    const rows = all.filter(isBookedAtSomeTime).map(transactionKey)
    const compared = before.map(({ words, of }, index) => {
      const common = rows.filter((row) => of.has(row))
      const isLost = !common.some((row) => now[index]?.of.has(row))
      return { words, of, common, isLost }
    })
    const enough = compared.filter(({ common }) => common.length >= ENOUGH)
    if (enough.length === 0) return undefined
    return enough
      .filter(({ isLost }) => isLost)
      .map(({ words, of, common: [row = ''], common }) => ({
        message: `none of ${common.length} transactions names its ${words} any more`,
        expected: `${of.get(row)} for ${row}`,
        actual: `no ${words}`,
      }))
  },
)

/** The merchant or the address of booked rows, by row: details that not every permission shows. */
interface Names {
  words: string
  of: ReadonlyMap<string, string>
}

/** Byte-identical answers share their rows, which are searched once. */
const namesIn = remembered((rows: readonly Row[]): Names[] => {
  const booked = rows.filter(isBookedAtSomeTime)
  return DETAILS.map(({ words, of }) => {
    const named = booked.filter((row) => typeof of(row) === 'string')
    return { words, of: new Map(named.map((row) => [transactionKey(row), String(of(row))])) }
  })
})

/** Rows that occur more often than in the first answer without a filter; undefined where there is none yet. */
function repeated(
  exchange: Exchange,
  { earlier }: RuleTools,
  filtered: boolean,
): Finding[] | undefined {
  const { consent, deviation, subject } = exchange.about
  if (!TRANSACTIONS.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
  if (!consent || deviation !== undefined) return undefined
  const key = `${consent.id} ${exchange.endpoint} ${subject ?? ''}`
  const isFiltered = new URL(exchange.request.url).search !== ''
  const whole = earlier.get(key) as Row[] | undefined
  const rows = rowsOf(exchange)
  // For filtered answers, the longest unfiltered one counts: others may come from a server that lags behind.
  if (!isFiltered && (!whole || (filtered && rows.length > whole.length))) earlier.set(key, rows)
  if (!whole || isFiltered !== filtered) return undefined
  if (rows === whole) return []
  const [row] = moreOften(settled(bookedOf(rows)), whole)
  if (!row) return []
  return [
    {
      message: 'a transaction is listed more often than in the first answer without a filter',
      expected: 'each transaction as often as there',
      actual: `once more: ${brief(row)}`,
    },
  ]
}

interface Shown {
  json: unknown
  /** When it was requested, in milliseconds since 1970. */
  at: number
  /** How often each row occurs; rows whose id or amount may change are counted by their other members. */
  counts: ReadonlyMap<string, number>
  /** When each was booked, in milliseconds since 1970; without rows that are not transactions. */
  booked: ReadonlyMap<string, number>
  /** When the oldest row was booked; -Infinity where there is none. */
  oldest: number
  /** How many rows were booked, lately or not. */
  rows: number
}

function counted(exchange: Exchange): Shown {
  const { endpoint } = exchange
  const rows = rowsOf(exchange)
  const counts = new Map<string, number>()
  const booked = new Map<string, number>()
  const transactions = endpoint.endsWith('transactions')
  const keyOf = (row: Row) => (transactions ? keyAcrossConsents(row) : 'an account')
  const all = transactions ? bookedOf(rows) : rows
  for (const row of transactions ? settled(all) : all) {
    const key = keyOf(row)
    counts.set(key, (counts.get(key) ?? 0) + 1)
    const at = bookedAt(row)
    if (at !== undefined) booked.set(key, at)
  }
  const oldest = booked.size === 0 ? Number.NEGATIVE_INFINITY : lowest(booked.values())
  const at = Date.parse(exchange.startedAt)
  return { json: exchange.response?.json, at, counts, booked, oldest, rows: all.length }
}

function lowest(times: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY
  for (const time of times) least = Math.min(least, time)
  return least
}

/**
 * Is a row older than all that is left, where the history ends? One of a number of rows ends there when as many newer ones
 * come, and one of days or months when these begin. Without a login it may be one of a number of days.
 */
function isPassing(first: Shown, now: Shown, row: string, present: boolean): boolean {
  const at = first.booked.get(row)
  if (at === undefined || at >= now.oldest) return false
  if (now.rows >= first.rows || mayHaveLeft(at, first, now.at)) return true
  return !present && at < first.oldest + DAY
}

/** As many rows tell that all of them stand twice for one reason, and not by chance. */
const MANY = 6

/** So many different amounts are not those of fees alone, which each of two holders may pay repeatedly. */
const BEYOND_FEES = 3

/**
 * Every transactions 2xx without filter and period that has six booked rows or more, of three amounts. Fails: every one of
 * them stands there as often as the others, twice or more.
 */
rule(
  'TXN-46/apart',
  'Not every transaction of an answer is listed twice',
  { endpoints: TRANSACTIONS, unseen: 'no answer without a filter has six booked transactions' },
  (exchange) => {
    if (!TRANSACTIONS.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    const { transactionFrom, transactionTo } = exchange.about.consent ?? {}
    // Of a part of the time TXN-46/overlap tells it.
    if ((transactionFrom ?? transactionTo) !== undefined) return undefined
    if (new URL(exchange.request.url).search !== '') return undefined
    const booked = bookedOf(rowsOf(exchange))
    if (booked.length < MANY) return undefined
    const counts = new Map<string, number>()
    for (const row of booked) {
      const text = JSON.stringify(row)
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    const times = new Set(counts.values())
    const [often = 1] = times
    if (times.size > 1 || often < 2) return []
    if (new Set(booked.map(amountOf)).size < BEYOND_FEES) return []
    const message = `each of ${counts.size} transactions is listed ${often} times`
    return [{ message, expected: 'each transaction once', actual: `${booked.length} rows` }]
  },
)
