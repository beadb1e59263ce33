import { answersWith, askedAccount, endpointOf, isSingle, rowsOf } from '../../data-requests.ts'
import type { Fault } from '../../proof.ts'

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
