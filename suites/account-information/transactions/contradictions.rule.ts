import {
  bookedAt,
  brief,
  type Endpoint,
  type Exchange,
  isBookedAtSomeTime,
  member,
  type Row,
  remembered,
  rowsOf,
  succeeded,
  transactionKey,
} from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { bookedOf, settled } from '../common/data/booking-times.ts'
import { DETAILS } from '../common/data/completeness.ts'
import { MANY, movedIn, type Names } from '../common/data/moved-names.ts'
import { amountOf } from '../common/data/same-rows.ts'

/** Transactions that contradict each other. Requirements: specs/account-information/transactions.yaml */

const endpoints: readonly Endpoint[] = ['transactions', 'account-transactions']

/** The transactions of a successful answer of either endpoint; undefined for any other. */
function transactionsIn(exchange: Exchange): Row[] | undefined {
  return endpoints.includes(exchange.endpoint) && succeeded(exchange) ? rowsOf(exchange) : undefined
}

/** Is the TransactionId a number of a row, which rows of another Status may have too? */
const isCount = ({ TransactionId: id }: Row) => /^\d{1,4}$/.test(String(id))

/**
 * Every transactions 2xx with pending rows that have a TransactionId. Fails: such a row is there as Booked as well, with
 * the same TransactionId, direction and amount, and was booked more than two days ago. Not judged where a TransactionId
 * stands at two booked rows or at two pending ones, or is a small number: no requirement says that it names one.
 */
rule(
  'TXN-48/not-both',
  'No transaction that has been booked for days is still pending in the same answer',
  {
    endpoints,
    unseen: 'no answer has a pending transaction with a TransactionId of its own',
    follows: ['TXN-46/apart'],
  },
  (exchange) => {
    const rows = transactionsIn(exchange) ?? []
    const named = rows.filter(({ TransactionId: id }) => typeof id === 'string' && id !== '')
    const pending = named.filter((row) => row.Status === 'Pending' && !isCount(row))
    const booked = bookedOf(named)
    if (pending.length === 0 || !haveOwnIds(pending) || !haveOwnIds(booked)) return undefined
    const known = new Map(settled(booked).map((row) => [row.TransactionId, row]))
    const row = pending.find((each) => {
      const other = known.get(each.TransactionId)
      return other !== undefined && enteredAs(other) === enteredAs(each)
    })
    if (!row) return []
    const message = 'a transaction is pending, and booked as well'
    return [{ message, expected: 'one or the other', actual: brief(row) }]
  },
)

const haveOwnIds = (rows: readonly Row[]): boolean =>
  new Set(rows.map(({ TransactionId }) => TransactionId)).size === rows.length

const enteredAs = (row: Row): string =>
  JSON.stringify([
    row.AccountId,
    row.CreditDebitIndicator,
    amountOf(row),
    member(row, 'Amount', 'Currency'),
  ])

/**
 * Every transactions 2xx. Fails: six transactions of an account, one after the other by their time and of three amounts,
 * each stand there twice or more, with all members alike. Answers in which all do are judged by TXN-46/apart.
 */
rule(
  'TXN-46/overlap',
  'No sequence of transactions is listed twice in an answer',
  {
    endpoints,
    unseen: 'no answer has six transactions',
    follows: ['TXN-46/apart', 'TXN-42/once', 'TXN-28/once'],
  },
  (exchange) => {
    const rows = transactionsIn(exchange)
    if (!rows || rows.length < MANY) return undefined
    const longest = longestIn(rows)
    if (longest < MANY) return []
    const message = `${longest} transactions, one after the other, are listed more than once`
    return [{ message, expected: 'each transaction once', actual: `${longest} of them repeated` }]
  },
)

/** The highest number of any account. Byte-identical answers share their rows, which are searched once. */
const longestIn = remembered((rows: Row[]): number =>
  Math.max(0, ...accountsOf(rows.filter(isBookedAtSomeTime)).map(longestRepeated)),
)

function accountsOf(rows: readonly Row[]): Row[][] {
  const groups = new Map<unknown, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.AccountId)
    if (group) group.push(row)
    else groups.set(row.AccountId, [row])
  }
  return [...groups.values()]
}

/** So many different amounts are not those of fees alone. */
const FEES = 3

/** How many transactions, one after the other by their time, all stand there more than once. */
function longestRepeated(rows: readonly Row[]): number {
  const times = new Map<string, { at: number; count: number; amount: unknown }>()
  for (const row of rows) {
    const text = JSON.stringify(row)
    const count = (times.get(text)?.count ?? 0) + 1
    times.set(text, { at: bookedAt(row) ?? 0, count, amount: amountOf(row) })
  }
  let longest = 0
  let length = 0
  let amounts = new Set<unknown>()
  for (const { count, amount } of [...times.values()].sort((one, other) => one.at - other.at)) {
    if (count < 2) {
      length = 0
      amounts = new Set()
      continue
    }
    length += 1
    amounts.add(amount)
    if (amounts.size >= FEES) longest = Math.max(longest, length)
  }
  return longest
}

/**
 * Every transactions 2xx after the first under a consent and path. Fails: half of the booked rows, and six or more, name
 * another merchant (or address) than there, each that of another row of the first answer, and those that they named
 * before are named by others now. A merchant that is known better later is not one of other rows.
 */
rule(
  'TXN-44/own',
  'Merchants and addresses do not move from one transaction to another',
  {
    endpoints,
    unseen: 'no path showed six transactions with a merchant or an address twice',
    follows: ['TXN-44/as-bulk', 'TXN-44/kept', 'AUTHZ-30/other-customer'],
  },
  (exchange, { earlier }) => {
    const { consent, deviation, subject } = exchange.about
    const rows = transactionsIn(exchange)
    if (!rows || !consent || deviation !== undefined) return undefined
    const key = `${consent.id} ${exchange.endpoint} ${subject ?? ''}`
    const first = earlier.get(key) as Row[] | undefined
    if (!first) {
      earlier.set(key, rows)
      return undefined
    }
    const compared = DETAILS.map(({ words }, index) => ({
      words,
      before: namesIn(first)[index] ?? NAMES,
      now: namesIn(rows)[index] ?? NAMES,
    })).filter(({ before, now }) => [...now].filter(([row]) => before.has(row)).length >= MANY)
    if (compared.length === 0) return undefined
    return compared.flatMap(({ words, before, now }) => {
      const moved = movedIn(before, now)
      const [row] = moved
      if (row === undefined) return []
      const message = `${moved.length} transactions show the ${words} of other transactions`
      const [expected, actual] = [before.get(row), now.get(row)].map(String) as [string, string]
      return [{ message, expected: `${expected} for ${row}`, actual }]
    })
  },
)

const NAMES: Names = new Map()

/** The details of booked rows that no other row looks like. */
const namesIn = remembered((rows: Row[]): Names[] => {
  const counts = new Map<string, number>()
  const booked = bookedOf(rows)
  for (const key of booked.map(transactionKey)) counts.set(key, (counts.get(key) ?? 0) + 1)
  const single = booked.filter((row) => counts.get(transactionKey(row)) === 1)
  return DETAILS.map(({ of }) => {
    const named = single.filter((row) => typeof of(row) === 'string' && of(row) !== '')
    return new Map(named.map((row) => [transactionKey(row), String(of(row))]))
  })
})

/** All transactions of a consent: the rows of an answer that neither a filter nor a period limits. */
function allIn(exchange: Exchange): Row[] {
  const { transactionFrom, transactionTo } = exchange.about.consent ?? {}
  const isLimited = transactionFrom !== undefined || transactionTo !== undefined
  if (isLimited || new URL(exchange.request.url).search !== '') return []
  return transactionsIn(exchange) ?? []
}

/** Every answer with six booked rows or more, and no filter or period. A transaction of nothing may check the card. */
rule(
  'TXN-49/worth',
  'Not every booked transaction of an answer has the amount 0',
  {
    endpoints,
    unseen: 'no answer without a filter has six booked transactions',
    follows: ['TXN-39/bulk-equals-single', 'TXN-41/kept', 'DATA-08/absent'],
  },
  (exchange) => {
    const rows = bookedOf(allIn(exchange))
    if (rows.length < MANY) return undefined
    if (rows.some((row) => amountOf(row) !== 0)) return []
    const actual = brief(member(rows[0], 'Amount'))
    return [{ message: `each of ${rows.length} is ${actual}`, expected: 'their amounts', actual }]
  },
)

/** What is known of the accounts of a consent: their credit lines, and the median of their purchases. */
interface Limits {
  lines: Map<unknown, number>
  medians: Map<unknown, number>
}

/** The highest credit line of each account that shows one in GBP. */
const linesIn = remembered((rows: Row[]) => {
  const lines = new Map<unknown, number>()
  for (const { AccountId, CreditLine } of rows) {
    for (const line of [CreditLine ?? []].flat()) {
      if (member(line, 'Amount', 'Currency') !== 'GBP') continue
      const amount = Number(member(line, 'Amount', 'Amount'))
      lines.set(AccountId, Math.max(amount, lines.get(AccountId) ?? 0))
    }
  }
  return lines
})

/** The median of the booked debits in GBP of each account that has a dozen; 0 where these are not all whole, as pence are. */
const mediansIn = remembered((rows: Row[]) => {
  const amounts = new Map<unknown, number[]>()
  for (const row of bookedOf(rows)) {
    const isDebit = row.CreditDebitIndicator === 'Debit'
    if (!isDebit || member(row, 'Amount', 'Currency') !== 'GBP') continue
    amounts.set(row.AccountId, [...(amounts.get(row.AccountId) ?? []), Number(amountOf(row))])
  }
  const many = [...amounts].filter(([, all]) => all.length >= 2 * MANY)
  return new Map(many.map(([id, all]) => [id, all.every(Number.isInteger) ? medianOf(all) : 0]))
})

const medianOf = (all: number[]) => all.sort((one, other) => one - other)[all.length >> 1] ?? 0

/**
 * Balances with a credit line in GBP, and a dozen booked debits or more of the account without filter and period. Fails: half
 * of these are each above the whole line, and all are whole numbers. Such amounts are pence; others are right where the
 * line was cut after the card was used.
 */
rule(
  'TXN-49/within-the-line',
  'Purchases with a card are not repeatedly above its credit line',
  {
    endpoints,
    also: ['balances', 'account-balances'],
    unseen: 'no account shows a credit line and twelve booked debits in GBP',
    follows: ['TXN-49/worth', 'TXN-39/bulk-equals-single', 'BAL-14/bulk-equals-single'],
  },
  (exchange, { earlier }) => {
    const { consent, deviation } = exchange.about
    if (!consent || deviation !== undefined || !succeeded(exchange)) return undefined
    const known = earlier.get(consent.id) as Limits | undefined
    const { lines, medians } = known ?? { lines: new Map(), medians: new Map() }
    earlier.set(consent.id, { lines, medians } satisfies Limits)
    if (!endpoints.includes(exchange.endpoint)) {
      for (const [id, line] of linesIn(rowsOf(exchange))) lines.set(id, line)
    }
    for (const [id, median] of mediansIn(allIn(exchange))) medians.set(id, median)
    const both = [...medians].filter(([id]) => (lines.get(id) ?? 0) > 0)
    if (both.length === 0) return undefined
    const beyond = both.find(([id, median]) => median > (lines.get(id) ?? 0))
    if (!beyond) return []
    const [id, median] = beyond
    const message = `half of the purchases with the account ${brief(id)} are each above its credit line`
    return [{ message, expected: `at most ${lines.get(id)}`, actual: `${median} and more` }]
  },
)

/** So many rows with a merchant are not refunds alone. */
const PURCHASES = 24

/**
 * Every answer without filter and period, under a consent for both directions, that has 24 rows with a merchant. Fails: four
 * of five of them, or more, are credits. A merchant is named where something was bought or was given back.
 */
rule(
  'TXN-07/merchants',
  'Purchases at merchants are not shown as credits',
  {
    endpoints,
    unseen: 'no answer without a filter has 24 transactions with a merchant',
    follows: ['TXN-39/bulk-equals-single'],
  },
  (exchange) => {
    const { permissions = [] } = exchange.about.consent ?? {}
    const credits = permissions.includes('ReadTransactionsCredits')
    if (credits !== permissions.includes('ReadTransactionsDebits')) return undefined
    const rows = allIn(exchange).filter(
      (row) => textOf(member(row, 'MerchantDetails', 'MerchantName')) !== '',
    )
    if (rows.length < PURCHASES) return undefined
    const turned = rows.filter((row) => row.CreditDebitIndicator === 'Credit').length
    if (turned * 5 < rows.length * 4) return []
    const message = `${turned} of ${rows.length} transactions with a merchant are credits`
    return [{ message, expected: 'purchases, which are debits', actual: 'credits' }]
  },
)

/** So many names of merchants are not those of one shop, which may have its name for an address. */
const SHOPS = 3

/**
 * Every answer without filter and period that has six rows, of three merchants, with a merchant and an address. Fails:
 * each of them has the same text for both. Upper and lower case and blanks around a text do not count. Not judged: shops
 * in the web, whose address there may be their name, and names of three words, which may have the place in them.
 */
rule(
  'TXN-50/own-text',
  'The addresses of transactions are not all the names of the merchants',
  {
    endpoints,
    unseen: 'no answer without a filter has six transactions with a merchant and an address',
    follows: ['TXN-44/as-bulk', 'TXN-44/own', 'GEN-25/placeholders'],
  },
  (exchange) => {
    const told = allIn(exchange).flatMap((row) => {
      const merchant = textOf(member(row, 'MerchantDetails', 'MerchantName'))
      const address = textOf(row.AddressLine)
      const isKnown = merchant !== '' && address !== '' && !MAY_TELL_A_PLACE.test(merchant)
      return isKnown ? [{ merchant, address }] : []
    })
    if (told.length < MANY || new Set(told.map(({ merchant }) => merchant)).size < SHOPS) {
      return undefined
    }
    if (told.some(({ merchant, address }) => merchant !== address)) return []
    const message = `each of ${told.length} transactions has the name of its merchant for an address`
    return [{ message, expected: 'where it was', actual: brief(told[0]?.address) }]
  },
)

/** A shop in the web, or the text of a terminal, which is the name of a shop and where it is. */
const MAY_TELL_A_PLACE = /^\S+\.[a-z]{2,}$|\S\s+\S+\s+\S/

const textOf = (value: unknown) => (typeof value === 'string' ? value.trim().toLowerCase() : '')
