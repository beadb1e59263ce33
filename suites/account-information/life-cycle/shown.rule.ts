import { DAY } from '../../../engine/suite-api/clock.ts'
import {
  bookedAt,
  brief,
  isBookedAtSomeTime,
  member,
  type Row,
  rowsOf,
} from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'
import { ACCOUNT_ACCESS, DATA } from '../common/endpoints.ts'
import { secondsOf } from '../common/instants.ts'
import { termsShown } from './shown-terms.ts'

const YEAR = 365 * DAY

/**
 * Dates that a consent shows although nobody requested them: a bank may set its own dates, but must
 * then respect them. Requirements: specs/account-information/life-cycle.yaml and transactions.yaml
 */

/**
 * Every data 2xx of a consent requested without ExpirationDateTime. Fails: the one in its latest answer lies
 * before this request (by more than the clock tolerance), or is not after the CreationDateTime of the same answer.
 */
rule(
  'CLC-16/as-shown',
  'A consent that is no longer valid, as its own answers show, gives no data',
  {
    endpoints: DATA,
    also: ACCOUNT_ACCESS,
    follows: ['CLC-16/data-refused', 'CONS-06/at-creation'],
  },
  (exchange, tools) => {
    const shown = termsShown(exchange, tools)
    if (!shown || exchange.about.consent?.expiration !== undefined) return undefined
    const value = member(shown.data, 'ExpirationDateTime')
    const expires = secondsOf(value)
    if (expires === undefined) return []
    const created = secondsOf(member(shown.data, 'CreationDateTime')) ?? -Infinity
    const now = Date.parse(exchange.startedAt) / 1000
    if (expires > created && expires >= now - tools.clockTolerance - 1) return []
    const message = `data came under a consent that shows the ExpirationDateTime ${brief(value)}`
    const expected = 'a refusal, or another ExpirationDateTime of the consent'
    return [{ message, expected, actual: 'data' }]
  },
)

/**
 * Every transactions 2xx, if the latest answer about its consent shows a start or an end that nobody requested.
 * Fails: a row was booked before the start, or after the end and before the period was shown. Not judged: rows within
 * a day of either, since banks count days differently, pending rows, and rows without a real day (1970 or before).
 */
rule(
  'TXN-20/as-shown',
  'No transaction outside the period that a consent shows is reported under it',
  {
    endpoints: ['transactions', 'account-transactions'],
    also: ACCOUNT_ACCESS,
    follows: ['TXN-20/inside', 'TXN-35/not-in-future'],
  },
  (exchange, tools) => {
    const shown = termsShown(exchange, tools)
    if (!shown || !exchange.endpoint.endsWith('transactions')) return undefined
    const { transactionFrom, transactionTo } = exchange.about.consent ?? {}
    const [from, to] = [
      transactionFrom === undefined && member(shown.data, 'TransactionFromDateTime'),
      transactionTo === undefined && member(shown.data, 'TransactionToDateTime'),
    ]
    const start = (secondsOf(from) ?? -Infinity) * 1000 - DAY
    const end = (secondsOf(to) ?? Infinity) * 1000 + DAY
    if (start === -Infinity && end === Infinity) return []
    const outside = (row: Row) => {
      const at = isBookedAtSomeTime(row) ? bookedAt(row) : undefined
      if (at === undefined || at < YEAR) return false
      // If the end moves on with time, rows booked since it was shown may be after it.
      return at < start || (at > end && at < shown.at)
    }
    const row = rowsOf(exchange).find(outside)
    if (!row) return []
    return [outsideOf(row, from, to)]
  },
)

function outsideOf(row: Row, from: unknown, to: unknown): Finding {
  const period = [from && `from ${brief(from)}`, to && `to ${brief(to)}`].filter(Boolean).join(' ')
  return {
    message: `a transaction was booked outside the period that the consent shows, ${period}`,
    expected: `transactions ${period}`,
    actual: brief(row),
  }
}
