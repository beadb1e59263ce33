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
      'The page of the bank shows the last purchase beside each card, and has the same service.',
    fails: ['TXN-43/nowhere-else'],
    middleware: rowsOf(['accounts', 'account'], (rows) =>
      rows.map((row) => ({ ...row, LatestActivity: [purchase(row)] })),
    ),
  },
  {
    id: 'single-answers-name-the-acquirer',
    story:
      'The list of one account comes from the clearing, where the merchant is who collects the money.',
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
    story: 'An end that was not sent is the zero of its type; data are looked for without any.',
    fails: ['TXN-20/as-shown'],
    middleware: consentData((data) =>
      data.Permissions && data.TransactionToDateTime === undefined
        ? { ...data, TransactionToDateTime: '0001-01-01T00:00:00Z' }
        : undefined,
    ),
  },
  {
    id: 'no-start-of-the-period-is-the-creation',
    story: 'The column of the start has the time of the row as its default; data ignore it.',
    fails: ['TXN-20/as-shown'],
    middleware: consentData((data) =>
      data.Permissions && data.TransactionFromDateTime === undefined
        ? { ...data, TransactionFromDateTime: data.CreationDateTime }
        : undefined,
    ),
  },
  {
    id: 'directions-open-transactions',
    story: 'Any permission whose name begins with ReadTransactions opens both endpoints.',
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
    story: 'The service of single accounts keeps its own list of permissions, with all four in it.',
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
      'Permissions are looked up by client and consent; where the client is not found, all pass.',
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
    story: 'The history of one account comes from the ledger, where only booked rows stand.',
    fails: [],
    warns: ['TXN-40/bulk-and-single'],
    middleware: rowsOf('account-transactions', (rows) =>
      rows.some(isPending) ? rows.filter((row) => !isPending(row)) : undefined,
    ),
  },
  {
    id: 'pending-of-one-account-alone',
    story: 'The list over all accounts is built at night, when nothing is pending.',
    fails: [],
    warns: ['TXN-40/bulk-and-single'],
    middleware: rowsOf('transactions', (rows) =>
      rows.some(isPending) ? rows.filter((row) => !isPending(row)) : undefined,
    ),
  },
  {
    id: 'debits-are-negative',
    story:
      'The ledger keeps debits as negative numbers, and the mapper adds the indicator to them.',
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
    story: 'Amounts are computed in pounds, and written as the language writes such numbers.',
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
    story: 'A mapper puts the requested id on rows that were read from the other card.',
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
    story: 'The bulk endpoint was built last and reads from a table that nothing fills.',
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
    story: 'The core system returns pages of 25 rows, and nobody asks for the second.',
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
    story: 'The single address reads the online store, which keeps 120 days.',
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
    story: 'Reads alternate between two replicas, one of which is a batch behind.',
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
    story: 'The newest row carries the day on which the statement will show it.',
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
    story: 'Credits and debits come from two systems, and one spells its states in capitals.',
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
    story: 'Amounts can change, so they are left to the statement.',
    fails: ['TXN-31/amount'],
    middleware: rowsOf(BOTH, (rows) => rows.map(({ Amount: _, ...row }) => row)),
  },
  {
    id: 'pending-rows-without-currency',
    story: 'The currency of a purchase is settled when it is booked.',
    fails: ['TXN-31/amount'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) =>
        row.Status === 'Pending' ? { ...row, Amount: withoutCurrency(row.Amount) } : row,
      ),
    ),
  },
  {
    id: 'pending-rows-without-indicator',
    story: 'What is reserved on a card is a debit, and the indicator comes with the booking.',
    fails: ['TXN-31/indicator'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map(({ CreditDebitIndicator, ...row }) =>
        row.Status === 'Pending' ? row : { ...row, CreditDebitIndicator },
      ),
    ),
  },
  {
    id: 'status-of-booked-rows-only',
    story: 'What is pending has no status in the books, so its rows have none.',
    fails: ['TXN-31/status'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map(({ Status, ...row }) => (Status === 'Pending' ? row : { ...row, Status })),
    ),
  },
  {
    id: 'late-bookings-undated',
    story: 'What is bought after 23:00 is booked, and misses the batch that writes the time.',
    fails: ['TXN-31/booking-date-time'],
    middleware: rowsOf(BOTH, (rows) => lateRows(rows, ({ BookingDateTime: _, ...row }) => row)),
  },
  {
    id: 'late-bookings-dated-null',
    story: 'What is bought after 23:00 is booked, and misses the batch that replaces the null.',
    fails: ['TXN-31/booking-date-time'],
    middleware: rowsOf(BOTH, (rows) =>
      lateRows(rows, (row) => ({ ...row, BookingDateTime: null })),
    ),
  },
  {
    id: 'booking-times-without-zone',
    story: 'Everything is UTC, so the zone is left out, as the database keeps it.',
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
    story: 'The new system has no time of a booking, and its field for it must not be empty.',
    fails: ['TXN-38/rfc-3339'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) => ({ ...row, BookingDateTime: '2000-00-00T24:00:00Z' })),
    ),
  },
  {
    id: 'late-bookings-dated-by-day',
    story: 'What is bought after 23:00 misses the batch, and is dated by its day.',
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
    story: 'Reservations come from the card processor, whose messages are ISO 20022.',
    fails: ['TXN-38/credit-or-debit'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) =>
        row.Status === 'Pending' ? { ...row, CreditDebitIndicator: 'DBIT' } : row,
      ),
    ),
  },
  {
    id: 'rows-for-each-holder',
    story: 'Rows are joined with the holders of the card, of whom there are two.',
    fails: [],
    warns: ['TXN-46/apart'],
    middleware: rowsOf(['transactions', 'account-transactions'], (rows) =>
      rows.flatMap((row) => [row, row]),
    ),
  },
  {
    id: 'one-transaction-is-no-list',
    story: 'The ledger speaks XML, and what is converted is a list where there are two of it.',
    fails: ['TXN-30/array'],
    middleware: transactions((rows) => (rows.length === 1 ? { Transaction: rows[0] } : undefined)),
  },
  {
    id: 'no-transactions-no-list',
    story: 'The serializer leaves out what is empty, and lists are no exception.',
    fails: ['TXN-30/array'],
    middleware: transactions((rows) => (rows.length === 0 ? {} : undefined)),
  },
  {
    id: 'reservations-outlive-their-booking',
    story: 'A reservation lapses after a month, whether it was booked meanwhile or not.',
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
    story: 'Rows go to the archive after 80 days, and leave the ledger after 200.',
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
      'What a basic consent may see is a view of its own, which joins the addresses by a number that begins at 0 there, and at 1 here.',
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
    story: 'Merchants come as a list of their own, and are put to the rows by their place in it.',
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
    story: 'The mapper has one line twice, and the second was not adapted.',
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
    story: 'Detail is an addition to basic, so whoever holds one of them gets what is basic.',
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
    story: 'Addresses are bought, and the contract about them names the TPPs of that time.',
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
      'The ledger of cards counts from the side of the bank, to which a purchase is owed, and the sign was taken over.',
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
    story: 'Accounts and transactions share one flag of detail, which a permission of either sets.',
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
    story: 'The ledger keeps pence, and the mapper of transactions writes them as they are.',
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
    story: 'The amount is read from the column of fees, which is 0 nearly everywhere.',
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
