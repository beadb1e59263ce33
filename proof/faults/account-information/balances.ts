import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import type { Card } from '../../../bank/data/customers.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import type { DataEndpoint } from '../../../bank/policies/data.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { DAY, HOUR } from '../../../engine/record/durations.ts'
import {
  answersWith,
  askedAccount,
  endpointOf,
  isSingle,
  rowsOf,
} from '../../altering/data-requests.ts'
import { elements, type Json } from '../../altering/rewriting.ts'
import type { Fault } from '../../run/proof.ts'

const BOTH: DataEndpoint[] = ['balances', 'account-balances']

const faults: Fault[] = [
  {
    id: 'single-addresses-not-authoritative',
    story: 'The single addresses are served from a replica, which says so by its status.',
    fails: ['BAL-02/answers-200', 'TXN-02/answers-200'],
    middleware: answersWith(['account-balances', 'account-transactions'], 203),
  },
  {
    id: 'closed-cards-are-listed',
    story:
      'A card that was replaced keeps its own balance, and what is still pending on it, under its own id.',
    fails: ['BAL-03/of-the-consent', 'TXN-03/of-the-consent'],
    middleware: rowsOf(['balances', 'transactions'], (rows) => [
      ...rows,
      ...rows
        .filter(({ Status }, index) => (Status === undefined ? index === 0 : Status === 'Pending'))
        .map((row) => ({ ...row, AccountId: 'closed-card' })),
    ]),
  },
  {
    id: 'single-balances-negative-of-bulk',
    story: 'The single address shows what the bank owes, the bulk one what the customer owes.',
    fails: ['BAL-14/bulk-equals-single'],
    middleware: rowsOf('account-balances', (rows) =>
      rows.map((row) => ({
        ...row,
        CreditDebitIndicator: row.CreditDebitIndicator === 'Debit' ? 'Credit' : 'Debit',
      })),
    ),
  },
  {
    id: 'single-balances-of-tomorrow',
    story: 'An opening balance is dated with the day that it opens, as the batch computes it.',
    fails: [],
    warns: ['BAL-21/not-in-future'],
    policies: (correct, { fired }) => ({
      balanceView(accountId, card, now, policies) {
        if (!isSingle(endpointOf())) return correct.balanceView(accountId, card, now, policies)
        fired()
        return correct.balanceView(accountId, card, now + 2 * DAY, policies)
      },
    }),
  },
  {
    id: 'single-balances-in-local-time',
    story: 'The single addresses are of another service, which writes the time of London with a Z.',
    fails: [],
    warns: ['BAL-28/one-time'],
    middleware: rowsOf(BOTH, (rows) => {
      const earlier = isSingle(endpointOf()) ? 13 : 12
      return rows.map((row) => {
        const at = Date.parse(String(row.DateTime)) - earlier * HOUR - 1_029_000
        return { ...row, DateTime: new Date(at).toISOString() }
      })
    }),
  },
  {
    id: 'second-card-interim-balance',
    story: 'Cards of the acquired portfolio have no opening balance: the interim one is sent.',
    fails: ['BAL-07/opening-booked'],
    policies: (correct, { fired }) => ({
      balanceView(accountId, card, now, policies) {
        const view = correct.balanceView(accountId, card, now, policies)
        if (card.key !== 'okafor-travel') return view
        fired()
        return { ...view, Type: 'InterimAvailable' }
      },
    }),
  },
  {
    id: 'second-single-balance-refused',
    story: 'The balance service knows its accounts from the first call of the bulk answer only.',
    fails: ['BAL-02/answers-200'],
    policies: (correct, { fired }) => {
      const asked = new Set<string>()
      return {
        accountRefusal(own, known) {
          const id = askedAccount() ?? ''
          if (!own || endpointOf() !== 'account-balances') return correct.accountRefusal(own, known)
          asked.add(id)
          if ([...asked].indexOf(id) === 0) return undefined
          fired()
          return 'account-unknown'
        },
      }
    },
  },
  {
    id: 'second-balance-without-an-amount',
    story: 'The ledger of the acquired portfolio is asked by day, and has no amount before noon.',
    fails: ['BAL-19/amount'],
    policies: (correct, { fired }) => ({
      balanceView(accountId, card, now, policies) {
        const view = correct.balanceView(accountId, card, now, policies)
        if (card.key !== 'okafor-travel') return view
        fired()
        const { Amount: _, ...rest } = view
        return rest
      },
    }),
  },
  {
    id: 'single-balance-without-currency',
    story: 'Everything is in pounds, so the view of one account leaves the currency out.',
    fails: ['BAL-19/amount'],
    middleware: rowsOf('account-balances', (rows) =>
      rows.map((row) => ({ ...row, Amount: withoutCurrency(row.Amount) })),
    ),
  },
  {
    id: 'single-balance-without-indicator',
    story: 'The sign of the core system was meant to say it, and the mapper drops the sign.',
    fails: ['BAL-19/indicator'],
    middleware: rowsOf('account-balances', (rows) =>
      rows.map(({ CreditDebitIndicator: _, ...row }) => row),
    ),
  },
  {
    id: 'bulk-balances-undated',
    story: 'The batch writes one date above the list, and none on its rows.',
    fails: ['BAL-19/date-time'],
    middleware: rowsOf('balances', (rows) => rows.map(({ DateTime: _, ...row }) => row)),
  },
  {
    id: 'debit-in-the-code-of-iso-20022',
    story: 'The message of the core system is ISO 20022, and DBIT is passed on.',
    fails: ['BAL-22/debit-spelled'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) =>
        row.CreditDebitIndicator === 'Debit' ? { ...row, CreditDebitIndicator: 'DBIT' } : row,
      ),
    ),
  },
  {
    id: 'single-balance-of-a-day',
    story: 'An opening balance belongs to a day, so its DateTime is one.',
    fails: ['BAL-22/rfc-3339'],
    middleware: rowsOf('account-balances', (rows) =>
      rows.map((row) => ({ ...row, DateTime: String(row.DateTime).slice(0, 10) })),
    ),
  },
  {
    id: 'credit-line-says-nothing-of-inclusion',
    story: 'No credit line is ever included, so the flag was left out.',
    fails: [],
    warns: ['BAL-23/included'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) => ({
        ...row,
        CreditLine: [row.CreditLine ?? []].flat().map((line) => {
          const { Included: _, ...rest } = line as Record<string, unknown>
          return rest
        }),
      })),
    ),
  },
  {
    id: 'credit-lines-are-negative',
    story: 'The ledger has what a customer may owe with a minus sign.',
    fails: [],
    warns: ['BAL-25/credit-line'],
    middleware: elements('Balance', (balance) => ({
      ...balance,
      CreditLine: ([balance.CreditLine ?? []].flat() as Json[]).map((line) => {
        const amount = line.Amount as Json
        return { ...line, Amount: { ...amount, Amount: `-${amount.Amount}` } }
      }),
    })),
  },
  {
    id: 'balances-of-1970',
    story: 'The time of a balance is never set.',
    fails: [],
    warns: ['BAL-26/of-a-time'],
    middleware: elements('Balance', (balance) => ({
      ...balance,
      DateTime: '1970-01-01T00:00:00Z',
    })),
  },
  {
    id: 'balances-of-two-batches',
    story: 'The batch adds its balance and leaves the one of the batch before, with the same date.',
    fails: [],
    warns: ['BAL-27/one-of-each'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.flatMap((row) => [row, { ...row, Amount: { Amount: '17.29', Currency: 'GBP' } }]),
    ),
  },
  {
    id: 'balances-of-each-day',
    story: 'The table of balances has a row for each day, and the query takes all of them.',
    fails: [],
    warns: ['BAL-29/one-alone'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.flatMap((row) => [
        row,
        {
          ...row,
          Amount: { Amount: '17.29', Currency: 'GBP' },
          DateTime: new Date(Date.parse(String(row.DateTime)) - DAY).toISOString(),
        },
      ]),
    ),
  },
  {
    id: 'balances-for-each-holder',
    story: 'Balances are joined with the holders of the card, of whom there are two.',
    fails: [],
    warns: ['BAL-29/one-alone'],
    middleware: rowsOf(BOTH, (rows) => rows.flatMap((row) => [row, row])),
  },
  {
    id: 'credit-limit-as-balance',
    story: 'The mapper reads the limit of the card, in the column beside its balance.',
    fails: [],
    warns: ['BAL-30/not-the-line'],
    policies: (correct, { fired }) => ({
      balanceView(accountId, card, now, policies) {
        fired()
        return correct.balanceView(accountId, { ...card, owed: card.creditLimit }, now, policies)
      },
    }),
  },
  {
    id: 'second-card-without-a-balance',
    story: 'The balance service does not have the cards of the acquired portfolio, and finds none.',
    fails: [],
    warns: ['BAL-31/of-a-used-card'],
    middleware: rowsOf(BOTH, (rows) => {
      const others = rows.filter((row) => limitOf(row) !== '3000.00')
      return others.length < rows.length ? others : undefined
    }),
  },
  {
    id: 'balances-with-the-date-of-the-example',
    story:
      'Until the time of a balance is known, the mapper has that of the specification’s example.',
    fails: [],
    warns: ['BAL-32/of-these-days'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) => ({ ...row, DateTime: '2017-04-05T10:43:07Z' })),
    ),
  },
  {
    id: 'balances-of-what-a-consent-may-see',
    story: 'The balance is the sum of the transactions that the consent shows.',
    fails: [],
    warns: ['BAL-24/every-consent'],
    policies: (correct, { fired }) => ({
      balanceView(accountId, card, now, policies) {
        const ctx = currentRequest()
        const { permissions = [] } = (ctx && tokenInfoOf(ctx)?.consent) ?? {}
        if (permissions.includes('ReadTransactionsCredits')) {
          return correct.balanceView(accountId, card, now, policies)
        }
        fired()
        const owed = card.owed + 250_000
        return correct.balanceView(accountId, { ...card, owed }, now, policies)
      },
    }),
  },
  {
    id: 'balance-of-the-newest-card',
    story:
      'The balance service is asked by customer where a consent has one card, and answers with the card that was opened last.',
    fails: [],
    warns: ['BAL-33/own-card'],
    policies: ofNewestCard((card, newest) => ({ ...card, owed: newest.owed })),
  },
  {
    id: 'credit-line-of-the-newest-card',
    story: 'The limit is one of the customer where a consent has one card: that of the newest one.',
    fails: [],
    warns: ['BAL-33/own-card'],
    policies: ofNewestCard((card, newest) => ({ ...card, creditLimit: newest.creditLimit })),
  },
]

/** What a consent for one card shows of its balance is mixed with that of the card that the customer opened last. */
function ofNewestCard(mixed: (card: Card, newest: Card) => Card): NonNullable<Fault['policies']> {
  return (correct, { fired }) => ({
    balanceView(accountId, card, now, policies) {
      const ctx = currentRequest()
      const consent = ctx && tokenInfoOf(ctx)?.consent
      const owner =
        ctx && stateOf(ctx).bank.services.customers.find(({ id }) => id === consent?.customerId)
      const newest = owner?.cards.at(-1)
      if (consent?.cards.length !== 1 || !newest || newest.key === card.key)
        return correct.balanceView(accountId, card, now, policies)
      fired()
      return correct.balanceView(accountId, mixed(card, newest), now, policies)
    },
  })
}

const limitOf = ({ CreditLine }: Json) =>
  ((CreditLine as Json[])[0]?.Amount as Json | undefined)?.Amount

function withoutCurrency(amount: unknown): unknown {
  const { Currency: _, ...rest } = amount as Record<string, unknown>
  return rest
}

export default faults
