import {
  type Exchange,
  rowsOf,
  succeeded,
  transactionKey,
} from '../../engine/suite-api/responses.ts'
import { rule } from '../../engine/suite-api/rule.ts'
import { bookedOf } from './common/booking-times.ts'
import { settled } from './common/completeness.ts'
import { amountOf } from './common/same-rows.ts'

/** What transactions amount to. Requirements: specs/account-information/transactions.yaml */

/** Booked rows by what doesn't change, with their amounts. */
type Amounts = ReadonlyMap<string, string>

/** Amounts that so many answers in a row agreed on, or else those of the last answer. */
interface Told {
  json: unknown
  amounts: Amounts
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
    const now = amountsIn(exchange)
    const common = [...now].filter(([row]) => told?.amounts.has(row))
    const alike = common.filter(([row, amounts]) => told?.amounts.get(row) === amounts)
    if (!steady) {
      const agreed = alike.length >= ENOUGH && alike.length === common.length
      const amounts = agreed ? new Map(alike) : now
      earlier.set(key, {
        json,
        amounts,
        answers: agreed && told ? told.answers + 1 : 1,
      } satisfies Told)
    }
    const [other] = common
    if (!steady || !other || common.length < ENOUGH) return undefined
    if (alike.length > 0) return []
    return [
      {
        message: `${common.length} transactions have other amounts than in three answers before`,
        expected: `${told.amounts.get(other[0])} for ${other[0]}`,
        actual: other[1],
      },
    ]
  },
)

/** Several that differ in nothing but their amount are one entry: how many there are belongs to its name. */
function amountsIn(exchange: Exchange): Amounts {
  const amounts = new Map<string, unknown[]>()
  for (const row of settled(bookedOf(rowsOf(exchange)))) {
    const key = transactionKey(row)
    const known = amounts.get(key)
    if (known) known.push(amountOf(row))
    else amounts.set(key, [amountOf(row)])
  }
  return new Map([...amounts].map(([key, all]) => [`${all.length} ${key}`, all.sort().join(', ')]))
}
