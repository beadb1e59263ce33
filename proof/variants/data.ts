import { randomInt } from 'node:crypto'
import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import { DAY } from '../../engine/record/durations.ts'
import { endpointOf, isSingle, rowsOf } from '../altering/data-requests.ts'
import { elements, type Json, successes } from '../altering/rewriting.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobin, roundRobinOf, roundRobinPerKey } from '../run/round-robin.ts'

function shuffled<T>(values: readonly T[]): T[] {
  const rest = [...values]
  return values.map(() => rest.splice(randomInt(rest.length), 1)[0] as T)
}

const reordered = roundRobinOf<[unknown[]], unknown[]>(shuffled, (rows) => rows.toReversed())

/** A number for a row that is the same in every answer, because it comes from the bank's id of the row. */
const kindOf = (row: Json, kinds: number) =>
  Number.parseInt(String(row.TransactionId).slice(0, 4), 16) % kinds

const withCreditLine = roundRobin([true, false])

const theDayBefore = (moment: string) => new Date(Date.parse(moment) - DAY).toISOString()

const variants: Variant[] = [
  {
    id: 'rows-in-another-order-each-time',
    story:
      'Accounts, balances and transactions are in another order in each response. The document does not define an order.',
    middleware: successes(['data'], (body) => {
      const [[name, rows] = ['', undefined]] = Object.entries(body.Data as Json)
      return Array.isArray(rows) ? { ...body, Data: { [name]: reordered(rows) } } : undefined
    }),
  },
  {
    id: 'details-at-single-addresses',
    story:
      'AddressLine, MerchantDetails and CreditLine are only in the responses for one account, not in the bulk lists. The document does not require them.',
    middleware: rowsOf(['balances', 'transactions'], (rows) =>
      rows.map(
        ({ AddressLine: _address, MerchantDetails: _merchant, CreditLine: _line, ...row }) => row,
      ),
    ),
  },
  {
    id: 'less-while-nobody-looks',
    story:
      'AddressLine, MerchantDetails and CreditLine are left out without x-fapi-customer-ip-address. The document does not require them.',
    middleware: rowsOf(
      ['balances', 'transactions', 'account-balances', 'account-transactions'],
      (rows, ctx) =>
        ctx.get('x-fapi-customer-ip-address') === ''
          ? rows.map(
              ({ AddressLine: _address, MerchantDetails: _merchant, CreditLine: _line, ...row }) =>
                row,
            )
          : undefined,
    ),
  },
  {
    id: 'credit-lines-now-and-then',
    story: 'Every second balance response has no CreditLine. The document does not require it.',
    middleware: rowsOf(['balances', 'account-balances'], (rows) =>
      withCreditLine() ? undefined : rows.map(({ CreditLine: _line, ...row }) => row),
    ),
  },
  {
    id: 'more-credit-lines-at-single-addresses',
    story:
      'The balances of one account have an additional emergency credit line. How many credit lines a balance has is not said.',
    middleware: rowsOf('account-balances', (rows) => rows.map(withEmergencyLine)),
  },
  {
    id: 'credit-lines-without-amounts-in-the-list',
    story:
      'The credit lines in GET /balances have no Amount; those of one account have it. The document does not require it.',
    middleware: rowsOf('balances', (rows) =>
      rows.map(({ CreditLine, ...row }) => ({
        ...row,
        CreditLine: ([CreditLine].flat() as Json[]).map(({ Amount: _amount, ...line }) => line),
      })),
    ),
  },
  {
    id: 'more-credit-lines-without-amounts-in-the-list',
    story:
      'The credit lines in GET /balances have no Amount but include an emergency line; those of one account have the agreed line with its Amount.',
    middleware: rowsOf('balances', (rows) =>
      rows.map(withEmergencyLine).map(({ CreditLine, ...row }) => ({
        ...row,
        CreditLine: (CreditLine as Json[]).map(({ Amount: _amount, ...line }) => line),
      })),
    ),
  },
  {
    id: 'more-credit-lines-for-newer-clients',
    story:
      'The second client also gets an emergency credit line. How many credit lines a balance has is not said.',
    middleware: rowsOf(['balances', 'account-balances'], (rows, ctx) =>
      tokenInfoOf(ctx)?.client === 'second' ? rows.map(withEmergencyLine) : undefined,
    ),
  },
  {
    id: 'last-night-while-nobody-looks',
    story:
      'Without x-fapi-customer-ip-address, the bank returns balances and transactions as of last midnight; the DateTime of a balance says so.',
    middleware: rowsOf(
      ['balances', 'transactions', 'account-balances', 'account-transactions'],
      (rows, ctx) => {
        if (ctx.get('x-fapi-customer-ip-address') !== '') return undefined
        const midnight = `${new Date().toISOString().slice(0, 10)}T00:00:00Z`
        return rows
          .filter(({ BookingDateTime = '' }) => String(BookingDateTime) < midnight)
          .map(({ DateTime, ...row }) => {
            if (DateTime === undefined) return row
            const Amount = { Amount: '77.70', Currency: 'GBP' }
            return { ...row, DateTime: theDayBefore(String(DateTime)), Amount }
          })
      },
    ),
  },
  {
    id: 'amounts-padded-with-zeros',
    story:
      'Amounts have thirteen digits and five decimals with leading zeros, which version 3.1.2 allows.',
    policies: (correct, { fired }) => ({
      amountOf(pence) {
        fired()
        const { Amount, ...others } = correct.amountOf(pence)
        return { ...others, Amount: `${Amount}000`.padStart(19, '0') }
      },
    }),
  },
  {
    id: 'amounts-of-any-currency-and-decimals',
    story:
      'Amounts have zero to five decimals, and some transactions have Currency EUR. The number of decimals is not said, and Currency is the "currency of the transaction".',
    policies: (_correct, { fired }) => {
      const decimals = roundRobin([0, 3, 5, 2])
      return {
        amountOf(pence) {
          fired()
          const digits = pence % 100 === 0 ? decimals() : Math.max(2, decimals())
          return { Amount: (Math.abs(pence) / 100).toFixed(digits), Currency: 'GBP' }
        },
      }
    },
    middleware: elements('Transaction', (row) =>
      kindOf(row, 4) === 0 ? { ...row, Amount: { Amount: '12.30', Currency: 'EUR' } } : row,
    ),
  },
  {
    id: 'amounts-of-whole-pounds',
    story: 'All amounts are whole pounds without decimals, as in test data.',
    policies: (_correct, { fired }) => ({
      amountOf(pence) {
        fired()
        return { Amount: `${Math.ceil(Math.abs(pence) / 100)}`, Currency: 'GBP' }
      },
    }),
  },
  {
    id: 'dotted-names-of-any-shape',
    story:
      'Account and CreditLine are an object or an array (AMB-02), and CreditLine is absent, empty or has several elements. The document does not require a CreditLine.',
    ...dottedNames(),
  },
  {
    id: 'balances-with-and-without-their-credit-line',
    story:
      'Each account has two balances, one that includes the credit line and one that does not.',
    middleware: rowsOf(['balances', 'account-balances'], (rows) =>
      rows.flatMap((row) => [row, withItsLine(row)]),
    ),
  },
  {
    id: 'balances-of-each-part-of-a-card',
    story:
      'Each account has two balances, of purchases and of cash, which differ in a member that the table does not have. The document does not forbid more members.',
    middleware: rowsOf(['balances', 'account-balances'], (rows) =>
      rows.flatMap((row) => [
        { ...row, Part: 'Purchases' },
        { ...row, Part: 'Cash', Amount: { Amount: '40.00', Currency: 'GBP' } },
      ]),
    ),
  },
  {
    id: 'paid-off-cards-with-their-credit-line',
    story:
      'Nothing is owed on a card, and its balance includes the credit line, so it is as high as the line.',
    middleware: elements('Balance', withItsLine),
  },
  {
    id: 'one-card-used-up-to-its-limit',
    story:
      'The balance of a card is equal to its credit limit, because the customer has used all of it.',
    policies: (correct, { fired }) => ({
      balanceView(accountId, card, now, spelling) {
        if (card.key === 'okafor-travel') {
          return correct.balanceView(accountId, card, now, spelling)
        }
        fired()
        return correct.balanceView(accountId, { ...card, owed: card.creditLimit }, now, spelling)
      },
    }),
  },
  {
    id: 'credit-lines-cut-after-use',
    story:
      'The credit line is now five pounds, and earlier purchases were higher. CreditLine is the current limit.',
    policies: (correct, { fired }) => ({
      balanceView(accountId, card, now, spelling) {
        fired()
        return correct.balanceView(accountId, { ...card, creditLimit: 500 }, now, spelling)
      },
    }),
  },
  {
    id: 'balances-of-this-second',
    story:
      'The DateTime and the amount of a balance change with each response, and some balances are zero with Credit. Another member has the same time.',
    policies: (correct, { fired }) => {
      return {
        balanceView(accountId, card, now, spelling) {
          fired()
          const owed = randomInt(2) * (card.owed + randomInt(500))
          const view = correct.balanceView(accountId, { ...card, owed }, now, spelling)
          const DateTime = spelling.dateTimeOf(now)
          return { ...view, DateTime, BookingDateTime: DateTime }
        },
      }
    },
  },
  {
    id: 'date-times-spelt-in-any-way',
    story:
      'Date-times have no, three or nine digits of a fraction, end with Z or +00:00, and have T and Z in lower case (RFC 3339 5.6). All are UTC.',
    policies: (correct, { fired }) => {
      const spell = roundRobinOf<[string], string>(
        (utc) => utc.replace(/\.0+(?=Z)/, ''),
        (utc) => utc.replace('Z', '+00:00'),
        (utc) => utc.replace(/(\.\d+)?Z$/, (_, fraction = '.') => `${fraction.padEnd(10, '0')}Z`),
        (utc) => utc.toLowerCase(),
      )
      return {
        dateTimeOf(instant) {
          fired()
          return spell(correct.dateTimeOf(instant))
        },
      }
    },
  },
  {
    id: 'members-under-two-names',
    story:
      'Rows have each member a second time in lower case, and balances have AccountType and AccountSubType. The document does not forbid more members.',
    middleware: successes(['data'], (body) => {
      const [[name = '', rows] = []] = Object.entries(body.Data as Json)
      if (!Array.isArray(rows) || name === 'Account') return undefined
      const small = (row: Json) =>
        Object.entries(row).map(([each, value]) => [each.toLowerCase(), value])
      const types = { AccountType: 'Personal', AccountSubType: 'CreditCard' }
      const told = (row: Json) => ({ ...Object.fromEntries(small(row)), ...types, ...row })
      return { ...body, Data: { [name]: rows.map(told) } }
    }),
  },
  {
    id: 'balances-of-the-last-statement',
    story: 'Balances are those of the last quarterly statement, and DateTime says so.',
    policies: (correct, { fired }) => ({
      balanceView(accountId, card, now, spelling) {
        fired()
        return correct.balanceView(accountId, card, now - 92 * DAY, spelling)
      },
    }),
  },
  {
    id: 'balances-of-two-batches-on-the-hour',
    story:
      'The DateTime of the same balance is 06:00 in GET /balances and 09:00 for one account, because two batches computed it.',
    middleware: rowsOf(['balances', 'account-balances'], (rows) => {
      const day = new Date(Date.now() - DAY).toISOString().slice(0, 10)
      const hour = isSingle(endpointOf()) ? '09' : '06'
      return rows.map((row) => ({ ...row, DateTime: `${day}T${hour}:00:00Z` }))
    }),
  },
]

function withEmergencyLine({ CreditLine, ...row }: Json): Json {
  const lines = [CreditLine].flat() as Json[]
  return { ...row, CreditLine: lines.flatMap((line) => [line, { ...line, Type: 'Emergency' }]) }
}

/** The balance of a card on which nothing is owed, with the credit line. */
function withItsLine(row: Json): Json {
  const [line] = row.CreditLine as Json[]
  const CreditLine = [{ ...line, Included: true }]
  return { ...row, Amount: line?.Amount, CreditDebitIndicator: 'Credit', CreditLine }
}

/** Each account keeps its form, so that the bulk and single addresses show the same. */
function dottedNames(): Pick<Variant, 'middleware'> {
  const asObject = roundRobinPerKey([true, false])
  const line = roundRobinPerKey<(line: Json) => unknown>([
    (one) => one,
    (one) => [one, { ...one, Included: true, Type: 'Emergency' }],
    () => [],
    () => undefined,
  ])
  const accounts = elements('Account', (row) =>
    Array.isArray(row.Account) && asObject(String(row.AccountId))
      ? { ...row, Account: (row.Account as Json[])[0] }
      : row,
  )
  const balances = elements('Balance', ({ CreditLine, ...row }) => {
    const other = line(String(row.AccountId))((CreditLine as Json[])[0] ?? {})
    return other === undefined ? row : { ...row, CreditLine: other }
  })
  return { middleware: (ctx, next) => accounts(ctx, () => balances(ctx, next)) }
}

export default variants
