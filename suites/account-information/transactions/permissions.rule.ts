import {
  type Exchange,
  type Row,
  remembered,
  rowsOf,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'
import { bookedOf, settled } from '../common/data/booking-times.ts'
import { DETAILS, keyAcrossConsents } from '../common/data/completeness.ts'
import { CUSTOMERS } from '../common/data/customers.ts'
import { MANY, movedIn, type Names } from '../common/data/moved-names.ts'
import { isWithCustomer } from '../common/endpoints.ts'

/** What consents of one customer show of the same rows. Requirements: specs/account-information/transactions.yaml */

/** The first list of all transactions under a consent. */
interface Shown {
  id: string
  /** Does it hold the basic permission beside the detail one? What it shows then is open (AMB-44). */
  both: boolean
  rows: Row[]
}

/** So many transactions must be named under one consent, and under the other none of them. */
const ENOUGH = 3

/**
 * The first list of transactions under each consent with ReadTransactionsDetail, while the customer is present. Fails:
 * another such consent of the customer shows three or more booked rows with a merchant (or an address), and this one shows
 * the same rows, none of them with it. A consent that holds the basic permission as well is compared with its like alone.
 */
rule(
  'TXN-51/every-consent',
  'The merchants that one consent with ReadTransactionsDetail shows are not missing under others of the customer',
  {
    endpoints: ['transactions'],
    unseen:
      'no two consents of a customer show three of the same transactions, one of them with merchants or addresses',
    follows: ['DATA-09/same-data', 'TXN-44/as-bulk', 'TXN-44/kept'],
  },
  (exchange, { earlier }) => {
    const { approval = '', consent } = exchange.about
    const customer = CUSTOMERS.get(approval)
    if (!customer || !consent || !isWhole(exchange)) return undefined
    const { permissions, id } = consent
    if (!permissions.includes('ReadTransactionsDetail')) return undefined
    const known = (earlier.get(customer) ?? []) as Shown[]
    if (known.some((other) => other.id === id)) return undefined
    const both = permissions.includes('ReadTransactionsBasic')
    const now: Shown = { id, both, rows: rowsOf(exchange) }
    earlier.set(customer, [...known, now])
    const compared = known.flatMap((other) => [
      ...leftOut(now, other, 'another consent of the customer shows them'),
      ...leftOut(other, now, 'and an earlier one of the customer did not show them'),
    ])
    if (compared.length === 0) return undefined
    return compared.flatMap(({ finding }) => finding ?? [])
  },
)

/**
 * The first list of transactions under each consent of a customer, while the customer is present. Fails: half of the booked
 * rows that two consents show with a merchant (or an address), and six or more, have another one, each that of another row
 * of the first list. A consent that shows less of each text is not judged: what is shorter is not that of another row.
 */
rule(
  'TXN-44/every-consent',
  'Merchants and addresses stand at the same transactions under every consent of the customer',
  {
    endpoints: ['transactions'],
    unseen:
      'no two consents of a customer show six of the same transactions with merchants or addresses',
    follows: ['TXN-44/as-bulk', 'TXN-44/own', 'DATA-09/same-data', 'AUTHZ-30/other-customer'],
  },
  (exchange, { earlier }) => {
    const { approval = '', consent } = exchange.about
    const customer = CUSTOMERS.get(approval)
    if (!customer || !consent || !isWhole(exchange)) return undefined
    const first = earlier.get(customer) as { id: string; rows: Row[] } | undefined
    if (!first) earlier.set(customer, { id: consent.id, rows: rowsOf(exchange) })
    if (!first || first.id === consent.id) return undefined
    const [before, now] = [namesAcross(first.rows), namesAcross(rowsOf(exchange))]
    const compared = DETAILS.flatMap(({ words }, index) => {
      const names = [before[index] ?? new Map(), now[index] ?? new Map()] as [Names, Names]
      const common = [...names[1].keys()].filter((row) => names[0].has(row))
      return common.length < MANY ? [] : [{ words, names, moved: movedIn(...names) }]
    })
    if (compared.length === 0) return undefined
    return compared.flatMap(({ words, names, moved }) => {
      const [row] = moved
      if (row === undefined) return []
      const message = `${moved.length} transactions show the ${words} that another consent shows of others`
      const [expected, actual] = names.map((all) => String(all.get(row))) as [string, string]
      return [{ message, expected: `${expected} for ${row}`, actual }]
    })
  },
)

/** The merchants, and the addresses, of booked rows of some days ago, by what every consent shows of them. */
const namesAcross = remembered((rows: Row[]): Names[] =>
  DETAILS.map(({ of }) => {
    const named = [...settledIn(rows)].flatMap(([key, row]) => {
      const text = row && of(row)
      return isText(text) ? [[key, String(text)] as const] : []
    })
    return new Map(named)
  }),
)

/** Is it a list of all transactions, as the customer sees them? */
function isWhole(exchange: Exchange): boolean {
  if (exchange.endpoint !== 'transactions' || !succeeded(exchange)) return false
  if (exchange.about.deviation !== undefined || !isWithCustomer(exchange)) return false
  return new URL(exchange.request.url).search === ''
}

/** For each detail that can be compared, whether `one` leaves it out where `other` has it. */
function leftOut(one: Shown, other: Shown, where: string): { finding?: Finding }[] {
  if (one.both && !other.both) return []
  const here = settledIn(one.rows)
  return DETAILS.flatMap(({ words, of }) => {
    const named = [...settledIn(other.rows)].flatMap(([key, row]) => {
      const [detail, same] = [row && of(row), here.get(key)]
      return same && isText(detail) ? [{ detail, now: of(same) }] : []
    })
    const [first] = named
    if (!first || named.length < ENOUGH) return []
    if (named.some(({ now }) => isText(now))) return [{}]
    const message = `${named.length} transactions are shown without their ${words}, ${where}`
    return [{ finding: { message, expected: String(first.detail), actual: `no ${words}` } }]
  })
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

/** Booked rows of some days ago, by what every consent shows of them; undefined where several look alike. */
const settledIn = remembered((rows: Row[]): ReadonlyMap<string, Row | undefined> => {
  const shown = new Map<string, Row | undefined>()
  for (const row of settled(bookedOf(rows))) {
    const key = keyAcrossConsents(row)
    shown.set(key, shown.has(key) ? undefined : row)
  }
  return shown
})
