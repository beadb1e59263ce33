import type { Context } from 'koa'
import { currentRequest } from '../../../bank/current.ts'
import type { Card } from '../../../bank/data/customers.ts'
import { transactionsOf } from '../../../bank/data/transactions.ts'
import { stateOf } from '../../../bank/state.ts'
import { answersWith, endpointOf, rowsOf } from '../../data-requests.ts'
import type { Fault } from '../../proof.ts'

const DAY = 86_400_000

/** Serves the transaction endpoints for other permissions than the document says. */
function permitted(
  allowed: (permissions: string[], endpoint: string, right: boolean) => boolean,
): NonNullable<Fault['policies']> {
  return (correct, { fired }) => ({
    permits(permissions, endpoint) {
      const right = correct.permits(permissions, endpoint)
      if (!endpoint.endsWith('transactions')) return right
      const answer = allowed(permissions, endpoint, right)
      if (answer !== right) fired()
      return answer
    },
  })
}

const faults: Fault[] = [
  {
    id: 'transactions-partial-content',
    story: 'Long lists are sent with 206, as if the caller had asked for a range.',
    fails: ['TXN-01/answers-200'],
    middleware: answersWith('transactions', 206),
  },
  {
    id: 'single-transactions-accepted',
    story: 'The single address starts a report job and passes its 202 on with the result.',
    fails: ['TXN-02/answers-200'],
    middleware: answersWith('account-transactions', 202),
  },
  {
    id: 'single-transactions-of-all-cards',
    story: 'The single address reads by customer number: the other card’s rows come along.',
    fails: ['TXN-02/asked-account-only'],
    middleware: rowsOf('account-transactions', (rows) => [
      ...rows,
      ...rows.slice(-1).map((row) => ({ ...row, AccountId: 'other-card' })),
    ]),
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
          const { customers } = stateOf(currentRequest() as Context).bank.inside
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
          return [...transactionsOf(card, Date.now())]
        },
      }
    },
  },
  {
    id: 'transactions-of-a-closed-card',
    story: 'What is still pending on a card that was replaced is listed under its old id.',
    fails: ['TXN-03/of-the-consent'],
    middleware: rowsOf('transactions', (rows) => [
      ...rows,
      ...rows
        .filter(({ Status }) => Status === 'Pending')
        .map((row) => ({ ...row, AccountId: 'closed-card' })),
    ]),
  },
  {
    id: 'transactions-need-basic',
    story: 'Detail was meant as an addition to basic, so basic is what the gateway asks for.',
    fails: ['TXN-14/detail-alone'],
    policies: permitted((permissions) => permissions.includes('ReadTransactionsBasic')),
  },
  {
    id: 'transactions-open-to-every-consent',
    story: 'Whoever may see an account may see its transactions.',
    fails: ['TXN-14/without-permission'],
    policies: permitted(() => true),
  },
  {
    id: 'single-transactions-open-to-every-consent',
    story: 'Permissions are checked by exact path, and the path with an id was forgotten.',
    fails: ['TXN-14/without-permission'],
    policies: permitted((_, endpoint, right) => right || endpoint === 'account-transactions'),
  },
  {
    id: 'transactions-first-card-only',
    story: 'The bulk answer reads the card with which the customer logged in.',
    fails: ['TXN-23/all-accounts'],
    policies: (correct, { fired }) => ({
      cardsCovered(cards, endpoint) {
        if (endpoint !== 'transactions' || cards.length < 2) {
          return correct.cardsCovered(cards, endpoint)
        }
        fired()
        return cards.slice(0, 1)
      },
    }),
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
    id: 'unknown-account-has-no-transactions',
    story: 'An AccountId that finds no account has no transactions: an empty list.',
    fails: [],
    warns: ['TXN-27/unknown-id'],
    policies: (correct, { fired }) => ({
      accountRefusal(own, known) {
        if (own || known || endpointOf() !== 'account-transactions') {
          return correct.accountRefusal(own, known)
        }
        fired()
        return undefined
      },
    }),
  },
  {
    id: 'every-second-answer-from-a-stale-replica',
    story: 'Reads alternate between two replicas, one of which is a batch behind.',
    fails: [],
    warns: ['TXN-28/second-read'],
    policies: (correct, { fired }) => {
      let answers = 0
      return {
        rowsAnswered(rows, accountId, endpoint) {
          const all = correct.rowsAnswered(rows, accountId, endpoint)
          if (endpoint !== 'transactions') return all
          answers += 1
          // Two accounts in each bulk answer of the first customer.
          if (answers % 4 < 2) return all
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
]

function isBooked(row: { status: string }): boolean {
  return row.status === 'Booked'
}

export default faults
