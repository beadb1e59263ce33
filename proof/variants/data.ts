import { randomInt } from 'node:crypto'
import type { Row } from '../../bank/data/transactions.ts'
import type { Policies } from '../../bank/policies.ts'
import { currentRequest } from '../../bank/request-context.ts'
import { stateOf } from '../../bank/state.ts'
import { tokenInfoOf } from '../../bank/token-info.ts'
import { rowsOf } from '../data-requests.ts'
import type { Variant } from '../proof.ts'
import { answers, elements, type Json, partOf, successes } from '../rewriting.ts'
import { roundRobin, roundRobinOf, roundRobinPerKey } from '../round-robin.ts'

const pound = (pence: number) => (pence / 100).toFixed(2)

function shuffled<T>(values: readonly T[]): T[] {
  const rest = [...values]
  return values.map(() => rest.splice(randomInt(rest.length), 1)[0] as T)
}

const seen = answers((ctx) => partOf(ctx) === 'data')

const reordered = roundRobinOf<[unknown[]], unknown[]>(shuffled, (rows) => rows.toReversed())

/** A kind of row that is the same in every answer, told by the id that the bank gives it. */
const kindOf = (row: Json, kinds: number) =>
  Number.parseInt(String(row.TransactionId).slice(0, 4), 16) % kinds

/** What a name is before anybody has looked it up, and what two sources say of it. */
const spelling = roundRobin<(name: string) => string>([
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => `${name.slice(0, 12)}*`,
])

/** Without what tells of its card. */
const withCreditLine = roundRobin([true, false])
const maskOf = roundRobin(['************', '•••• •••• •••• ', ''])

const bare = ({ Account: _card, ...row }: Json): Json => row

const theDayBefore = (moment: string) =>
  new Date(Date.parse(moment) - 24 * 60 * 60 * 1000).toISOString()

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
      'ACC-21/selected',
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
      'TXN-16/from-alone',
      'TXN-17/both',
      'TXN-17/nothing-to-drop',
      'TXN-17/reversed',
      'TXN-17/to-alone',
      'TXN-18/spellings',
      'TXN-20/inside',
      'TXN-20/nothing-missing',
      'TXN-20/end-alone',
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
    id: 'three-transactions',
    story: 'Cards that were hardly used have two pending transactions and a booked one.',
    settings: { data: { transactions: 3 } },
    middleware: seen,
    blocks: ['TXN-17/both', 'TXN-17/nothing-to-drop', 'TXN-17/reversed', 'TXN-20/nothing-missing'],
    because:
      'One booked row per card has not enough of them around two instants, nor in the period.',
  },
  {
    id: 'ninety-days-of-history',
    story: 'How far the history reaches is open: the ninety days before today.',
    policies: (_correct, { fired }) => ({
      rowsBooked(rows) {
        const day = 86_400_000
        const start = (Math.floor(Date.now() / day) - 90) * day
        if (rows.some(({ booked }) => booked < start)) fired()
        return rows.filter(({ booked }) => booked >= start)
      },
    }),
  },
  {
    id: 'history-shorter-after-a-refresh',
    story:
      'How far the history reaches is open: who has just logged in sees all of it, and a token that comes of a refresh the last thirteen months.',
    warns: ['TXN-28/kept'],
    because: 'A booked transaction should stay; this bank shows older ones to the customer alone.',
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const all = correct.rowsBooked(rows, accountId, endpoint)
        const ctx = currentRequest()
        if (!ctx || !tokenInfoOf(ctx)?.refreshed) return all
        fired()
        const start = Date.now() - 396 * 86_400_000
        return all.filter(({ booked }) => booked >= start)
      },
    }),
  },
  {
    id: 'booked-for-the-next-working-day',
    story:
      'BookingDateTime is "when the transaction was booked": what comes on a Friday evening is booked for Monday, and a filter that ends before leaves it out.',
    warns: ['TXN-35/not-in-future'],
    because: 'A booked transaction should have been booked in the past.',
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const [newest, ...rest] = correct.rowsBooked(rows, accountId, endpoint)
        if (!newest) return rest
        fired()
        const booked = (Math.floor(Date.now() / 86_400_000) + 3) * 86_400_000
        return [{ ...newest, status: 'Booked', booked }, ...rest]
      },
    }),
  },
  {
    id: 'booked-late-between-two-requests',
    story:
      'A purchase of weeks ago is booked late, with the time at which it was made, while a window around it is asked for.',
    ...bookedLate(),
  },
  {
    id: 'account-of-two-customers',
    story:
      'No sentence says that an account has one customer: two share one, by the same AccountId, and each has another one alone.',
    target({ customers }) {
      delete customers.second?.accounts
    },
    policies: (correct) => ({
      accountIdFor: (_consentId, card, secret) => correct.accountIdFor('', card, secret),
    }),
    async middleware(ctx, next) {
      const [one, other] = stateOf(ctx).bank.customers
      const shared = one?.cards[0]
      if (shared && other && !other.cards.includes(shared)) {
        other.cards.unshift(shared)
        ctx.state.fired()
      }
      await next()
    },
  },
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
    id: 'transaction-ids-like-card-numbers',
    story:
      'TransactionId is not in the table of transactions: sixteen digits, the last one a check digit, as many a ledger numbers what it books.',
    middleware: elements('Transaction', (row, index) => ({
      ...row,
      // Both add up as card numbers do (ISO/IEC 7812-1).
      TransactionId: index % 2 === 0 ? '4000000000000002' : '4000000000000010',
    })),
  },
  {
    id: 'transaction-ids-come-and-go',
    story:
      'TransactionId is not in the table of transactions, so nothing is said of its presence or its lasting: some rows have none, others a new one each time.',
    middleware: elements(
      'Transaction',
      roundRobinOf<[Json], Json>(
        ({ TransactionId: _id, ...row }) => row,
        (row) => ({ ...row, TransactionId: String(randomInt(1e12)) }),
      ),
    ),
  },
  {
    id: 'books-that-move',
    story:
      '"Transaction amounts can change after the transaction is first created"; while somebody reads, pending ones are booked, and the customer goes shopping.',
    policies: (_correct, { fired }) => movingBooks(fired),
    middleware: elements('Transaction', (row, index) =>
      index % 3 === 0
        ? { ...row, Amount: { Amount: pound(100 + randomInt(9999)), Currency: 'GBP' } }
        : row,
    ),
  },
  {
    id: 'twins-of-whole-days',
    story:
      'Dates without a time of day: transactions are booked at midnight, many at one instant, and two coffees of one day differ in nothing that is documented.',
    policies: (_correct, { fired }) => ({
      rowsBooked(rows) {
        fired()
        return rows.map((row, index) => {
          const twin = rows[index - (index % 3)]
          const same = twin && twin.status === row.status ? { ...twin, id: row.id } : row
          return { ...same, booked: same.booked - (same.booked % 86_400_000) }
        })
      },
    }),
  },
  {
    id: 'booked-rows-within-the-bounds',
    story:
      'A bank may list transactions once they are booked, and never before; "booked after and before the given time": the instants themselves are not in (AMB-18).',
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
      'BookingDateTime is "when the transaction was booked", and a pending one was not; the full list of values of Status is not shown: Held and Declined are two more.',
    middleware: elements('Transaction', ({ BookingDateTime, ...row }) => {
      if (row.Status !== 'Pending') return { ...row, BookingDateTime }
      const kind = kindOf(row, 3)
      return kind === 0
        ? row
        : { ...row, BookingDateTime, Status: kind === 1 ? 'Held' : 'Declined' }
    }),
  },
  {
    id: 'merchants-and-addresses-of-some',
    story:
      'No sentence promises MerchantDetails, its MerchantName or AddressLine (AMB-17): some rows have neither, some a merchant without a name.',
    middleware: elements('Transaction', ({ MerchantDetails, AddressLine, ...row }) => {
      const kind = kindOf(row, 3)
      if (kind === 0) return row
      const anonymous = kind === 1 && { MerchantCategoryCode: '5411' }
      return {
        ...row,
        AddressLine,
        ...(MerchantDetails !== undefined && { MerchantDetails: anonymous || MerchantDetails }),
      }
    }),
  },
  {
    id: 'merchants-found-out-later',
    story:
      'Who took the money, and where, is found out after the booking, and not everywhere at once: no sentence says that MerchantName or AddressLine stays.',
    middleware: rowsOf(['transactions', 'account-transactions'], (rows) => {
      const spelt = spelling()
      return rows.map((row) => ({
        ...row,
        AddressLine: spelt(String(row.AddressLine)),
        ...(row.MerchantDetails !== undefined && {
          MerchantDetails: { MerchantName: spelt(JSON.stringify(row.MerchantDetails)) },
        }),
      }))
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
    id: 'ninety-days-while-nobody-looks',
    story:
      'How far the history reaches is open: without the customer it is ninety days, as far as a login of some time ago may be relied on.',
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const all = correct.rowsBooked(rows, accountId, endpoint)
        if (currentRequest()?.get('x-fapi-customer-ip-address') !== '') return all
        fired()
        return all.filter(({ booked }) => booked >= Date.now() - 90 * 86_400_000)
      },
    }),
  },
  {
    id: 'credit-lines-now-and-then',
    story: 'No sentence promises CreditLine: of two answers in turn the later leaves it out.',
    middleware: rowsOf(['balances', 'account-balances'], (rows) =>
      withCreditLine() ? undefined : rows.map(({ CreditLine: _line, ...row }) => row),
    ),
  },
  {
    id: 'more-credit-lines-for-newer-clients',
    story:
      'How many credit lines a balance has is not said: newer clients are shown the emergency one as well.',
    middleware: rowsOf(['balances', 'account-balances'], (rows, ctx) =>
      tokenInfoOf(ctx)?.client === 'second'
        ? rows.map(({ CreditLine, ...row }) => ({
            ...row,
            CreditLine: [CreditLine]
              .flat()
              .flatMap((line) => [line, { ...(line as Json), Type: 'Emergency' }]),
          }))
        : undefined,
    ),
  },
  {
    id: 'pending-rows-in-words-of-each-service',
    story:
      'The full list of values of Status is not shown: what is pending in the list is authorised at the single addresses.',
    middleware: rowsOf('account-transactions', (rows) =>
      rows.map((row) => (row.Status === 'Pending' ? { ...row, Status: 'Authorised' } : row)),
    ),
  },
  {
    id: 'cards-masked-otherwise-each-time',
    story:
      'Each is a "masked version of the primary card number": which one depends on the server that answers.',
    policies: (_correct, { fired }) => ({
      maskCard(pan) {
        fired()
        return `${maskOf()}${pan.slice(-4)}`
      },
    }),
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
    id: 'cards-at-single-addresses',
    story:
      'The list of accounts names them, and no more; the level of detail shows where one is asked for.',
    warns: ['ACC-20/detail-shows-card'],
    middleware: rowsOf('accounts', (rows) => rows.map(bare)),
  },
  {
    id: 'cards-in-the-list-alone',
    story:
      'The other way round: a single address names the account, and no more; the level of detail shows in the list.',
    warns: ['ACC-20/detail-shows-card'],
    middleware: rowsOf('account', (rows) => rows.map(bare)),
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
    id: 'detail-by-values',
    story:
      'The level of detail shows in values: Basic masks the whole card number, Detail all but four digits.',
    policies: (correct, { fired }) => ({
      accountView(facts) {
        const view = correct.accountView(facts)
        if (facts.detail) return view
        fired()
        const card = {
          SchemeName: facts.scheme,
          Identification: '*'.repeat(16),
          Name: facts.card.holder,
        }
        return { ...view, Account: [card] }
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
    id: 'balances-of-this-second',
    story:
      'DateTime is the "date/time of the balance": that of the answer, and it moves; others are zero, which is as good as Credit.',
    policies: (correct, { fired }) => {
      return {
        balanceView(accountId, card, now, spelling) {
          fired()
          const owed = randomInt(2) * (card.owed + randomInt(500))
          const view = correct.balanceView(accountId, { ...card, owed }, now, spelling)
          return { ...view, DateTime: spelling.dateTimeOf(now) }
        },
      }
    },
  },
  {
    id: 'account-ids-of-any-form',
    story:
      'An AccountId is a string: one that must be encoded in a path, digits, and, being "persistent for a given ConsentId", one that other consents have as well.',
    policies: (correct, { fired }) => {
      const form = roundRobinPerKey(['encoded', 'digits', 'shared'] as const)
      return {
        accountIdFor(consentId, cardKey, secret) {
          fired()
          const own = correct.accountIdFor(consentId, cardKey, secret)
          switch (form(`${consentId} ${cardKey}`)) {
            case 'encoded':
              return `GB:${own.slice(0, 16)}/1+a=%41 ü`
            case 'digits':
              return String(Buffer.from(own).readUInt32BE(3))
            default:
              return correct.accountIdFor('any', cardKey, secret)
          }
        },
      }
    },
  },
  {
    id: 'cards-masked-in-any-way',
    story:
      'A "masked version of the primary card number" may show its first six and last four digits, be grouped, with dots, or be what is left of it: four digits.',
    policies: (_correct, { fired }) => {
      const mask = roundRobinPerKey<(pan: string) => string>([
        (pan) => `${pan.slice(0, 6)}XXXXXX${pan.slice(-4)}`,
        (pan) => `•••• •••• •••• ${pan.slice(-4)}`,
        (pan) => pan.slice(-4),
      ])
      return {
        maskCard(pan) {
          fired()
          return mask(pan)(pan)
        },
      }
    },
  },
  {
    id: 'accounts-as-in-3.1.2',
    story:
      'The other members of 3.1.2: a state, a nickname, a servicer. Description is a textual description: that of every card may be the same, in any script.',
    middleware: elements('Account', (row) => ({
      ...row,
      Description: 'Kreditkarte “Größe” 信用卡',
      Status: 'Enabled',
      StatusUpdateDateTime: '2020-01-01T06:06:06+00:00',
      Nickname: 'Card – für Reisen ✈',
      Servicer: { SchemeName: 'UK.OBIE.BICFI', Identification: '80200112344562' },
    })),
  },
  {
    id: 'date-times-spelt-in-any-way',
    story:
      'Date-times are UTC; a fraction of a second has no, three or nine digits, UTC is Z or +00:00, and T and Z may be written in lower case (RFC 3339 5.6).',
    policies: (correct, { fired }) => {
      const spell = roundRobinOf<[string], string>(
        (utc) => utc.replace(/\.\d+/, ''),
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
]

/** Now and then a pending row is booked, and a new one is there. */
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

/** Each account keeps its shape, so that bulk and single show the same. */
/** From the first request for days in which a card has no row among those it has, one stands in their middle. */
function bookedLate(): Pick<Variant, 'policies'> {
  return {
    policies: (correct, { fired }) => {
      // AccountIds are those of a consent: a card is known by its first transaction.
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
            to - from > 86_400_000 &&
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
