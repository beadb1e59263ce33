import {
  bookedAt,
  brief,
  type Endpoint,
  type Exchange,
  instantOf,
  isBooked,
  isBookedAtSomeTime,
  isDateTime,
  marginOf,
  type Row,
  rowsOf,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'
import { basicCredits, debitsInPeriod } from '../../consents.ts'
import { strangersTo, TWO_ACCOUNTS } from '../common/data/asked-account.ts'
import { type Bounds, bookedOf, inUtc } from '../common/data/booking-times.ts'
import { laterThanNow } from '../common/data/not-in-future.ts'

const endpoints: readonly Endpoint[] = ['transactions', 'account-transactions']

/** The transactions of a successful answer of either endpoint; undefined for any other. */
function transactionsIn(exchange: Exchange): Row[] | undefined {
  if (!endpoints.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
  return rowsOf(exchange)
}

/** A finding for the first offending row; undefined where there are no rows. */
function offence(
  rows: Row[],
  offends: (row: Row) => boolean,
  finding: { message: string; expected: string },
): Finding[] | undefined {
  if (rows.length === 0) return undefined
  const row = rows.find(offends)
  return row ? [{ ...finding, actual: brief(row) }] : []
}

/**
 * Every `account-transactions` 2xx: every row's AccountId is about.subject.
 * Only an answer under a consent with two accounts exercises it.
 */
rule(
  'TXN-02/asked-account-only',
  'GET /accounts/{AccountId}/transactions answers with transactions of that account alone',
  { endpoints: ['account-transactions'], ...TWO_ACCOUNTS },
  (exchange, tools) =>
    exchange.endpoint === 'account-transactions'
      ? strangersTo(exchange, transactionsIn(exchange), tools)
      : undefined,
)

rule(
  'TXN-34/recorded',
  'The values of Status that occur are recorded',
  { endpoints, needs: 'a transaction' },
  (exchange, { observe }) => {
    const rows = transactionsIn(exchange)
    if (!rows || rows.length === 0) return undefined
    for (const status of new Set(rows.map((row) => row.Status))) {
      if (typeof status === 'string') observe('value of Status', status)
    }
    return []
  },
)

/**
 * Every transactions 2xx: no row with Status Booked has a BookingDateTime (RFC 3339) later than the
 * end of the exchange plus the target's clock tolerance.
 */
rule(
  'TXN-35/not-in-future',
  'A booked transaction was booked in the past',
  { endpoints, needs: 'a booked transaction' },
  (exchange, { clockTolerance }) => {
    const rows = transactionsIn(exchange)
    return (
      rows &&
      laterThanNow(exchange, { rows: bookedOf(rows), field: 'BookingDateTime', clockTolerance })
    )
  },
)

/**
 * Every transactions 2xx whose about.consent has transactionFrom or transactionTo: no row is
 * booked before the first or after the second (strictly; of a bank that tells days alone, by a day). One consent of the
 * table has both ends, one only the start, one only the end; each end is minutes away from a booking that it excludes.
 */
rule(
  'TXN-20/inside',
  'Under a consent with a period no transaction outside it is reported, whatever the query asks',
  {
    endpoints,
    uses: [debitsInPeriod],
    needs: 'a transaction within the period of the consent',
  },
  (exchange) => {
    const { transactionFrom, transactionTo } = exchange.about.consent ?? {}
    if (transactionFrom === undefined && transactionTo === undefined) return undefined
    const from = transactionFrom === undefined ? -Infinity : Date.parse(transactionFrom)
    const to = transactionTo === undefined ? Infinity : Date.parse(transactionTo)
    const rows = (transactionsIn(exchange) ?? []).filter(isBookedAtSomeTime)
    const outside = (row: Row) => {
      const at = bookedAt(row) ?? from
      const distance = Math.max(from - at, at - to)
      return distance > 0 && distance > marginOf(row, rows)
    }
    return offence(rows, outside, {
      message: 'a transaction was booked outside the period of the consent',
      expected: `from ${transactionFrom ?? 'the beginning'} to ${transactionTo ?? 'now'}`,
    })
  },
)

/**
 * Every transactions 2xx under a consent with a period in UTC: rows that are not booked but have a
 * BookingDateTime. Fails: it lies outside, of a bank that tells days alone by a day. An answer without such rows conforms
 * once another one of the run showed some.
 * Not judged: filters, which restrict what was booked.
 */
rule(
  'TXN-45/pending',
  'No pending transaction with a time of booking outside the period of the consent is reported',
  {
    endpoints,
    follows: ['TXN-20/inside'],
    unseen: 'no answer shows a pending transaction with a BookingDateTime',
  },
  (exchange, { earlier }) => {
    const all = transactionsIn(exchange) ?? []
    if (all.some(isPendingAtSomeTime)) earlier.set('pending', true)
    const { from, to } = limitsOf(exchange)
    if (from === undefined && to === undefined) return undefined
    const outside = (row: Row) => {
      const at = bookedAt(row) as number
      const distance = Math.max((from ?? at) - at, at - (to ?? at))
      return distance > 0 && distance > marginOf(row, all)
    }
    // If booked rows lie outside too, the limit is not applied at all: other checks judge that.
    if (all.some((row) => isBookedAtSomeTime(row) && outside(row))) return undefined
    const rows = all.filter(isPendingAtSomeTime)
    if (rows.length === 0 && earlier.has('pending')) return []
    const told = (at: number | undefined, open: string) => (at === undefined ? open : inUtc(at))
    return offence(rows, outside, {
      message: 'a pending transaction has a time of booking outside the period of the consent',
      expected: `from ${told(from, 'the beginning')} to ${told(to, 'now')}`,
    })
  },
)

/** Is it a row that is not booked, but has a time of booking? */
const isPendingAtSomeTime = (row: Row): boolean =>
  typeof row.Status === 'string' && !isBooked(row) && isDateTime(String(row.BookingDateTime))

/** The period of the consent, where it is in UTC, in milliseconds since 1970. */
function limitsOf({ about, endpoint }: Exchange): Bounds {
  if (!endpoints.includes(endpoint) || about.deviation !== undefined) return {}
  const { transactionFrom, transactionTo } = about.consent ?? {}
  const timeOf = (text: string | undefined) =>
    text !== undefined && /(?:Z|[+-]00:00)$/.test(text) && isDateTime(text)
      ? instantOf(text)
      : undefined
  const [from, to] = [timeOf(transactionFrom), timeOf(transactionTo)]
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

rule(
  'TXN-25/direction',
  'Under ReadTransactionsCredits or ReadTransactionsDebits alone the other direction is absent',
  {
    endpoints,
    uses: [basicCredits, debitsInPeriod],
    needs: 'a transaction under a consent for one direction',
  },
  (exchange) => {
    const { permissions = [] } = exchange.about.consent ?? {}
    const credits = permissions.includes('ReadTransactionsCredits')
    const debits = permissions.includes('ReadTransactionsDebits')
    if (credits === debits) return undefined
    const [allowed, other] = credits ? ['Credit', 'Debit'] : ['Debit', 'Credit']
    const rows = transactionsIn(exchange) ?? []
    return offence(rows, (row) => row.CreditDebitIndicator === other, {
      message: `a ${other} is reported under ReadTransactions${allowed}s alone`,
      expected: `only transactions whose CreditDebitIndicator is ${allowed}`,
    })
  },
)

/**
 * Every transactions 2xx whose about.consent has ReadTransactionsBasic and not Detail: no row has
 * MerchantDetails.
 */
rule(
  'TXN-26/basic-hides-merchant',
  'Under ReadTransactionsBasic alone no transaction shows its merchant',
  {
    endpoints,
    uses: [basicCredits],
    needs: 'a transaction under ReadTransactionsBasic alone',
  },
  (exchange) => {
    const { permissions = [] } = exchange.about.consent ?? {}
    const basic = permissions.includes('ReadTransactionsBasic')
    if (!basic || permissions.includes('ReadTransactionsDetail')) return undefined
    return offence(
      transactionsIn(exchange) ?? [],
      ({ MerchantDetails }) => showsMerchant(MerchantDetails),
      {
        message: 'MerchantDetails is shown under ReadTransactionsBasic alone',
        expected: 'a transaction without MerchantDetails',
      },
    )
  },
)

/** Does it show a merchant? An object without a meaningful name or category does not, whatever else it has. */
function showsMerchant(details: unknown): boolean {
  if (typeof details !== 'object' || details === null) return says(details)
  return Object.entries(details).some(([name, value]) => /^merchant/i.test(name) && says(value))
}

/** Is it present, and not an empty text? */
const says = (value: unknown) =>
  typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null

/** Endpoints that must not show transactions under a consent with neither ReadTransactionsBasic nor …Detail. */
const OTHERS: readonly Endpoint[] = ['accounts', 'account', 'balances', 'account-balances']

/**
 * Every account and balance 2xx whose consent has no permission for transactions.
 * Fails: anywhere in it is an object with the members of a transaction.
 */
rule(
  'TXN-43/nowhere-else',
  'Without a permission for transactions no other answer holds transactions',
  { endpoints: OTHERS, unseen: 'no consent without a permission for transactions was asked' },
  (exchange) => {
    if (!OTHERS.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    const { permissions } = exchange.about.consent ?? {}
    if (!permissions || permissions.some((one) => OPENING.includes(one))) return undefined
    const place = transactionIn(exchange.response?.json)
    if (place === undefined) return []
    const message = `the answer of ${exchange.endpoint} holds a transaction`
    return [{ message, expected: 'no transactions', actual: 'one', place }]
  },
)

const OPENING = ['ReadTransactionsBasic', 'ReadTransactionsDetail']

/** The JSON pointer to the first transaction in a JSON value. */
function transactionIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  // A balance may also have the first two.
  if (['BookingDateTime', 'CreditDebitIndicator', 'Status'].every((name) => name in value))
    return ''
  for (const [name, below] of Object.entries(value)) {
    const place = transactionIn(below)
    if (place !== undefined) return `/${name}${place}`
  }
  return undefined
}
