import {
  type Endpoint,
  member,
  type Row,
  rowsOf,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { numberOf } from '../common/data/account-comparisons.ts'
import { CUSTOMERS } from '../common/data/customers.ts'
import { amountOf } from '../common/data/same-rows.ts'

/** Whose balance it is, by what other consents of the customer show. Requirements: specs/account-information/balances.yaml */

const BALANCES: readonly Endpoint[] = ['balances', 'account-balances']

/** What an answer says of a card. An amount of 0 may be that of several cards, and tells none. */
type Told = Partial<Record<'balance' | 'credit line', string>>

/** What is known of one customer. */
interface Known {
  /** The last four digits of the card of an account, by consent and AccountId. */
  cards: Map<string, string>
  /** What the first answer said of each card, by these digits. */
  first: Map<string, Told>
}

/**
 * Lists of accounts, and every balances 2xx, of all consents of a customer. Fails: the balance of an account, or its credit
 * line, is not what the first answer showed for its card, and is what that showed for another card of the customer.
 * Cards are told by their last four digits. Not judged: amounts of 0, and those that two cards have in common.
 */
rule(
  'BAL-33/own-card',
  'No account shows the balance, or the credit line, of another card of the customer',
  {
    endpoints: BALANCES,
    also: ['accounts'],
    unseen:
      'no customer has two accounts whose cards, told by their last digits, show balances that differ',
    follows: [
      'ACC-04/same-card',
      'ACC-22/own-card',
      'BAL-02/asked-account-only',
      'BAL-14/bulk-equals-single',
      'BAL-24/kept',
      'BAL-24/every-consent',
      'DATA-08/absent',
      'AUTHZ-30/other-customer',
    ],
  },
  (exchange, { earlier }) => {
    const { approval = '', consent, deviation } = exchange.about
    const customer = CUSTOMERS.get(approval)
    if (!customer || !consent || deviation !== undefined || !succeeded(exchange)) return undefined
    const known = (earlier.get(customer) ?? { cards: new Map(), first: new Map() }) as Known
    earlier.set(customer, known)
    const keyOf = ({ AccountId }: Row) => JSON.stringify([consent.id, AccountId])
    const rows = rowsOf(exchange)
    if (exchange.endpoint === 'accounts') noteCards(known, rows, keyOf)
    if (!BALANCES.includes(exchange.endpoint)) return undefined
    let isJudged = false
    for (const [index, row] of rows.entries()) {
      const card = known.cards.get(keyOf(row))
      if (card === undefined || rows.some((other) => other !== row && keyOf(other) === keyOf(row)))
        continue
      const now = toldIn(row)
      const before = known.first.get(card)
      if (!before) known.first.set(card, now)
      for (const name of ['balance', 'credit line'] as const) {
        const others = [...known.first].filter(([other]) => other !== card)
        const amounts = others.flatMap(([, told]) => told[name] ?? [])
        const own = before?.[name]
        const shown = now[name]
        if (own === undefined || shown === undefined) continue
        if (amounts.length === 0 || amounts.includes(own)) continue
        isJudged = true
        if (shown === own || !amounts.includes(shown)) continue
        const message = `an account shows the ${name} of another card of the customer`
        const place = `/Data/Balance/${index}`
        return [{ message, expected: own, actual: shown, place }]
      }
    }
    return isJudged ? [] : undefined
  },
)

/** Cards of one customer that end alike cannot be told from each other. */
function noteCards({ cards }: Known, rows: readonly Row[], keyOf: (row: Row) => string): void {
  const endings = rows.map(numberOf)
  for (const [index, row] of rows.entries()) {
    const ending = endings[index]
    const isOwn = ending !== undefined && endings.indexOf(ending) === endings.lastIndexOf(ending)
    if (isOwn) cards.set(keyOf(row), ending)
  }
}

function toldIn(row: Row): Told {
  const lines = [row.CreditLine ?? []].flat()
  const [line] = lines.length === 1 ? lines : []
  const [owed, limit] = [amountOf(row), amountOf(Object(line))]
  return {
    ...(Number(owed) > 0 && { balance: `${owed} ${String(row.CreditDebitIndicator)}` }),
    ...(Number(limit) > 0 && {
      'credit line': `${limit} ${String(member(line, 'Amount', 'Currency'))}`,
    }),
  }
}
