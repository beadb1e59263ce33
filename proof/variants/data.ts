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
      "No sentence orders accounts, balances or transactions: the oldest first, or in nobody's order.",
    middleware: successes(['data'], (body) => {
      const [[name, rows] = ['', undefined]] = Object.entries(body.Data as Json)
      return Array.isArray(rows) ? { ...body, Data: { [name]: reordered(rows) } } : undefined
    }),
  },
  {
    id: 'details-at-single-addresses',
    story:
      'Lists are lean, and what one account is asked for has it all: AddressLine, MerchantDetails and CreditLine, which no sentence promises, stand in single answers alone.',
    middleware: rowsOf(['balances', 'transactions'], (rows) =>
      rows.map(
        ({ AddressLine: _address, MerchantDetails: _merchant, CreditLine: _line, ...row }) => row,
      ),
    ),
  },
  {
    id: 'less-while-nobody-looks',
    story:
      'No sentence promises AddressLine, MerchantDetails or CreditLine: while the customer is absent they are left out, to save what is not read.',
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
    story: 'No sentence promises CreditLine: of two answers in turn the later leaves it out.',
    middleware: rowsOf(['balances', 'account-balances'], (rows) =>
      withCreditLine() ? undefined : rows.map(({ CreditLine: _line, ...row }) => row),
    ),
  },
  {
    id: 'more-credit-lines-at-single-addresses',
    story:
      'How many credit lines a balance has is not said: the list has the agreed one, and who asks for one account sees the emergency one as well.',
    middleware: rowsOf('account-balances', (rows) => rows.map(withEmergencyLine)),
  },
  {
    id: 'credit-lines-without-amounts-in-the-list',
    story:
      'No sentence promises the amount of a credit line: the list says that there is one, and a single address how high it is.',
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
      'Both at once: the list names the agreed line and that for emergencies, and a single address the agreed one with its amount.',
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
      'How many credit lines a balance has is not said: newer clients are shown the emergency one as well.',
    middleware: rowsOf(['balances', 'account-balances'], (rows, ctx) =>
      tokenInfoOf(ctx)?.client === 'second' ? rows.map(withEmergencyLine) : undefined,
    ),
  },
  {
    id: 'last-night-while-nobody-looks',
    story:
      'While the customer is absent the books as they were at midnight answer: balances of then, which say so, and nothing that was booked since.',
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
      'The mainframe writes each amount in all thirteen digits and five decimals that version 3.1.2 has room for.',
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
      'Amount is a string of at most five decimals; how many no sentence says. Its Currency is the "currency of the transaction": euros for a meal in Lyon.',
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
    story: 'The data of a staging environment may be made up, of whole pounds.',
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
      'Account.SchemeName and CreditLine.Included may be members of an object or of the elements of an array (AMB-02), and no sentence promises a CreditLine: one, several, an object, an empty array, none.',
    ...dottedNames(),
  },
  {
    id: 'balances-with-and-without-their-credit-line',
    story:
      'A balance says whether it includes the credit line: an account has one balance with it and one without.',
    middleware: rowsOf(['balances', 'account-balances'], (rows) =>
      rows.flatMap((row) => [row, withItsLine(row)]),
    ),
  },
  {
    id: 'balances-of-each-part-of-a-card',
    story:
      'No sentence closes an object: an account has a balance of purchases and one of cash, which a member tells apart that no table has.',
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
      'A balance that includes the credit line of a card on which nothing is owed is as high as the line.',
    middleware: elements('Balance', withItsLine),
  },
  {
    id: 'one-card-used-up-to-its-limit',
    story: 'A customer may owe exactly as much on a card as its credit line is.',
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
      'CreditLine is the limit of today: the bank has cut it to five pounds, and the purchases before were larger.',
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
      'DateTime is the "date/time of the balance": that of the answer, and it moves; others are zero, which is as good as Credit. A member that no table has tells it too.',
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
      'Date-times are UTC; a fraction of a second has no, three or nine digits, UTC is Z or +00:00, and T and Z may be written in lower case (RFC 3339 5.6).',
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
      'No sentence closes an object: who read the version before finds names in small letters beside those of the tables, and a balance names the type of its account.',
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
    story:
      '"Date/time of the balance": the bank makes a statement each quarter, and shows the balance of the last one.',
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
      '"Date/time of the balance": the list is of the batch of six, and the single addresses of that of nine; nothing moved between them.',
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
