import { isDateTime } from '../../engine/judge/formats.ts'
import { succeeded } from '../../engine/judge/matchers.ts'
import { bookedAt, isBooked, type Row, rowsOf } from '../../engine/judge/rows.ts'
import { type Finding, rule } from '../../engine/judge/rule.ts'
import { brief } from '../../engine/judge/schemas.ts'
import type { Endpoint, Exchange } from '../../engine/wire/exchange.ts'
import { strangersTo, TWO_ACCOUNTS } from './common/asked-account.ts'
import { laterThanNow } from './common/not-in-future.ts'

const endpoints: readonly Endpoint[] = ['transactions', 'account-transactions']

/** The transactions of a successful answer of either endpoint; undefined for any other. */
function transactionsIn(exchange: Exchange): Row[] | undefined {
  if (!endpoints.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
  return rowsOf(exchange)
}

/** The first row that offends; undefined where there is no row that could. */
function offence(
  rows: Row[],
  offends: (row: Row) => boolean,
  finding: { message: string; expected: string },
): Finding[] | undefined {
  if (rows.length === 0) return undefined
  const row = rows.find(offends)
  return row ? [{ ...finding, actual: brief(row) }] : []
}

rule(
  'TXN-02/asked-account-only',
  'GET /accounts/{AccountId}/transactions answers with transactions of that account alone',
  { endpoints: ['account-transactions'], needs: TWO_ACCOUNTS },
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

rule(
  'TXN-35/not-in-future',
  'A booked transaction was booked in the past',
  { endpoints, needs: 'a booked transaction' },
  (exchange, { clockTolerance }) => {
    const rows = transactionsIn(exchange)?.filter(isBooked)
    return rows && laterThanNow(exchange, { rows, field: 'BookingDateTime', clockTolerance })
  },
)

rule(
  'TXN-20/inside',
  'Under a consent with a period no transaction outside it is reported, whatever the query asks',
  {
    endpoints,
    uses: ['debits in a period'],
    needs: 'a transaction within the period of the consent',
  },
  (exchange) => {
    const { transactionFrom, transactionTo } = exchange.about.consent ?? {}
    if (transactionFrom === undefined && transactionTo === undefined) return undefined
    const from = transactionFrom === undefined ? -Infinity : Date.parse(transactionFrom)
    const to = transactionTo === undefined ? Infinity : Date.parse(transactionTo)
    const rows = (transactionsIn(exchange) ?? []).filter(
      (row) => isBooked(row) && isDateTime(String(row.BookingDateTime)),
    )
    const outside = (row: Row) => {
      const at = bookedAt(row) ?? from
      return at < from || at > to
    }
    return offence(rows, outside, {
      message: 'a transaction was booked outside the period of the consent',
      expected: `from ${transactionFrom ?? 'the beginning'} to ${transactionTo ?? 'now'}`,
    })
  },
)

rule(
  'TXN-25/direction',
  'Under ReadTransactionsCredits or ReadTransactionsDebits alone the other direction is absent',
  {
    endpoints,
    uses: ['basic credits', 'debits in a period'],
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

rule(
  'TXN-26/basic-hides-merchant',
  'Under ReadTransactionsBasic alone no transaction shows its merchant',
  {
    endpoints,
    uses: ['basic credits'],
    needs: 'a transaction under ReadTransactionsBasic alone',
  },
  (exchange) => {
    const { permissions = [] } = exchange.about.consent ?? {}
    const basic = permissions.includes('ReadTransactionsBasic')
    if (!basic || permissions.includes('ReadTransactionsDetail')) return undefined
    return offence(
      transactionsIn(exchange) ?? [],
      (row) => (row.MerchantDetails ?? undefined) !== undefined,
      {
        message: 'MerchantDetails is shown under ReadTransactionsBasic alone',
        expected: 'a transaction without MerchantDetails',
      },
    )
  },
)
