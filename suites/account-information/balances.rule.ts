import { succeeded } from '../../engine/judge/matchers.ts'
import { rowsOf } from '../../engine/judge/rows.ts'
import { rule } from '../../engine/judge/rule.ts'
import { strangersTo, TWO_ACCOUNTS } from './common/asked-account.ts'
import { laterThanNow } from './common/not-in-future.ts'

rule(
  'BAL-02/asked-account-only',
  'GET /accounts/{AccountId}/balances answers with balances of that account alone',
  { endpoints: ['account-balances'], needs: TWO_ACCOUNTS },
  (exchange, tools) => {
    if (exchange.endpoint !== 'account-balances' || !succeeded(exchange)) return undefined
    return strangersTo(exchange, rowsOf(exchange), tools)
  },
)

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
