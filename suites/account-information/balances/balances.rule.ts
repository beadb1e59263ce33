import {
  brief,
  type Exchange,
  instantOf,
  member,
  type Row,
  rowsOf,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { strangersTo, TWO_ACCOUNTS } from '../common/data/asked-account.ts'
import { laterThanNow } from '../common/data/not-in-future.ts'

const BALANCES = { endpoints: ['balances', 'account-balances'] } as const

/** The balances of a successful answer; undefined for an answer about anything else. */
function balancesIn(exchange: Exchange): Row[] | undefined {
  const concerned = exchange.endpoint === 'balances' || exchange.endpoint === 'account-balances'
  return concerned && succeeded(exchange) ? rowsOf(exchange) : undefined
}

/**
 * Every `account-balances` 2xx: every balance's AccountId is about.subject.
 * Only an answer under a consent with two accounts exercises it.
 */
rule(
  'BAL-02/asked-account-only',
  'GET /accounts/{AccountId}/balances answers with balances of that account alone',
  { endpoints: ['account-balances'], ...TWO_ACCOUNTS },
  (exchange, tools) => {
    if (exchange.endpoint !== 'account-balances' || !succeeded(exchange)) return undefined
    return strangersTo(exchange, rowsOf(exchange), tools)
  },
)

/**
 * Every balances 2xx: no DateTime (RFC 3339) is later than the end of the exchange plus the
 * target's clock tolerance.
 */
rule(
  'BAL-21/not-in-future',
  'The DateTime of a balance is not in the future',
  BALANCES,
  (exchange, { clockTolerance }) => {
    const all = balancesIn(exchange)
    if (!all) return undefined
    return laterThanNow(exchange, { rows: all, field: 'DateTime', clockTolerance })
  },
)

/** Every balances 2xx. Fails: the amount of a credit line begins with a minus sign. */
rule(
  'BAL-25/credit-line',
  'The amount of a credit line is not negative',
  { ...BALANCES, unseen: 'no balance has a credit line' },
  (exchange) => {
    const all = balancesIn(exchange)
    if (!all) return undefined
    const lines = all.flatMap(({ CreditLine }) => [CreditLine ?? []].flat())
    if (lines.length === 0) return undefined
    const amounts = lines.map((line) => member(line, 'Amount', 'Amount'))
    const negative = amounts.find((amount) => Number(amount) < 0)
    if (negative === undefined) return []
    const message = `a credit line is ${brief(negative)}`
    return [{ message, expected: 'no minus sign', actual: brief(negative) }]
  },
)

/** An interface like this serves no bank account older than 1990. */
const FIRST_YEAR = Date.parse('1990-01-01T00:00:00Z')

/** Every balances 2xx. Fails: the DateTime of a balance is before 1990. A program without a value may write 1970. */
rule(
  'BAL-26/of-a-time',
  'The DateTime of a balance is a time at which it was its balance',
  BALANCES,
  (exchange) => {
    const all = balancesIn(exchange)
    if (!all) return undefined
    const times = all.map(({ DateTime }) => DateTime)
    if (times.length === 0) return undefined
    const early = times.find((time) => (instantOf(String(time)) ?? Infinity) < FIRST_YEAR)
    if (early === undefined) return []
    return [
      { message: `a balance is of ${brief(early)}`, expected: 'its time', actual: brief(early) },
    ]
  },
)

/**
 * Every balances 2xx. Fails: two rows of one account, type, currency and DateTime, which include the same credit lines, have
 * other amounts, unless both are zero.
 */
rule(
  'BAL-27/one-of-each',
  'No two balances of one account and moment contradict each other',
  { ...BALANCES, unseen: 'no answer has a balance with DateTime' },
  (exchange) => {
    const all = balancesIn(exchange)
    if (!all) return undefined
    const rows = all.filter(({ DateTime }) => typeof DateTime === 'string')
    if (rows.length === 0) return undefined
    const amounts = new Map<string, string>()
    for (const [index, row] of rows.entries()) {
      const key = momentOf(row)
      const amount = `${Number(member(row, 'Amount', 'Amount'))} ${row.CreditDebitIndicator}`
      const told = amount.startsWith('0 ') ? '0' : amount
      const before = amounts.get(key) ?? told
      amounts.set(key, before)
      if (before === told) continue
      const message = 'an account has two balances of one moment that differ'
      return [{ message, expected: before, actual: told, place: `/Data/Balance/${index}` }]
    }
    return []
  },
)

/** What tells a balance from others of its account. */
function momentOf(row: Row): string {
  const lines = [row.CreditLine ?? []]
    .flat()
    .map((line) => [member(line, 'Type'), member(line, 'Included')])
  const time = instantOf(String(row.DateTime))
  const currency = member(row, 'Amount', 'Currency')
  return JSON.stringify([row.AccountId, row.Type, currency, time, lines.map(String).sort()])
}
