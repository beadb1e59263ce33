import { type Row, rowsOf, succeeded, transactionKey } from '../../engine/suite-api/responses.ts'
import { rule } from '../../engine/suite-api/rule.ts'
import { bookedOf } from './common/booking-times.ts'
import { settled } from './common/completeness.ts'
import { amountOf } from './common/same-rows.ts'

/** What transactions amount to. Requirements: specs/account-information/transactions.yaml */

/** Rows on whose amounts so many answers in a row agreed, or else those of the last answer. */
interface Told {
  json: unknown
  rows: readonly Row[]
  answers: number
}

/** Answers that make an amount one that stays for the moment. */
const STEADY = 3

/** Amounts may change, one by one: all of three or more that stayed never do. */
const ENOUGH = 3

rule(
  'TXN-41/kept',
  'Transactions of which three answers in a row showed one amount do not all have another one in a later answer',
  {
    endpoints: ['transactions', 'account-transactions'],
    unseen: 'no path showed three booked transactions alike time and again',
    follows: ['TXN-39/bulk-equals-single', 'DATA-08/absent', 'AUTHZ-30/other-customer'],
  },
  (exchange, { earlier }) => {
    const { consent, deviation } = exchange.about
    if (!exchange.endpoint.endsWith('transactions') || !succeeded(exchange)) return undefined
    if (!consent || deviation !== undefined) return undefined
    const key = `${consent.id} ${exchange.endpoint} ${exchange.about.subject ?? ''}`
    const told = earlier.get(key) as Told | undefined
    const { json } = exchange.response ?? {}
    const steady = told !== undefined && told.answers >= STEADY
    // Answers that are alike to the byte are one object.
    if (steady && told.json === json) return []
    const rows = settled(bookedOf(rowsOf(exchange)))
    if (steady && areSame(told.rows, rows)) return []
    const before = amountsIn(told?.rows ?? [])
    const now = amountsIn(rows)
    const common = [...now].filter(([row, { count }]) => before.get(row)?.count === count)
    const alike = new Map(common.filter(([row, { all }]) => before.get(row)?.all === all))
    if (!steady) {
      const agreed = alike.size >= ENOUGH && alike.size === common.length
      earlier.set(key, {
        json,
        rows: agreed ? rows.filter((row) => alike.has(transactionKey(row))) : rows,
        answers: agreed && told ? told.answers + 1 : 1,
      } satisfies Told)
    }
    const [other] = common
    if (!steady || !other || common.length < ENOUGH) return undefined
    if (alike.size > 0) return []
    return [
      {
        message: `${common.length} transactions have other amounts than in three answers before`,
        expected: `${before.get(other[0])?.all} for ${other[0]}`,
        actual: other[1].all,
      },
    ]
  },
)

/** Rows of one answer that were received before are the very same objects. */
function areSame(some: readonly Row[], others: readonly Row[]): boolean {
  return some.length === others.length && some.every((row, index) => row === others[index])
}

/** Amounts by what does not change of a row; several rows that differ in nothing else are one entry. */
function amountsIn(rows: readonly Row[]): ReadonlyMap<string, { count: number; all: string }> {
  const amounts = new Map<string, unknown[]>()
  for (const row of rows) {
    const key = transactionKey(row)
    const known = amounts.get(key)
    if (known) known.push(amountOf(row))
    else amounts.set(key, [amountOf(row)])
  }
  const entry = (all: unknown[]) => ({ count: all.length, all: all.sort().join(', ') })
  return new Map([...amounts].map(([key, all]) => [key, entry(all)]))
}
