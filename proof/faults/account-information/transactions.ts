import type { Context } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import type { Card } from '../../../bank/data/customers.ts'
import { type Row, transactionsOf } from '../../../bank/data/transactions.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import type { DataEndpoint } from '../../../bank/policies/data.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { DAY } from '../../../engine/record/durations.ts'
import { consentData } from '../../altering/consent-requests.ts'
import { filteredBy, rowsOf } from '../../altering/data-requests.ts'
import { successes } from '../../altering/rewriting.ts'
import type { Fault } from '../../run/proof.ts'

type Json = Record<string, unknown>

const BOTH: DataEndpoint[] = ['transactions', 'account-transactions']

const isPending = ({ Status }: Json) => Status !== 'Booked'

/** The last purchase of a card, as its account shows it. */
const purchase = ({ AccountId }: Json): Json => ({
  AccountId,
  Amount: { Amount: '18.40', Currency: 'GBP' },
  CreditDebitIndicator: 'Debit',
  Status: 'Booked',
  BookingDateTime: '2026-01-12T09:30:00Z',
})

/** Replaces Data in answers with transactions. */
const transactions = (change: (rows: Json[]) => Json | undefined) =>
  successes(['data'], (body) => {
    const { Transaction: rows } = body.Data as { Transaction?: Json[] }
    const Data = rows && change(rows)
    return Data && { ...body, Data }
  })

const faults: Fault[] = [
  {
    id: 'accounts-with-their-last-purchase',
    story:
      'Accounts contain the last transaction of the card, so a consent without a transactions permission shows it.',
    fails: ['TXN-43/nowhere-else'],
    middleware: rowsOf(['accounts', 'account'], (rows) =>
      rows.map((row) => ({ ...row, LatestActivity: [purchase(row)] })),
    ),
  },
  {
    id: 'single-answers-name-the-acquirer',
    story:
      'The transactions of one account name the acquirer as merchant; the bulk list names the shop.',
    fails: [],
    warns: ['TXN-44/as-bulk'],
    middleware: rowsOf(['account-transactions'], (rows) =>
      rows.map((row) =>
        row.MerchantDetails
          ? { ...row, MerchantDetails: { MerchantName: 'Harbour Card Acquiring' } }
          : row,
      ),
    ),
  },
  {
    id: 'no-end-of-the-period-is-year-one',
    story:
      'A consent created without TransactionToDateTime shows 0001-01-01 as its end, although data requests have no such limit.',
    fails: ['TXN-20/as-shown'],
    middleware: consentData((data) =>
      data.Permissions && data.TransactionToDateTime === undefined
        ? { ...data, TransactionToDateTime: '0001-01-01T00:00:00Z' }
        : undefined,
    ),
  },
  {
    id: 'no-start-of-the-period-is-the-creation',
    story:
      'A consent created without TransactionFromDateTime shows its creation time as the start, although data requests ignore it.',
    fails: ['TXN-20/as-shown'],
    middleware: consentData((data) =>
      data.Permissions && data.TransactionFromDateTime === undefined
        ? { ...data, TransactionFromDateTime: data.CreationDateTime }
        : undefined,
    ),
  },
  {
    id: 'directions-open-transactions',
    story:
      'ReadTransactionsCredits or ReadTransactionsDebits alone opens the transaction endpoints, without ReadTransactionsBasic or ReadTransactionsDetail.',
    fails: ['TXN-14/directions-alone'],
    policies: (correct, { fired }) => ({
      permits(permissions, endpoint) {
        const right = correct.permits(permissions, endpoint)
        if (right || !BOTH.includes(endpoint)) return right
        const some = permissions.some((one) => one.startsWith('ReadTransactions'))
        if (some) fired()
        return some
      },
    }),
  },
  {
    id: 'directions-open-one-account',
    story:
      'ReadTransactionsCredits or ReadTransactionsDebits alone opens GET /accounts/{AccountId}/transactions. That service has its own list of permissions.',
    fails: ['TXN-14/directions-alone'],
    policies: (correct, { fired }) => ({
      permits(permissions, endpoint) {
        const right = correct.permits(permissions, endpoint)
        if (right || endpoint !== 'account-transactions') return right
        const some = permissions.some((one) => one.startsWith('ReadTransactions'))
        if (some) fired()
        return some
      },
    }),
  },
  {
    id: 'later-clients-need-no-permission',
    story:
      'Only the first client needs a permission. Permissions are looked up by client, and an unknown client may read everything.',
    fails: ['TXN-14/directions-alone'],
    policies: (correct, { fired }) => {
      let earliest: string | undefined
      return {
        permits(permissions, endpoint) {
          const ctx = currentRequest()
          const clientId = ctx && tokenInfoOf(ctx)?.clientId
          earliest ??= clientId
          const right = correct.permits(permissions, endpoint)
          if (right || clientId === earliest) return right
          fired()
          return true
        },
      }
    },
  },
  {
    id: 'pending-in-bulk-alone',
    story:
      'Pending transactions are in GET /transactions but not in the transactions of one account, which come from the ledger.',
    fails: [],
    warns: ['TXN-40/bulk-and-single'],
    middleware: rowsOf('account-transactions', (rows) =>
      rows.some(isPending) ? rows.filter((row) => !isPending(row)) : undefined,
    ),
  },
  {
    id: 'pending-of-one-account-alone',
    story:
      'Pending transactions are in the transactions of one account but not in GET /transactions, which is built at night.',
    fails: [],
    warns: ['TXN-40/bulk-and-single'],
    middleware: rowsOf('transactions', (rows) =>
      rows.some(isPending) ? rows.filter((row) => !isPending(row)) : undefined,
    ),
  },
  {
    id: 'debits-are-negative',
    story: 'Amounts of debits are negative, although CreditDebitIndicator already says Debit.',
    fails: [],
    warns: ['BAL-20/unsigned', 'TXN-32/unsigned'],
    middleware: rowsOf([...BOTH, 'balances', 'account-balances'], (rows) =>
      rows.map((row) => {
        if (row.CreditDebitIndicator !== 'Debit') return row
        const amount = row.Amount as Json
        return { ...row, Amount: { ...amount, Amount: `-${amount.Amount}` } }
      }),
    ),
  },
  {
    id: 'amounts-as-floating-point-numbers',
    story:
      'Amounts have many digits after the point (18.400000000000001), because they are computed as floating-point numbers.',
    fails: [],
    warns: ['BAL-20/digits', 'TXN-32/digits'],
    middleware: rowsOf([...BOTH, 'balances', 'account-balances'], (rows) =>
      rows.map((row) => {
        const amount = row.Amount as Json
        return { ...row, Amount: { ...amount, Amount: `${amount.Amount}0000000000001` } }
      }),
    ),
  },
  {
    id: 'single-transactions-relabelled',
    story:
      'The transactions of the second card are those of the first card with the requested AccountId.',
    fails: ['TXN-24/one-response'],
    policies: (correct, { fired }) => {
      const primary = new Map<string, Card>()
      return {
        accountIdFor(consentId, cardKey, secret) {
          const id = correct.accountIdFor(consentId, cardKey, secret)
          const { customers } = stateOf(currentRequest() as Context).bank.services
          const owner = customers.find(({ cards }) => cards.some(({ key }) => key === cardKey))
          const [first] = owner?.cards ?? []
          if (first && first.key !== cardKey) primary.set(id, first)
          return id
        },
        rowsBooked(rows, accountId, endpoint) {
          const card = primary.get(accountId)
          if (!card || endpoint !== 'account-transactions') {
            return correct.rowsBooked(rows, accountId, endpoint)
          }
          fired()
          const { started } = stateOf(currentRequest() as Context).bank.services
          return [...transactionsOf(card, started)]
        },
      }
    },
  },
  {
    id: 'transactions-bulk-empty',
    story: 'GET /transactions returns an empty list, although the accounts have transactions.',
    fails: ['TXN-23/all-accounts'],
    policies: (correct, { fired }) => ({
      rowsAnswered(rows, accountId, endpoint) {
        if (endpoint !== 'transactions') return correct.rowsAnswered(rows, accountId, endpoint)
        fired()
        return []
      },
    }),
  },
  {
    id: 'transactions-first-page-only',
    story: 'Transaction lists end after 25 rows, the page size of the core system.',
    fails: ['TXN-24/one-response'],
    policies: (correct, { fired }) => ({
      rowsAnswered(rows, accountId, endpoint) {
        if (rows.length > 25) fired()
        return correct.rowsAnswered(rows, accountId, endpoint).slice(0, 25)
      },
    }),
  },
  {
    id: 'single-transactions-recent-only',
    story:
      'The transactions of one account end after 120 days; GET /transactions has more. One service reads a store with recent data only.',
    fails: ['TXN-24/one-response'],
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const all = correct.rowsBooked(rows, accountId, endpoint)
        if (endpoint !== 'account-transactions') return all
        fired()
        return all.filter((row) => row.booked > Date.now() - 120 * DAY)
      },
    }),
  },
  {
    id: 'every-second-answer-from-a-stale-replica',
    story:
      'Every second response of GET /transactions lacks the newest booked transaction, because one of two replicas is not up to date.',
    fails: [],
    warns: ['TXN-28/second-read', 'TXN-28/kept'],
    policies: (correct, { fired }) => {
      /** Counts answers per account, because answers about other customers may come in between. */
      const answers = new Map<string, number>()
      return {
        rowsAnswered(rows, accountId, endpoint) {
          const all = correct.rowsAnswered(rows, accountId, endpoint)
          if (endpoint !== 'transactions') return all
          const count = (answers.get(accountId) ?? 0) + 1
          answers.set(accountId, count)
          if (count % 2 === 1) return all
          fired()
          return all.filter((row) => row.status !== 'Booked' || row !== all.find(isBooked))
        },
      }
    },
  },
  {
    id: 'booked-ahead',
    story:
      'The newest booked transaction has a BookingDateTime in the future, the day of the statement.',
    fails: [],
    warns: ['TXN-35/not-in-future'],
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const all = correct.rowsBooked(rows, accountId, endpoint)
        const newest = all.find(isBooked)
        if (newest) fired()
        return all.map((row) => (row === newest ? { ...row, booked: Date.now() + 9 * DAY } : row))
      },
    }),
  },
  {
    id: 'debits-spelled-booked-in-capitals',
    story:
      'The Status of booked debits is BOOKED instead of Booked. Credits and debits come from two systems.',
    fails: ['TXN-08/booked-spelled'],
    policies: (correct, { fired }) => ({
      transactionView(accountId, row, detail, policies) {
        const view = correct.transactionView(accountId, row, detail, policies)
        if (row.indicator !== 'Debit' || row.status !== 'Booked') return view
        fired()
        return { ...view, Status: 'BOOKED' }
      },
    }),
  },
  {
    id: 'transactions-without-amounts',
    story: 'Transactions have no Amount, because amounts can change.',
    fails: ['TXN-31/amount'],
    middleware: rowsOf(BOTH, (rows) => rows.map(({ Amount: _, ...row }) => row)),
  },
  {
    id: 'pending-rows-without-currency',
    story: 'Pending transactions have no Amount.Currency.',
    fails: ['TXN-31/amount'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) =>
        row.Status === 'Pending' ? { ...row, Amount: withoutCurrency(row.Amount) } : row,
      ),
    ),
  },
  {
    id: 'pending-rows-without-indicator',
    story: 'Pending transactions have no CreditDebitIndicator.',
    fails: ['TXN-31/indicator'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map(({ CreditDebitIndicator, ...row }) =>
        row.Status === 'Pending' ? row : { ...row, CreditDebitIndicator },
      ),
    ),
  },
  {
    id: 'status-of-booked-rows-only',
    story: 'Pending transactions have no Status.',
    fails: ['TXN-31/status'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map(({ Status, ...row }) => (Status === 'Pending' ? row : { ...row, Status })),
    ),
  },
  {
    id: 'late-bookings-undated',
    story:
      'Transactions booked after 23:00 have no BookingDateTime, because they miss the batch that writes it.',
    fails: ['TXN-31/booking-date-time'],
    middleware: rowsOf(BOTH, (rows) => lateRows(rows, ({ BookingDateTime: _, ...row }) => row)),
  },
  {
    id: 'late-bookings-dated-null',
    story:
      'Transactions booked after 23:00 have BookingDateTime null, because they miss the batch that writes it.',
    fails: ['TXN-31/booking-date-time'],
    middleware: rowsOf(BOTH, (rows) =>
      lateRows(rows, (row) => ({ ...row, BookingDateTime: null })),
    ),
  },
  {
    id: 'booking-times-without-zone',
    story: 'BookingDateTime has no time zone, as in the database.',
    fails: ['TXN-38/rfc-3339'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) => ({
        ...row,
        ...(typeof row.BookingDateTime === 'string' && {
          BookingDateTime: row.BookingDateTime.replace(/(Z|[+-]\d\d:\d\d)$/i, ''),
        }),
      })),
    ),
  },
  {
    id: 'booking-times-that-no-clock-reads',
    story:
      'BookingDateTime is an impossible time (month 00, hour 24), because the system has no value for a required field.',
    fails: ['TXN-38/rfc-3339'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) => ({ ...row, BookingDateTime: '2000-00-00T24:00:00Z' })),
    ),
  },
  {
    id: 'late-bookings-dated-by-day',
    story: 'BookingDateTime of transactions booked after 23:00 is a date without a time.',
    fails: ['TXN-38/rfc-3339'],
    middleware: rowsOf(BOTH, (rows) =>
      lateRows(rows, (row) => ({
        ...row,
        BookingDateTime: String(row.BookingDateTime).slice(0, 10),
      })),
    ),
  },
  {
    id: 'pending-rows-in-the-code-of-iso-20022',
    story:
      'CreditDebitIndicator of pending transactions is DBIT, the code of ISO 20022, instead of Debit.',
    fails: ['TXN-38/credit-or-debit'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) =>
        row.Status === 'Pending' ? { ...row, CreditDebitIndicator: 'DBIT' } : row,
      ),
    ),
  },
  {
    id: 'rows-for-each-holder',
    story:
      'Each transaction is returned twice, because the query joins it with the two holders of the card.',
    fails: [],
    warns: ['TXN-46/apart'],
    middleware: rowsOf(['transactions', 'account-transactions'], (rows) =>
      rows.flatMap((row) => [row, row]),
    ),
  },
  {
    id: 'one-transaction-is-no-list',
    story:
      'Data.Transaction with one transaction is an object, not an array, because it is converted from XML.',
    fails: ['TXN-30/array'],
    middleware: transactions((rows) => (rows.length === 1 ? { Transaction: rows[0] } : undefined)),
  },
  {
    id: 'no-transactions-no-list',
    story:
      'Data.Transaction is missing if there are no transactions, because the serializer leaves out empty lists.',
    fails: ['TXN-30/array'],
    middleware: transactions((rows) => (rows.length === 0 ? {} : undefined)),
  },
  {
    id: 'reservations-outlive-their-booking',
    story:
      'A transaction is listed as pending and as booked, because a reservation is deleted only after a month.',
    fails: [],
    warns: ['TXN-48/not-both'],
    middleware: rowsOf(BOTH, (rows) => {
      const month = new Date(Date.now() - 31 * DAY).toISOString()
      const booked = rows.filter((row) => !isPending(row) && String(row.BookingDateTime) > month)
      const reserved = booked.map(({ BookingDateTime: _, ...row }) => ({
        ...row,
        Status: 'Pending',
      }))
      return reserved.length > 0 ? [...reserved, ...rows] : undefined
    }),
  },
  {
    id: 'archive-overlaps-the-ledger',
    story:
      'Transactions that are 80 to 200 days old are returned twice, because the archive and the ledger both have them.',
    fails: [],
    warns: ['TXN-46/overlap'],
    middleware: rowsOf(BOTH, (rows) => {
      const [from, to] = [200, 80].map((days) => new Date(Date.now() - days * DAY).toISOString())
      const isInBoth = ({ BookingDateTime: at }: Json) =>
        String(at) > String(from) && String(at) < String(to)
      return rows.flatMap((row) => (isInBoth(row) ? [row, row] : [row]))
    }),
  },
  {
    id: 'basic-addresses-of-the-next-row',
    story:
      'A consent with ReadTransactionsBasic gets the AddressLine of the next transaction, because two row numbers begin at 0 and at 1.',
    fails: [],
    warns: ['TXN-44/every-consent'],
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const booked = correct.rowsBooked(rows, accountId, endpoint)
        const ctx = currentRequest()
        const permissions = (ctx && tokenInfoOf(ctx)?.consent?.permissions) ?? []
        if (permissions.includes('ReadTransactionsDetail')) return booked
        const addresses = booked.flatMap(({ address }) => address ?? [])
        if (addresses.length > 1) fired()
        addresses.push(...addresses.splice(0, 1))
        return booked.map((row) =>
          row.address === undefined ? row : { ...row, address: addresses.shift() as string },
        )
      },
    }),
  },
  {
    id: 'merchants-by-place-behind-a-filter',
    story:
      'With a toBookingDateTime filter, transactions have the MerchantName of other transactions. Merchants are assigned by position before the filter.',
    fails: [],
    warns: ['TXN-44/own'],
    policies: (correct, { fired }) => {
      const all = new Map<string, Row[]>()
      return {
        rowsBooked(rows, accountId, endpoint) {
          const booked = correct.rowsBooked(rows, accountId, endpoint)
          all.set(accountId, booked)
          return booked
        },
        rowsAnswered(rows, accountId, endpoint) {
          const answered = correct.rowsAnswered(rows, accountId, endpoint)
          if (!filteredBy('toBookingDateTime')) return answered
          fired()
          const merchants = all.get(accountId) ?? []
          return answered.map(({ merchant: _, ...row }, at) => {
            const { merchant } = merchants[at] ?? {}
            return merchant ? { ...row, merchant } : row
          })
        },
      }
    },
  },
  {
    id: 'merchants-for-addresses',
    story: 'AddressLine contains the merchant name, because the service copies the wrong field.',
    fails: [],
    warns: ['TXN-50/own-text'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) => {
        const { MerchantName } = (row.MerchantDetails ?? {}) as Json
        return MerchantName === undefined ? row : { ...row, AddressLine: MerchantName }
      }),
    ),
  },
  {
    id: 'merchants-for-basic-and-detail-together',
    story:
      'A consent with both ReadTransactionsBasic and ReadTransactionsDetail shows only the basic fields.',
    fails: [],
    warns: ['TXN-51/every-consent'],
    policies: (correct, { fired }) => ({
      detailVisible(permissions, resource) {
        const right = correct.detailVisible(permissions, resource)
        const both = permissions.includes(`Read${resource}Basic`)
        if (!right || resource !== 'Transactions' || both) return right
        fired()
        return false
      },
    }),
  },
  {
    id: 'second-client-without-addresses',
    story:
      'The second client gets no AddressLine. The contract with the supplier of addresses names only the TPPs of that time.',
    fails: [],
    warns: ['TXN-51/every-consent'],
    middleware: rowsOf(BOTH, (rows, ctx) =>
      tokenInfoOf(ctx)?.client === 'second'
        ? rows.map(({ AddressLine: _, ...row }) => row)
        : undefined,
    ),
  },
  {
    id: 'credits-and-debits-turned-round',
    story:
      'Credit and Debit of transactions are exchanged. The ledger writes them from the view of the bank.',
    fails: [],
    warns: ['TXN-07/merchants'],
    policies: (correct, { fired }) => ({
      transactionView(accountId, row, detail, spelling) {
        fired()
        return correct.transactionView(accountId, turned(row), detail, spelling)
      },
      directionAllowed: (row, permissions) => correct.directionAllowed(turned(row), permissions),
    }),
  },
  {
    id: 'detail-of-accounts-shows-merchants',
    story:
      'ReadAccountsDetail also shows transactions in detail, because accounts and transactions share one flag.',
    fails: [],
    warns: ['TXN-26/basic-hides-merchant'],
    policies: (correct, { fired }) => ({
      detailVisible(permissions, resource) {
        const right = correct.detailVisible(permissions, resource)
        if (
          right ||
          !['Accounts', 'Transactions'].some((one) => permissions.includes(`Read${one}Detail`))
        )
          return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'amounts-in-pence',
    story: 'Amounts of transactions are in pence instead of pounds.',
    fails: [],
    warns: ['TXN-49/within-the-line'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) => {
        const { Amount, Currency } = row.Amount as Json
        return { ...row, Amount: { Amount: `${Math.round(Number(Amount) * 100)}`, Currency } }
      }),
    ),
  },
  {
    id: 'amounts-of-nothing',
    story: 'Every transaction has the amount 0.00, because the service reads the column of fees.',
    fails: [],
    warns: ['TXN-49/worth'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) => ({ ...row, Amount: { Amount: '0.00', Currency: 'GBP' } })),
    ),
  },
]

const turned = <Row extends { indicator: 'Credit' | 'Debit' }>(row: Row): Row => ({
  ...row,
  indicator: row.indicator === 'Debit' ? 'Credit' : 'Debit',
})

function withoutCurrency(amount: unknown): Json {
  const { Currency: _, ...rest } = amount as Json
  return rest
}

/** Changes the rows that were booked after 23:00. */
function lateRows(rows: Json[], change: (row: Json) => Json): Json[] {
  return rows.map((row) =>
    row.Status === 'Booked' && /T23:/i.test(String(row.BookingDateTime)) ? change(row) : row,
  )
}

function isBooked(row: { status: string }): boolean {
  return row.status === 'Booked'
}

export default faults
