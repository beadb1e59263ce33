import { rowsOf, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { strangersTo, TWO_ACCOUNTS } from '../common/data/asked-account.ts'
import { laterThanNow } from '../common/data/not-in-future.ts'

/**
 * Every `account-balances` 2xx: every balance's AccountId is about.subject. Only an answer under a
 * consent with two accounts tells right from wrong.
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
  { endpoints: ['balances', 'account-balances'] },
  (exchange, { clockTolerance }) => {
    const concerned = exchange.endpoint === 'balances' || exchange.endpoint === 'account-balances'
    if (!concerned || !succeeded(exchange)) return undefined
    return laterThanNow(exchange, { rows: rowsOf(exchange), field: 'DateTime', clockTolerance })
  },
)
