import type { Context } from 'koa'
import { currentRequest } from '../../../bank/current.ts'
import type { Card } from '../../../bank/data/customers.ts'
import { transactionsOf } from '../../../bank/data/transactions.ts'
import { stateOf } from '../../../bank/state.ts'
import type { Fault } from '../../proof.ts'

const DAY = 86_400_000

const faults: Fault[] = [
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
