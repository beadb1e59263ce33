import { randomUUID } from 'node:crypto'
import { answersWith, askedAccount, endpointOf, isSingle, rowsOf } from '../../data-requests.ts'
import type { Fault } from '../../proof.ts'

const faults: Fault[] = [
  {
    id: 'balances-accepted',
    story: 'Balances are fetched by a job, whose status 202 is passed on with its result.',
    fails: ['BAL-01/answers-200'],
    middleware: answersWith('balances', 202),
  },
  {
    id: 'single-balances-not-authoritative',
    story: 'The single address is served from a replica, which says so by its status.',
    fails: ['BAL-02/answers-200'],
    middleware: answersWith('account-balances', 203),
  },
  {
    id: 'single-balances-of-all-cards',
    story: 'The single address reads the balances of the customer, not of the account.',
    fails: ['BAL-02/asked-account-only'],
    middleware: rowsOf('account-balances', (rows) => [
      ...rows,
      ...rows.slice(0, 1).map((row) => ({ ...row, AccountId: randomUUID() })),
    ]),
  },
  {
    id: 'balances-of-a-closed-card',
    story: 'A card that was replaced keeps its own balance, under its own id.',
    fails: ['BAL-03/of-the-consent'],
    middleware: rowsOf('balances', (rows) => [
      ...rows,
      ...rows.slice(0, 1).map((row) => ({ ...row, AccountId: `closed-${rows.length}` })),
    ]),
  },
  {
    id: 'balances-first-card-only',
    story: 'The bulk answer shows the card with which the customer logged in.',
    fails: ['BAL-13/all-accounts'],
    policies: (correct, { fired }) => ({
      cardsCovered(cards, endpoint) {
        if (endpoint !== 'balances' || cards.length < 2)
          return correct.cardsCovered(cards, endpoint)
        fired()
        return cards.slice(0, 1)
      },
    }),
  },
  {
    id: 'single-balances-negative-of-bulk',
    story: 'The single address shows what the bank owes, the bulk one what the customer owes.',
    fails: [],
    warns: ['BAL-14/bulk-equals-single'],
    middleware: rowsOf('account-balances', (rows) =>
      rows.map((row) => ({
        ...row,
        CreditDebitIndicator: row.CreditDebitIndicator === 'Debit' ? 'Credit' : 'Debit',
      })),
    ),
  },
  {
    id: 'unknown-account-has-no-balance',
    story: 'An AccountId that finds no account has no balances: an empty list.',
    fails: [],
    warns: ['BAL-15/unknown-id'],
    policies: (correct, { fired }) => ({
      accountRefusal(own, known) {
        if (own || known || endpointOf() !== 'account-balances') {
          return correct.accountRefusal(own, known)
        }
        fired()
        return undefined
      },
    }),
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
        return correct.balanceView(accountId, card, now + 2 * 86_400_000, policies)
      },
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
]

export default faults
