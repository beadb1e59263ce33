import { type Exchange, type Row, rowsOf, succeeded } from '../../engine/suite-api/responses.ts'
import { rule } from '../../engine/suite-api/rule.ts'
import { bookedOf } from './common/booking-times.ts'
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
    const first = earlier.get(key) as Shown | undefined
    if (!first) {
      earlier.set(key, counted(exchange))
      return []
    }
    // Answers that are alike to the byte are one object.
    if (first.json === exchange.response?.json) return []
    const { counts: now } = counted(exchange)
    const lost = [...first.counts].filter(([row, times]) => (now.get(row) ?? 0) < times)
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

interface Shown {
  json: unknown
  /** How often each row stands there: by its kind alone where its id or amount may change. */
  counts: ReadonlyMap<string, number>
}

function counted(exchange: Exchange): Shown {
  const { endpoint } = exchange
  const rows = rowsOf(exchange)
  const counts = new Map<string, number>()
  const transactions = endpoint.endsWith('transactions')
  const keyOf = (row: Row) => (transactions ? keyAcrossConsents(row) : 'an account')
  for (const row of transactions ? settled(bookedOf(rows)) : rows) {
    const key = keyOf(row)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return { json: exchange.response?.json, counts }
}
