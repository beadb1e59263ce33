import { randomInt } from 'node:crypto'
import type { Row } from '../../bank/data/transactions.ts'
import type { Variant } from '../proof.ts'
import { answers, elements, type Json, partOf, successes } from '../rewriting.ts'

const pound = (pence: number) => (pence / 100).toFixed(2)

function shuffled<T>(values: readonly T[]): T[] {
  const rest = [...values]
  return values.map(() => rest.splice(randomInt(rest.length), 1)[0] as T)
}

const seen = answers((ctx) => partOf(ctx) === 'data')

/** How Account.Identification shows a card. */
function masked(mask: (pan: string) => string): NonNullable<Variant['policies']> {
  return (_correct, { fired }) => ({
    maskCard(pan) {
      fired()
      return mask(pan)
    },
  })
}

/** How each date-time of an answer is written. */
function written(write: (utc: string) => string): NonNullable<Variant['policies']> {
  return (correct, { fired }) => ({
    dateTimeOf(instant) {
      fired()
      return write(correct.dateTimeOf(instant))
    },
  })
}

const variants: Variant[] = [
  {
    id: 'one-account-only',
    story: 'A customer may have one card and no other.',
    settings: { data: { accounts: 1 } },
    middleware: seen,
    blocks: [
      'ACC-02/asked-account-only',
      'ACC-03/unique',
      'ACC-14/all-accounts',
      'BAL-02/asked-account-only',
      'BAL-13/all-accounts',
      'TXN-02/asked-account-only',
      'TXN-23/all-accounts',
    ],
    because: 'With one account, all of them cannot be told from the first.',
  },
  {
    id: 'no-transactions',
    story: 'Cards that were never used have no transactions; the arrays are empty.',
    settings: { data: { transactions: 0 } },
    middleware: seen,
    blocks: [
      'ACC-11/without-permission',
      'DATA-08/concurrent',
      'DATA-08/other-filters',
      'TXN-02/asked-account-only',
      'TXN-03/account-id',
      'TXN-03/of-the-consent',
      'TXN-04/amount-string',
      'TXN-05/currency-string',
      'TXN-06/indicator-string',
      'TXN-08/booked-spelled',
      'TXN-08/status-string',
      'TXN-09/booking-string',
      'TXN-10/address-string',
      'TXN-11/merchant-name-string',
      'TXN-11/merchant-object',
      'TXN-16/from-alone',
      'TXN-17/both',
      'TXN-17/reversed',
      'TXN-17/to-alone',
      'TXN-18/spellings',
      'TXN-20/inside',
      'TXN-20/nothing-missing',
      'TXN-20/one-end',
      'TXN-23/all-accounts',
      'TXN-24/one-response',
    ],
    because:
      'Without a row no filter, no field and no right to see it can be told from its absence.',
  },
  {
    id: 'three-transactions',
    story: 'Cards that were hardly used have two pending transactions and a booked one.',
    settings: { data: { transactions: 3 } },
    middleware: seen,
    blocks: ['DATA-08/other-filters', 'TXN-17/both', 'TXN-17/reversed', 'TXN-20/nothing-missing'],
    because:
      'One booked row per card has not enough of them around two instants, nor in the period.',
  },
  {
    id: 'ninety-days-of-history',
    story: 'How far the history reaches is open: ninety days.',
    policies: (_correct, { fired }) => ({
      rowsBooked(rows) {
        const start = Date.now() - 90 * 86_400_000
        if (rows.some(({ booked }) => booked < start)) fired()
        return rows.filter(({ booked }) => booked >= start)
      },
    }),
  },
  {
    id: 'rows-in-another-order-each-time',
    story: 'No sentence orders accounts, balances or transactions.',
    middleware: successes(['data'], (body) => {
      const [[name, rows] = ['', undefined]] = Object.entries(body.Data as Json)
      return Array.isArray(rows) ? { ...body, Data: { [name]: shuffled(rows) } } : undefined
    }),
  },
  {
    id: 'oldest-rows-first',
    story: "No sentence orders transactions: the ledger's own order.",
    policies: (_correct, { fired }) => ({
      rowsAnswered(rows) {
        fired()
        return rows.reverse()
      },
    }),
  },
  {
    id: 'no-transaction-ids',
    story: 'TransactionId is not in the table of transactions.',
    middleware: elements('Transaction', ({ TransactionId: _id, ...row }) => row),
  },
  {
    id: 'new-transaction-ids-each-time',
    story: 'TransactionId is not in the table of transactions, so nothing is said of its lasting.',
    middleware: elements('Transaction', (row) => ({
      ...row,
      TransactionId: String(randomInt(1e12)),
    })),
  },
  {
    id: 'amounts-change',
    story: '"Transaction amounts can change after the transaction is first created."',
    middleware: elements('Transaction', (row, index) =>
      index % 3 === 0
        ? { ...row, Amount: { Amount: pound(100 + randomInt(9999)), Currency: 'GBP' } }
        : row,
    ),
  },
  {
    id: 'pending-rows-are-booked-meanwhile',
    story: 'A pending transaction is booked while somebody reads: between two calls.',
    policies: (_correct, { fired }) => {
      let calls = 0
      return {
        rowsBooked(rows) {
          calls += 1
          return rows.map((row) => {
            if (row.status !== 'Pending' || calls % 7 < 3) return row
            fired()
            return { ...row, status: 'Booked' }
          })
        },
      }
    },
  },
  {
    id: 'purchases-while-reading',
    story: 'The customer goes shopping during the run: now and then there is one more transaction.',
    policies: (_correct, { fired }) => {
      let calls = 0
      const fresh = new Map<string, Row[]>()
      return {
        rowsBooked(rows, accountId) {
          calls += 1
          const bought = fresh.get(accountId) ?? []
          const [, , model] = rows
          if (model && calls % 4 === 0) {
            fired()
            const booked = Math.floor(Date.now() / 1000) * 1000 - 60_000
            bought.unshift({ ...model, id: `new-${calls}`, booked, status: 'Booked' })
            fresh.set(accountId, bought)
          }
          return [...bought, ...rows]
        },
      }
    },
  },
  {
    id: 'twins-everywhere',
    story: 'Two coffees of one minute: transactions that differ in nothing that is documented.',
    policies: (_correct, { fired }) => ({
      rowsBooked(rows) {
        fired()
        return rows.map((row, index) => {
          const twin = rows[index - (index % 3)]
          return twin && twin.status === row.status ? { ...twin, id: row.id } : row
        })
      },
    }),
  },
  {
    id: 'whole-days-only',
    story: 'Transactions are booked at midnight: dates without a time of day, many at one instant.',
    policies: (_correct, { fired }) => ({
      rowsBooked(rows) {
        fired()
        return rows.map((row) => ({ ...row, booked: row.booked - (row.booked % 86_400_000) }))
      },
    }),
  },
  {
    id: 'bounds-are-left-out',
    story: '"Booked after and before the given time": the instants themselves are not in (AMB-18).',
    policies: (_correct, { fired }) => ({
      bookedWithin(row, { from, to }) {
        fired()
        return (from === undefined || row.booked > from) && (to === undefined || row.booked < to)
      },
      withinConsentPeriod(row, { transactionsFrom: from, transactionsTo: to }) {
        return (from === undefined || row.booked > from) && (to === undefined || row.booked < to)
      },
    }),
  },
  {
    id: 'no-pending-rows',
    story: 'A bank may list transactions once they are booked, and never before.',
    policies: (_correct, { fired }) => ({
      rowsBooked(rows) {
        fired()
        return rows.filter(({ status }) => status === 'Booked')
      },
    }),
  },
  {
    id: 'pending-rows-without-date',
    story: 'BookingDateTime is "when the transaction was booked": a pending one was not.',
    middleware: elements('Transaction', ({ BookingDateTime, ...row }) =>
      row.Status === 'Pending' ? row : { ...row, BookingDateTime },
    ),
  },
  {
    id: 'more-states-of-transactions',
    story: 'The full list of values of Status is not shown: Held and Declined are two more.',
    middleware: elements('Transaction', (row, index) =>
      row.Status === 'Pending' ? { ...row, Status: index % 2 ? 'Held' : 'Declined' } : row,
    ),
  },
  {
    id: 'neither-merchants-nor-addresses',
    story: 'No sentence promises MerchantDetails or AddressLine: AMB-17.',
    middleware: elements('Transaction', ({ MerchantDetails: _m, AddressLine: _a, ...row }) => row),
  },
  {
    id: 'merchants-without-a-name',
    story: 'MerchantDetails holds only the category; its MerchantName is promised by no sentence.',
    middleware: elements('Transaction', (row) =>
      row.MerchantDetails ? { ...row, MerchantDetails: { MerchantCategoryCode: '5411' } } : row,
    ),
  },
  {
    id: 'transactions-in-foreign-currency',
    story: 'Amount.Currency is the "currency of the transaction": euros for a meal in Lyon.',
    middleware: elements('Transaction', (row) =>
      /^[0-3]/.test(String(row.TransactionId))
        ? { ...row, Amount: { Amount: '12.30', Currency: 'EUR' } }
        : row,
    ),
  },
  {
    id: 'amounts-in-whole-pounds',
    story: 'Amount is a string; how many decimals it has no sentence says.',
    policies: (_correct, { fired }) => ({
      amountOf(pence) {
        fired()
        return { Amount: String(Math.round(Math.abs(pence) / 100)), Currency: 'GBP' }
      },
    }),
  },
  {
    id: 'account-as-an-object',
    story: 'Account.SchemeName may be a member of an object: AMB-02.',
    middleware: elements('Account', (row) =>
      Array.isArray(row.Account) ? { ...row, Account: (row.Account as Json[])[0] } : row,
    ),
  },
  {
    id: 'credit-line-as-an-object',
    story: 'CreditLine.Included may be a member of an object: AMB-02.',
    middleware: elements('Balance', (row) => ({
      ...row,
      CreditLine: (row.CreditLine as Json[])[0],
    })),
  },
  {
    id: 'several-credit-lines',
    story: 'CreditLine may be an array, as in 3.1.2, of several: one of them for emergencies.',
    middleware: elements('Balance', (row) => {
      const [line] = row.CreditLine as Json[]
      return { ...row, CreditLine: [line, { ...line, Included: true, Type: 'Emergency' }] }
    }),
  },
  {
    id: 'no-credit-line',
    story: 'No sentence promises a CreditLine: the optional object is absent.',
    middleware: elements('Balance', ({ CreditLine: _line, ...row }) => row),
  },
  {
    id: 'empty-credit-lines',
    story: 'CreditLine may be an array, as in 3.1.2, and an array may be empty.',
    middleware: elements('Balance', (row) => ({ ...row, CreditLine: [] })),
  },
  {
    id: 'balances-of-this-second',
    story: 'DateTime is the "date/time of the balance": that of the answer, and it moves.',
    policies: (correct, { fired }) => ({
      balanceView(accountId, card, now, spelling) {
        fired()
        const owed = card.owed + randomInt(500)
        const view = correct.balanceView(accountId, { ...card, owed }, now, spelling)
        return { ...view, DateTime: spelling.dateTimeOf(now) }
      },
    }),
  },
  {
    id: 'zero-balances',
    story: 'A balance of zero, which is as good as Credit.',
    policies: (correct, { fired }) => ({
      balanceView(accountId, card, now, spelling) {
        fired()
        return correct.balanceView(accountId, { ...card, owed: 0 }, now, spelling)
      },
    }),
  },
  {
    id: 'account-ids-of-the-customer',
    story: 'AccountId is "persistent for a given ConsentId"; it may be the same for others too.',
    policies: (correct, { fired }) => ({
      accountIdFor(_consentId, cardKey, secret) {
        fired()
        return correct.accountIdFor('any', cardKey, secret)
      },
    }),
  },
  {
    id: 'account-ids-to-be-encoded',
    story: 'An AccountId is a string: in a path, some of its characters must be encoded.',
    policies: (correct, { fired }) => ({
      accountIdFor(consentId, cardKey, secret) {
        fired()
        return `GB:${correct.accountIdFor(consentId, cardKey, secret).slice(0, 16)}/1+a=%41 ü`
      },
    }),
  },
  {
    id: 'account-ids-are-numbers-in-words',
    story: 'An AccountId is a string of digits, short ones among them.',
    policies: (correct, { fired }) => ({
      accountIdFor(consentId, cardKey, secret) {
        fired()
        const id = Buffer.from(correct.accountIdFor(consentId, cardKey, secret))
        return String(id.readUInt32BE(3))
      },
    }),
  },
  {
    id: 'cards-masked-with-six-and-four',
    story:
      'A "masked version of the primary card number" may show its first six and last four digits.',
    policies: masked((pan) => `${pan.slice(0, 6)}XXXXXX${pan.slice(-4)}`),
  },
  {
    id: 'cards-masked-in-groups',
    story: 'A "masked version of the primary card number" may be grouped, with dots.',
    policies: masked((pan) => `•••• •••• •••• ${pan.slice(-4)}`),
  },
  {
    id: 'cards-masked-to-four-digits',
    story: 'A "masked version of the primary card number" may be what is left of it: four digits.',
    policies: masked((pan) => pan.slice(-4)),
  },
  {
    id: 'accounts-as-in-3.1.2',
    story:
      'The other members of 3.1.2: a state, a nickname, a servicer, an account of more fields.',
    middleware: elements('Account', (row) => ({
      ...row,
      Status: 'Enabled',
      StatusUpdateDateTime: '2020-01-01T06:06:06+00:00',
      Nickname: 'Card – für Reisen ✈',
      Servicer: { SchemeName: 'UK.OBIE.BICFI', Identification: '80200112344562' },
    })),
  },
  {
    id: 'one-description-for-all',
    story:
      'Description is a textual description: that of every card may be the same, in any script.',
    middleware: elements('Account', (row) => ({
      ...row,
      Description: 'Kreditkarte “Größe” 信用卡',
    })),
  },
  {
    id: 'date-times-without-fraction',
    story: 'Date-times are UTC; fractions of a second are free (RFC 3339 5.6).',
    policies: written((utc) => utc.replace(/\.\d+/, '')),
  },
  {
    id: 'date-times-with-offset-zero',
    story: 'Date-times are UTC, written +00:00 with milliseconds.',
    policies: written((utc) => utc.replace('Z', '+00:00')),
  },
  {
    id: 'date-times-with-nanoseconds',
    story: 'Date-times are UTC; fractions of a second may have nine digits.',
    policies: written((utc) => utc.replace('Z', '000000Z')),
  },
  {
    id: 'date-times-in-lower-case',
    story: 'T and Z may be written in lower case (RFC 3339 5.6).',
    policies: written((utc) => utc.toLowerCase()),
  },
]

export default variants
