import { createHash, randomInt } from 'node:crypto'
import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import type { Row } from '../../bank/data/transactions.ts'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import type { Policies } from '../../bank/policies.ts'
import { DAY, HOUR } from '../../engine/record/durations.ts'
import { rowsOf } from '../altering/data-requests.ts'
import { answers, elements, type Json, partOf, successes } from '../altering/rewriting.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobin, roundRobinOf } from '../run/round-robin.ts'

/** An answer in which the first balance changes every two seconds, and has the time of its last change. */
function withBalanceOfNow(body: Json): Json {
  const { Balance: rows } = body.Data as { Balance?: Json[] }
  if (!rows) return body
  const changed = Date.now() - (Date.now() % 2000)
  const Balance = rows.map((row, index) => {
    const Amount = { ...(row.Amount as Json), Amount: pound((changed / 2000) % 100_000) }
    return index === 0 ? { ...row, Amount, DateTime: new Date(changed).toISOString() } : row
  })
  return { ...body, Data: { ...(body.Data as Json), Balance } }
}

/** Milliseconds for which a gateway keeps an answer. */
const KEPT = 5000

const cached = ofEachBank(() => new Map<string, { body: Json; at: number }>())

const pound = (pence: number) => (pence / 100).toFixed(2)

const seen = answers((ctx) => partOf(ctx) === 'data')

/** A number for a row that is the same in every answer, because it comes from the bank's id of the row. */
const kindOf = (row: Json, kinds: number) =>
  Number.parseInt(String(row.TransactionId).slice(0, 4), 16) % kinds

/** When the latest purchase was booked, which not all books have: 25 hours ago. */
const bookedLately = ofEachBank(() => Math.floor(Date.now() / 1000 - 25 * 3600) * 1000)

/** Twenty hours and a minute ago, when the cards were first used. */
const yesterday = ofEachBank(() => Math.floor(Date.now() / 1000 - 20 * 3600 - 60) * 1000)

/** Different spellings of a merchant's name, from several sources. */
const spelling = roundRobin<(name: string) => string>([
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => `${name.slice(0, 12)}*`,
])

/** Times of rows from a system that did not store the day, and the leap second of 31 December 2016. */
const ODD_TIMES = [
  '1970-01-01T00:00:00Z',
  '1899-12-31T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '2017-01-01T00:00:00Z',
].map((text) => Date.parse(text))

const variants: Variant[] = [
  {
    id: 'rows-of-1899-and-of-a-leap-second',
    story:
      'Some old transactions have a BookingDateTime in 1970, 1899 or year 1, from a system without dates, and one is in a leap second, 23:59:60 (RFC 3339 5.6). How far the history reaches is open.',
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const booked = correct.rowsBooked(rows, accountId, endpoint)
        const oldest = booked.length - ODD_TIMES.length
        if (oldest < 3) return booked
        fired()
        return booked.map((row, at) => ({ ...row, booked: ODD_TIMES[at - oldest] ?? row.booked }))
      },
      dateTimeOf: (instant) =>
        instant === ODD_TIMES[3] ? '2016-12-31T23:59:60Z' : correct.dateTimeOf(instant),
    }),
  },
  {
    id: 'booked-at-one-instant',
    story:
      'All transactions have the same BookingDateTime, the time at which the cards were moved to a new system. How far the history reaches is open.',
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        fired()
        const moved = Math.floor((Date.now() - 40 * DAY) / DAY) * DAY
        return correct
          .rowsBooked(rows, accountId, endpoint)
          .map((row) => ({ ...row, booked: moved }))
      },
    }),
    blocks: [
      'TXN-16/close',
      'TXN-16/from-alone',
      'TXN-17/both',
      'TXN-17/close',
      'TXN-17/concurrent',
      'TXN-17/nothing-to-drop',
      'TXN-17/reversed',
      'TXN-17/to-alone',
      'TXN-18/spellings',
      'TXN-20/end-alone',
      'TXN-20/inside',
      'TXN-20/nothing-missing',
      'TXN-24/one-response',
    ],
    because: 'Of bookings at one instant no filter and no period can show any to be left out.',
  },
  {
    id: 'no-transactions',
    story: 'The cards have no transactions; the arrays are empty.',
    settings: { data: { transactions: 0 } },
    middleware: seen,
    blocks: [
      'DATA-08/concurrent',
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
      'TXN-16/close',
      'TXN-16/far',
      'TXN-16/from-alone',
      'TXN-17/concurrent',
      'TXN-17/both',
      'TXN-17/close',
      'TXN-17/far',
      'TXN-17/nothing-to-drop',
      'TXN-17/reversed',
      'TXN-17/to-alone',
      'TXN-18/spellings',
      'TXN-20/inside',
      'TXN-20/nothing-missing',
      'TXN-20/end-alone',
      'TXN-20/ends-later',
      'TXN-23/all-accounts',
      'TXN-24/one-response',
      'TXN-31/amount',
      'TXN-31/booking-date-time',
      'TXN-31/indicator',
      'TXN-31/status',
      'TXN-38/credit-or-debit',
      'TXN-38/rfc-3339',
      'TXN-39/bulk-equals-single',
    ],
    because:
      'Without a row no filter, no field and no right to see it can be told from its absence.',
  },
  {
    id: 'bookings-shown-to-the-minute',
    story:
      'BookingDateTime shows only the minute, but filters compare the second. How precise BookingDateTime is, is not said.',
    middleware: rowsOf(['transactions', 'account-transactions'], (rows) =>
      rows.map((row) => ({
        ...row,
        ...(typeof row.BookingDateTime === 'string' && {
          BookingDateTime: row.BookingDateTime.replace(/:\d\d(\.\d+)?(Z|\+00:00)$/i, ':00$2'),
        }),
      })),
    ),
  },
  {
    id: 'fractions-of-a-second-in-the-list-alone',
    story:
      'BookingDateTime has milliseconds in GET /transactions and only seconds for one account, because two services answer. RFC 3339 leaves the number of digits open.',
    policies: (correct) => ({
      rowsBooked: (rows, accountId, endpoint) =>
        correct.rowsBooked(rows, accountId, endpoint).map((row) => ({
          ...row,
          booked: row.booked + (Number.parseInt(row.id.slice(0, 4), 16) % 1000),
        })),
    }),
    middleware: rowsOf('account-transactions', (rows) =>
      rows.map((row) => ({
        ...row,
        BookingDateTime: String(row.BookingDateTime).replace(/\.\d+/, ''),
      })),
    ),
  },
  {
    id: 'three-transactions',
    story: 'Each card has two pending transactions and one booked transaction.',
    settings: { data: { transactions: 3 } },
    middleware: seen,
    blocks: [
      'TXN-17/both',
      'TXN-17/close',
      'TXN-17/nothing-to-drop',
      'TXN-17/reversed',
      'TXN-20/nothing-missing',
    ],
    because:
      'One booked row per card has not enough of them around two instants, nor in the period.',
  },
  {
    id: 'ninety-days-of-history',
    story:
      'Only the last 90 days of transactions are available. How far the history reaches is open.',
    policies: (_correct, { fired }) => ({
      rowsBooked(rows) {
        const start = (Math.floor(Date.now() / DAY) - 90) * DAY
        if (rows.some(({ booked }) => booked < start)) fired()
        return rows.filter(({ booked }) => booked >= start)
      },
    }),
  },
  {
    id: 'period-of-the-bank-is-shown',
    story:
      'A consent created without a transaction period shows one that begins 90 days before its creation. What the period is then is not shown.',
    policies: (correct, { fired }) => ({
      rowsBooked(rows) {
        const start = (Math.floor(Date.now() / DAY) - 90) * DAY
        return rows.filter(({ booked }) => booked >= start)
      },
      consentView(consent, spelling) {
        const { kind, created, transactionsFrom: from } = consent
        if (kind !== 'account-access' || from !== undefined) {
          return correct.consentView(consent, spelling)
        }
        fired()
        const transactionsFrom = created - 90 * DAY
        return correct.consentView({ ...consent, transactionsFrom }, spelling)
      },
    }),
  },
  {
    id: 'history-shorter-after-a-refresh',
    story:
      'The first token reads all transactions, a refreshed token the last thirteen months. How far the history reaches is open.',
    warns: ['TXN-28/kept'],
    because: 'A booked transaction should stay; this bank shows older ones to the customer alone.',
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const all = correct.rowsBooked(rows, accountId, endpoint)
        const ctx = currentRequest()
        if (!ctx || !tokenInfoOf(ctx)?.refreshed) return all
        fired()
        const start = Date.now() - 396 * DAY
        return all.filter(({ booked }) => booked >= start)
      },
    }),
  },
  {
    id: 'ninety-days-while-nobody-looks',
    story:
      'Without x-fapi-customer-ip-address, only 90 days of transactions are available. How far the history reaches is open.',
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const all = correct.rowsBooked(rows, accountId, endpoint)
        if (currentRequest()?.get('x-fapi-customer-ip-address') !== '') return all
        fired()
        return all.filter(({ booked }) => booked >= Date.now() - 90 * DAY)
      },
    }),
  },
  {
    id: 'books-of-the-night-before-while-nobody-looks',
    story:
      'Without x-fapi-customer-ip-address, the latest booked transaction is missing, because these requests get the data of an earlier night. How current a response is, is not said.',
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const all = correct.rowsBooked(rows, accountId, endpoint)
        const one = all.find(({ status }) => status === 'Booked')
        if (!one) return all
        if (currentRequest()?.get('x-fapi-customer-ip-address') === '') {
          fired()
          return all
        }
        const lately = { ...one, id: `late-${one.id}`, booked: bookedLately() }
        return [...all, lately].sort((a, b) => b.booked - a.booked)
      },
    }),
  },
  {
    id: 'one-of-two-replicas-is-behind',
    story:
      'Every second response lacks the latest booked transaction, because one of two servers is not up to date. The document does not promise that all are.',
    policies: (correct, { fired }) => {
      const isBehind = roundRobin([false, true])
      return {
        rowsBooked(rows, accountId, endpoint) {
          const all = correct.rowsBooked(rows, accountId, endpoint)
          const one = all.find(({ status }) => status === 'Booked')
          if (!one || isBehind(accountId)) return all
          fired()
          const lately = { ...one, id: `late-${one.id}`, booked: bookedLately() }
          return [...all, lately].sort((a, b) => b.booked - a.booked)
        },
      }
    },
  },
  {
    id: 'cards-of-yesterday-and-a-replica-behind',
    story:
      'The cards are one day old, so all transactions are recent. Every second response lacks the latest one, because one of two servers is not up to date.',
    blocks: [
      'TXN-16/close',
      'TXN-17/close',
      'TXN-20/end-alone',
      'TXN-20/ends-later',
      'TXN-39/bulk-equals-single',
    ],
    because: 'What was booked lately, each server may show at another time, or not at all.',
    policies: (correct, { fired }) => {
      const isBehind = roundRobin([false, true])
      return {
        rowsBooked(rows, accountId, endpoint) {
          const all = correct
            .rowsBooked(rows, accountId, endpoint)
            .map((row, index) =>
              row.status === 'Booked' ? { ...row, booked: yesterday() - index * 600_000 } : row,
            )
          const one = all.find(({ status }) => status === 'Booked')
          if (!one || isBehind(accountId)) return all
          fired()
          const lately = { ...one, id: `late-${one.id}`, booked: yesterday() + 20 * HOUR }
          return [...all, lately].sort((a, b) => b.booked - a.booked)
        },
      }
    },
  },
  {
    id: 'ninety-days-some-time-after-the-login',
    story:
      'Shortly after the login all transactions are available, later only 90 days. How far the history reaches is open.',
    policies: (correct, { fired }) => {
      const reads = new WeakMap<object, { count: number; latest?: unknown }>()
      /**
       * Is it one of the first answers under the consent? Counted, because time limits depend on the machine's speed.
       */
      const isFresh = (consent: object) => {
        const known = reads.get(consent) ?? { count: 0 }
        const request = currentRequest()
        if (known.latest !== request) known.count += 1
        reads.set(consent, { count: known.count, latest: request })
        return known.count <= FRESH
      }
      return {
        withinConsentPeriod(row, consent, endpoint) {
          const isWithin = correct.withinConsentPeriod(row, consent, endpoint)
          const ninetyDaysAgo = Date.now() - 90 * DAY
          if (isFresh(consent) || !isWithin || row.booked > ninetyDaysAgo) return isWithin
          fired()
          return false
        },
      }
    },
  },
  {
    id: 'booked-for-the-next-working-day',
    story:
      'The newest booked transaction has a BookingDateTime in the future, the next working day; a filter that ends earlier leaves it out. BookingDateTime is "when the transaction was booked".',
    warns: ['TXN-35/not-in-future'],
    because: 'A booked transaction should have been booked in the past.',
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const [newest, ...rest] = correct.rowsBooked(rows, accountId, endpoint)
        if (!newest) return rest
        fired()
        const booked = (Math.floor(Date.now() / DAY) + 3) * DAY
        return [{ ...newest, status: 'Booked', booked }, ...rest]
      },
    }),
  },
  {
    id: 'booked-late-between-two-requests',
    story:
      'During the run, a transaction is booked late with a BookingDateTime weeks ago, within a requested range.',
    ...bookedLate(),
  },
  {
    id: 'transaction-ids-like-card-numbers',
    story:
      'TransactionIds have sixteen digits and pass the check-digit test of card numbers. TransactionId is not in the table of transactions.',
    middleware: elements('Transaction', (row, index) => ({
      ...row,
      // Both pass the check-digit test of card numbers (ISO/IEC 7812-1).
      TransactionId: index % 2 === 0 ? '4000000000000002' : '4000000000000010',
    })),
  },
  {
    id: 'references-as-long-as-card-numbers',
    story:
      'The text of a transaction has a sixteen-digit order number; one in ten passes the check-digit test of card numbers. What this text contains is not shown.',
    middleware: elements('Transaction', (row) => {
      const { MerchantDetails: merchant, TransactionInformation: text } = row
      if (merchant === undefined || text === undefined) return row
      const digest = createHash('sha256').update(String(row.TransactionId)).digest()
      const order = `40${digest.readBigUInt64BE().toString().padStart(20, '0').slice(-14)}`
      return { ...row, TransactionInformation: `${text} ORDER ${order}` }
    }),
  },
  {
    id: 'transaction-ids-come-and-go',
    story:
      'Some transactions have no TransactionId, others a new one in each response. TransactionId is not in the table of transactions.',
    middleware: elements(
      'Transaction',
      roundRobinOf<[Json], Json>(
        ({ TransactionId: _id, ...row }) => row,
        (row) => ({ ...row, TransactionId: String(randomInt(1e12)) }),
      ),
    ),
  },
  {
    id: 'transaction-ids-count-by-status',
    story:
      'TransactionIds count from 1 in each list, separately for pending and booked transactions. TransactionId is not in the table of transactions.',
    middleware: rowsOf(['transactions', 'account-transactions'], (rows) => {
      return rows.map((row, index) => {
        const before = rows.slice(0, index).filter(({ Status }) => Status === row.Status)
        return { ...row, TransactionId: String(before.length + 1) }
      })
    }),
  },
  {
    id: 'pairs-of-coffees-without-ids',
    story:
      'Some transactions are equal in all fields, without TransactionId, dated by the day, with another one between them. Some amounts are zero, as when a shop checks a card. The document does not say that transactions differ.',
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        fired()
        return correct.rowsBooked(rows, accountId, endpoint).map((row, index, all) => {
          const twin = index % 3 === 1 ? all[index - 1] : undefined
          const isLike = twin?.status === row.status && twin.indicator === row.indicator
          const { booked, ...same } = isLike && twin ? twin : row
          return {
            ...same,
            amount: index % 5 === 2 ? 0 : same.amount,
            booked: booked - (booked % DAY),
          }
        })
      },
      transactionView(...about) {
        const { TransactionId: _id, ...view } = correct.transactionView(...about)
        return view
      },
    }),
  },
  {
    id: 'monthly-fees-of-two-holders-on-each-card',
    story:
      'Each card has two equal fees on the first of each month, one for each holder, without TransactionId. The document does not say that transactions differ.',
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const booked = correct.rowsBooked(rows, accountId, endpoint)
        if (booked.length === 0) return booked
        fired()
        const fees = Array.from({ length: 40 }, (_, index) => ({
          ...fee,
          id: `fee ${index}`,
          booked: firstOfMonth(2 + Math.floor(index / 2)),
        }))
        return [...booked, ...fees].sort((one, other) => other.booked - one.booked)
      },
      transactionView(...about) {
        const { TransactionId: _id, ...view } = correct.transactionView(...about)
        return view
      },
    }),
  },
  {
    id: 'merchants-with-any-signs',
    story:
      'Merchant names contain backslashes and percent signs that look like escape sequences. A name is any text.',
    middleware: elements('Transaction', (row) =>
      row.MerchantDetails
        ? {
            ...row,
            MerchantDetails: { MerchantName: 'A\\U2 100%20 OFF %2 \\u20' },
            AddressLine: 'https://shop.example/a%20b',
          }
        : row,
    ),
  },
  {
    id: 'books-that-move',
    story:
      'During the run, amounts change, pending transactions are booked and new ones appear. "Transaction amounts can change after the transaction is first created".',
    policies: (_correct, { fired }) => movingBooks(fired),
    middleware: elements('Transaction', (row, index) =>
      index % 3 === 0
        ? { ...row, Amount: { ...(row.Amount as Json), Amount: pound(100 + randomInt(9999)) } }
        : row,
    ),
  },
  {
    id: 'answers-cached-by-address',
    story:
      'The gateway caches each data response for some seconds by token and address, while transactions are booked and amounts change. How current a response is, is not said.',
    policies: (_correct, { fired }) => movingBooks(fired),
    middleware: successes(['data'], (body, ctx) => {
      const key = `${ctx.get('authorization')} ${ctx.method} ${ctx.url}`
      const kept = cached().get(key)
      if (kept && Date.now() - kept.at < KEPT) return kept.body
      const made = withBalanceOfNow(body)
      cached().set(key, { body: made, at: Date.now() })
      return made
    }),
  },
  {
    id: 'twins-of-whole-days',
    story: 'All transactions are booked at midnight, and some are equal in all documented fields.',
    policies: (_correct, { fired }) => ({
      rowsBooked(rows) {
        fired()
        return rows.map((row, index) => {
          const twin = rows[index - (index % 3)]
          const isLike = twin?.status === row.status && twin.indicator === row.indicator
          const same = isLike ? { ...twin, id: row.id } : row
          return { ...same, booked: same.booked - (same.booked % DAY) }
        })
      },
    }),
  },
  {
    id: 'booked-rows-within-the-bounds',
    story:
      'Only booked transactions are listed, and filters exclude the given times themselves: "booked after and before the given time" (AMB-18).',
    policies: (_correct, { fired }) => ({
      rowsBooked(rows) {
        fired()
        return rows.filter(({ status }) => status === 'Booked')
      },
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
    id: 'pending-rows-in-other-words',
    story:
      'Pending transactions have no BookingDateTime, or Status Held or Declined. BookingDateTime is "when the transaction was booked", and the full list of values of Status is not shown.',
    middleware: elements('Transaction', ({ BookingDateTime, ...row }) => {
      if (row.Status !== 'Pending') return { ...row, BookingDateTime }
      const kind = kindOf(row, 3)
      return kind === 0
        ? row
        : { ...row, BookingDateTime, Status: kind === 1 ? 'Held' : 'Declined' }
    }),
  },
  {
    id: 'pending-rows-that-are-being-booked',
    story:
      'Pending transactions have Status Booking. The full list of values of Status is not shown.',
    middleware: elements('Transaction', (row) =>
      row.Status === 'Pending' ? { ...row, Status: 'Booking' } : row,
    ),
  },
  {
    id: 'pending-rows-in-words-of-each-service',
    story:
      'Pending transactions have Status Pending in GET /transactions and Authorised for one account. The full list of values of Status is not shown.',
    middleware: rowsOf('account-transactions', (rows) =>
      rows.map((row) => (row.Status === 'Pending' ? { ...row, Status: 'Authorised' } : row)),
    ),
  },
  {
    id: 'merchants-and-addresses-of-some',
    story:
      'Some transactions have no MerchantDetails and AddressLine, some have MerchantDetails without a name or empty. The document does not require them (AMB-17).',
    middleware: elements('Transaction', ({ MerchantDetails, AddressLine, ...row }) => {
      const kind = kindOf(row, 3)
      if (kind === 0) return row
      const hidden = MerchantDetails === undefined
      const anonymous = kind === 1 && (hidden ? {} : { MerchantCategoryCode: '5411' })
      return {
        ...row,
        AddressLine,
        ...((anonymous || !hidden) && { MerchantDetails: anonymous || MerchantDetails }),
      }
    }),
  },
  {
    id: 'merchants-left-blank',
    story:
      'If there is no merchant, or it may not be shown, MerchantName is an empty string and the category null.',
    middleware: elements('Transaction', (row) => ({
      MerchantDetails: { MerchantName: '', MerchantCategoryCode: null },
      ...row,
    })),
  },
  {
    id: 'shops-named-for-their-street',
    story:
      'AddressLine of some transactions is the merchant name in upper case, because the shop is named after its street. How an address is written is not said.',
    middleware: elements('Transaction', (row) => {
      const { MerchantName } = (row.MerchantDetails ?? {}) as Json
      const isCalledSo = MerchantName !== undefined && kindOf(row, 2) > 0
      return isCalledSo ? { ...row, AddressLine: String(MerchantName).toUpperCase() } : row
    }),
  },
  {
    id: 'shops-in-the-web',
    story:
      'MerchantName is the web address of the shop, and AddressLine the same in upper case. How an address is written is not said.',
    middleware: elements('Transaction', (row) => {
      const { MerchantName } = (row.MerchantDetails ?? {}) as Json
      if (MerchantName === undefined) return row
      const name = `${String(MerchantName).toLowerCase().replace(/\W+/g, '-')}.co.uk`
      const AddressLine = name.toUpperCase()
      return { ...row, AddressLine, MerchantDetails: { MerchantName: name } }
    }),
  },
  {
    id: 'pending-rows-behind-any-filter',
    story:
      'Pending transactions are in every response, whatever the filter, because filters restrict to booked ones.',
    policies: (correct, { fired }) => ({
      bookedWithin(row, period, endpoint) {
        const right = correct.bookedWithin(row, period, endpoint)
        if (right || row.status !== 'Pending') return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'merchants-found-out-later',
    story:
      'MerchantName and AddressLine are written differently in different responses. The document does not say that they stay the same.',
    middleware: rowsOf(['transactions', 'account-transactions'], (rows) => {
      const spelt = spelling()
      return rows.map((row) => ({
        ...row,
        ...(row.AddressLine !== undefined && { AddressLine: spelt(String(row.AddressLine)) }),
        ...(row.MerchantDetails !== undefined && {
          MerchantDetails: { MerchantName: spelt(JSON.stringify(row.MerchantDetails)) },
        }),
      }))
    }),
  },
]

const fee = {
  amount: 300,
  indicator: 'Debit',
  status: 'Booked',
  information: 'MONTHLY FEE',
} as const

/** Midnight of the first day of the month so many months ago. */
function firstOfMonth(ago: number): number {
  const now = new Date()
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)
}

/** Number of answers with all transactions after a login. */
const FRESH = 40

/** From time to time a pending row is booked, and a new one appears. */
function movingBooks(fired: () => void): Partial<Policies> {
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
        bought.unshift({ ...model, id: `${calls}-new`, booked, status: 'Booked' })
        fresh.set(accountId, bought)
      }
      const moved = rows.map((row) =>
        row.status === 'Pending' && calls % 7 >= 3 ? { ...row, status: 'Booked' as const } : row,
      )
      return [...bought, ...moved]
    },
  }
}

/** A request for a period between a card's rows, without any row in it, adds one in the middle of the period. */
function bookedLate(): Pick<Variant, 'policies'> {
  return {
    policies: (correct, { fired }) => {
      // AccountIds depend on the consent, so a card is identified by its first transaction.
      const late = new Map<string, Row[]>()
      return {
        rowsBooked(rows, accountId, endpoint) {
          const booked = correct.rowsBooked(rows, accountId, endpoint)
          const oldest = booked.at(-1)
          const newest = booked.find(({ status }) => status === 'Booked')
          if (!oldest || !newest) return booked
          const added = late.get(oldest.id) ?? []
          const all = [...booked, ...added]
          const { fromBookingDateTime, toBookingDateTime } = currentRequest()?.query ?? {}
          const from = Date.parse(String(fromBookingDateTime))
          const to = Date.parse(String(toBookingDateTime))
          const among = oldest.booked < from && to < newest.booked
          if (
            among &&
            to - from > DAY &&
            !all.some((row) => row.booked > from && row.booked < to)
          ) {
            const row = { ...newest, id: `${newest.id}-${all.length}`, booked: (from + to) / 2 }
            late.set(oldest.id, [...added, row])
            all.push(row)
            fired()
          }
          return all.sort((one, other) => other.booked - one.booked)
        },
      }
    },
  }
}

export default variants
