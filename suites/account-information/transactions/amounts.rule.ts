import { type Row, rowsOf, succeeded, transactionKey } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { bookedOf, settled } from '../common/data/booking-times.ts'
import { CUSTOMERS } from '../common/data/customers.ts'
import { amountOf } from '../common/data/same-rows.ts'

/** Amounts of transactions and balances. Requirements: specs/account-information/transactions.yaml, balances.yaml */

/** Rows on whose amounts this number of consecutive answers agreed, or else the rows of the last answer. */
interface Told {
  json: unknown
  rows: readonly Row[]
  answers: number
}

/** So many answers with the same amount make it a steady one. */
const STEADY = 3

/** Single amounts may change, but three or more steady ones never all change. */
const ENOUGH = 3

rule(
  'TXN-41/kept',
  'Transactions that had the same amounts in three answers in a row do not all have other amounts in a later answer',
  {
    endpoints: ['transactions', 'account-transactions'],
    unseen: 'no path showed three booked transactions unchanged several times',
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
    // Byte-identical answers are one object.
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
        message: `${common.length} transactions have other amounts than in three earlier answers`,
        expected: `${before.get(other[0])?.all} for ${other[0]}`,
        actual: other[1].all,
      },
    ]
  },
)

rule(
  'BAL-24/kept',
  'Balances that three answers in a row showed do not all change while their DateTime stays',
  {
    endpoints: ['balances'],
    unseen: 'no consent showed the balances of two accounts unchanged several times',
    follows: ['BAL-14/bulk-equals-single', 'DATA-08/absent', 'AUTHZ-30/other-customer'],
  },
  (exchange, { earlier }) => {
    const { consent, deviation } = exchange.about
    if (exchange.endpoint !== 'balances' || !succeeded(exchange)) return undefined
    if (!consent || deviation !== undefined) return undefined
    const now = balancesIn(rowsOf(exchange))
    const told = earlier.get(consent.id) as { balances: typeof now; answers: number } | undefined
    const common = [...now].filter(([moment]) => told?.balances.has(moment))
    const alike = common.filter(([moment, owed]) => told?.balances.get(moment) === owed)
    const [other] = common
    const changed = alike.length === 0 && common.length > 1 && other !== undefined
    if (told && told.answers >= STEADY && changed) {
      return [
        {
          message: `${common.length} balances differ from those in three earlier answers, at the same DateTime`,
          expected: `${told.balances.get(other[0])} for ${other[0]}`,
          actual: other[1],
        },
      ]
    }
    const agreed = alike.length > 1 && alike.length === now.size
    earlier.set(consent.id, { balances: now, answers: agreed && told ? told.answers + 1 : 1 })
    return told && told.answers >= STEADY && common.length > 1 ? [] : undefined
  },
)

/**
 * Every list of balances. Fails: another consent of the customer showed, three times in a row, as many balances of the
 * same moments, and none of the amounts is one of those. Single amounts may change.
 */
rule(
  'BAL-24/every-consent',
  'The balances of a customer do not all differ under a consent with fewer permissions',
  {
    endpoints: ['balances'],
    unseen: 'no two consents of a customer showed the balances of two accounts at one moment',
    follows: [
      'BAL-24/kept',
      'BAL-14/bulk-equals-single',
      'DATA-08/absent',
      'DATA-09/same-data',
      'AUTHZ-30/other-customer',
    ],
  },
  (exchange, { earlier }) => {
    const { approval = '', consent, deviation } = exchange.about
    const customer = CUSTOMERS.get(approval)
    if (exchange.endpoint !== 'balances' || !succeeded(exchange)) return undefined
    if (!customer || !consent || deviation !== undefined) return undefined
    const now = owedIn(rowsOf(exchange))
    const told = earlier.get(customer) as (Owed & { id: string; answers: number }) | undefined
    const isSteady = told !== undefined && told.answers >= STEADY
    if (!isSteady && (!told || told.id === consent.id)) {
      const again = told?.moments === now.moments && told.all.join() === now.all.join()
      earlier.set(customer, { ...now, id: consent.id, answers: again ? told.answers + 1 : 1 })
    }
    if (!isSteady || told.id === consent.id) return undefined
    if (told.moments !== now.moments || now.all.length < 2) return undefined
    if (now.all.some((amount) => told.all.includes(amount))) return []
    const message = 'the balances differ from those under another consent of the customer'
    return [{ message, expected: told.all.join(', '), actual: now.all.join(', ') }]
  },
)

interface Owed {
  /** Types and times of the balances, as one text. */
  moments: string
  all: string[]
}

/** What a list says of balances whatever their AccountIds, which may differ between two consents. */
function owedIn(rows: readonly Row[]): Owed {
  const moments = rows.map(({ Type, DateTime }) => `${String(Type)} ${String(DateTime)}`)
  const all = rows.map((row) => `${String(amountOf(row))} ${String(row.CreditDebitIndicator)}`)
  return { moments: moments.sort().join(), all: all.sort() }
}

/** Amounts owed, by account, type and time. Balances with the same key are left out. */
function balancesIn(rows: readonly Row[]): ReadonlyMap<string, string> {
  const keyOf = ({ AccountId, Type, DateTime }: Row) => JSON.stringify([AccountId, Type, DateTime])
  const keys = rows.map(keyOf)
  const single = rows.filter(
    (_, index) => keys.indexOf(keys[index] ?? '') === keys.lastIndexOf(keys[index] ?? ''),
  )
  return new Map(
    single.map((row) => [
      keyOf(row),
      `${String(amountOf(row))} ${String(row.CreditDebitIndicator)}`,
    ]),
  )
}

/** Rows of an answer that were received before are the same objects. */
function areSame(some: readonly Row[], others: readonly Row[]): boolean {
  return some.length === others.length && some.every((row, index) => row === others[index])
}

/** Amounts by the members of a row that do not change. Rows that differ in nothing else share one entry. */
function amountsIn(rows: readonly Row[]): ReadonlyMap<string, { count: number; all: string }> {
  const amounts = new Map<string, unknown[]>()
  for (const row of rows) {
    const key = transactionKey(row)
    const known = amounts.get(key)
    if (known) known.push(amountOf(row))
    else amounts.set(key, [amountOf(row)])
  }
  const entry = (all: unknown[]) =>
    all.length === 1
      ? { count: 1, all: String(all[0]) }
      : { count: all.length, all: all.sort().join(', ') }
  return new Map([...amounts].map(([key, all]) => [key, entry(all)]))
}
