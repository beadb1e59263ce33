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
    story:
      'The balances and transactions of one account have status 203 instead of 200, because a replica serves them.',
    fails: ['BAL-02/answers-200', 'TXN-02/answers-200'],
    middleware: answersWith(['account-balances', 'account-transactions'], 203),
  },
  {
    id: 'closed-cards-are-listed',
    story:
      'The lists of balances and transactions also have rows of a replaced card, whose AccountId is not one of the consent.',
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
    story:
      'CreditDebitIndicator is the opposite in GET /accounts/{AccountId}/balances and GET /balances. One is written from the view of the bank, one from the view of the customer.',
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
    story: 'The DateTime of the balances of one account is in the future.',
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
    story:
      'The DateTime of the same balance differs by one hour between the two endpoints. One service writes London time with a Z.',
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
    story:
      'The balance of some cards has Type InterimAvailable instead of OpeningBooked. Cards of an acquired portfolio have no opening balance.',
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
    story:
      'GET /accounts/{AccountId}/balances works only for the first account that is asked; other accounts of the consent are refused.',
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
    story:
      'The balance of some cards has no Amount. The ledger of an acquired portfolio has none before noon.',
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
    story: 'The balances of one account have no Amount.Currency, because everything is in pounds.',
    fails: ['BAL-19/amount'],
    middleware: rowsOf('account-balances', (rows) =>
      rows.map((row) => ({ ...row, Amount: withoutCurrency(row.Amount) })),
    ),
  },
  {
    id: 'single-balance-without-indicator',
    story: 'The balances of one account have no CreditDebitIndicator.',
    fails: ['BAL-19/indicator'],
    middleware: rowsOf('account-balances', (rows) =>
      rows.map(({ CreditDebitIndicator: _, ...row }) => row),
    ),
  },
  {
    id: 'bulk-balances-undated',
    story: 'The balances in GET /balances have no DateTime.',
    fails: ['BAL-19/date-time'],
    middleware: rowsOf('balances', (rows) => rows.map(({ DateTime: _, ...row }) => row)),
  },
  {
    id: 'debit-in-the-code-of-iso-20022',
    story: 'CreditDebitIndicator of balances is DBIT, the code of ISO 20022, instead of Debit.',
    fails: ['BAL-22/debit-spelled'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) =>
        row.CreditDebitIndicator === 'Debit' ? { ...row, CreditDebitIndicator: 'DBIT' } : row,
      ),
    ),
  },
  {
    id: 'single-balance-of-a-day',
    story: 'The DateTime of the balances of one account is a date without a time.',
    fails: ['BAL-22/rfc-3339'],
    middleware: rowsOf('account-balances', (rows) =>
      rows.map((row) => ({ ...row, DateTime: String(row.DateTime).slice(0, 10) })),
    ),
  },
  {
    id: 'credit-line-says-nothing-of-inclusion',
    story:
      'CreditLine has no field Included, because no credit line is ever included in the balance.',
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
    story: 'The amount of the CreditLine has a minus sign, as in the ledger.',
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
    story: 'The DateTime of every balance is 1970-01-01, because it is never set.',
    fails: [],
    warns: ['BAL-26/of-a-time'],
    middleware: elements('Balance', (balance) => ({
      ...balance,
      DateTime: '1970-01-01T00:00:00Z',
    })),
  },
  {
    id: 'balances-of-two-batches',
    story:
      'Each account has two balances with the same Type and DateTime, because the batch adds a row and keeps the old one.',
    fails: [],
    warns: ['BAL-27/one-of-each'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.flatMap((row) => [row, { ...row, Amount: { Amount: '17.29', Currency: 'GBP' } }]),
    ),
  },
  {
    id: 'balances-of-each-day',
    story:
      'Each account has two balances, one for each day, because the query returns the rows of all days.',
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
    story:
      'Each balance is returned twice, because the query joins it with the two holders of the card.',
    fails: [],
    warns: ['BAL-29/one-alone'],
    middleware: rowsOf(BOTH, (rows) => rows.flatMap((row) => [row, row])),
  },
  {
    id: 'credit-limit-as-balance',
    story: 'The balance is the credit limit, because the service reads the wrong column.',
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
    story:
      'A card that is used has no balance. The balance service does not have the cards of an acquired portfolio.',
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
      'The DateTime of every balance is 2017-04-05T10:43:07Z, the example of the specification.',
    fails: [],
    warns: ['BAL-32/of-these-days'],
    middleware: rowsOf(BOTH, (rows) =>
      rows.map((row) => ({ ...row, DateTime: '2017-04-05T10:43:07Z' })),
    ),
  },
  {
    id: 'balances-of-what-a-consent-may-see',
    story:
      'The balance depends on the permissions of the consent, because it is the sum of the transactions that the consent shows.',
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
      'If a consent covers one card, its balance is that of the card the customer opened last, because it is looked up by customer.',
    fails: [],
    warns: ['BAL-33/own-card'],
    policies: ofNewestCard((card, newest) => ({ ...card, owed: newest.owed })),
  },
  {
    id: 'credit-line-of-the-newest-card',
    story:
      'If a consent covers one card, its CreditLine is that of the card the customer opened last, because it is looked up by customer.',
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
