import {
  type Exchange,
  isBooked,
  type Row,
  rowsOf,
  succeeded,
} from '../../engine/suite-api/responses.ts'
import { rule } from '../../engine/suite-api/rule.ts'
import { keyAcrossConsents, settled } from './common/completeness.ts'
import { DATA } from './common/endpoints.ts'

/** What a consent showed once. Requirements: specs/account-information/transactions.yaml */

rule(
  'TXN-28/kept',
  'What the first answer under a consent showed, every later answer to the same request shows as well',
  { endpoints: DATA, follows: ['AUTHZ-30/other-customer'] },
  (exchange, { earlier }) => {
    const { consent, deviation } = exchange.about
    if (!DATA.includes(exchange.endpoint) || !succeeded(exchange) || deviation !== undefined) {
      return undefined
    }
    if (!consent || new URL(exchange.request.url).search !== '') return undefined
    const key = `${consent.id} ${exchange.endpoint} ${exchange.about.subject ?? ''}`
    const now = counted(exchange)
    const first = earlier.get(key) as ReadonlyMap<string, number> | undefined
    if (!first) {
      earlier.set(key, now)
      return []
    }
    const lost = [...first].filter(([row, times]) => (now.get(row) ?? 0) < times)
    const [gone] = lost
    if (!gone) return []
    return [
      {
        message: `${lost.length} of ${first.size} rows of an earlier answer are not there any more`,
        expected: gone[0],
        actual: 'an answer without it',
      },
    ]
  },
)

/** How often each row stands in an answer: by its kind alone where its id or amount may change. */
function counted(exchange: Exchange): ReadonlyMap<string, number> {
  const { endpoint } = exchange
  const rows = rowsOf(exchange)
  const counts = new Map<string, number>()
  const transactions = endpoint.endsWith('transactions')
  const keyOf = (row: Row) => (transactions ? keyAcrossConsents(row) : 'an account')
  for (const row of transactions ? settled(rows.filter(isBooked)) : rows) {
    const key = keyOf(row)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}
