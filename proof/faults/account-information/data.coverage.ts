import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { Refused } from '../../../bank/listeners/refusals.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { DAY, HOUR } from '../../../engine/record/durations.ts'
import { askedAccount, filteredBy } from '../../altering/data-requests.ts'
import type { Fault } from '../../run/proof.ts'

const asker = () => {
  const ctx = currentRequest()
  return ctx && tokenInfoOf(ctx)
}

const bySecondClient = () => asker()?.client === 'second'

/** Does the requested account belong to the customer, under any consent? */
function isOfTheCustomer(): boolean {
  const ctx = currentRequest()
  const customerId = asker()?.consent?.customerId
  if (!ctx || customerId === undefined) return false
  const { consents, policies, secret } = stateOf(ctx).bank.services
  const wanted = askedAccount(ctx)
  return consents
    .ofCustomer(customerId)
    .some(({ id, cards }) =>
      cards.some((card) => policies.accountIdFor(id, card, secret) === wanted),
    )
}

const faults: Fault[] = [
  {
    id: 'addresses-open-every-account-of-the-customer',
    story:
      'The endpoints of one account return every account of the customer, even one that is not part of the consent.',
    fails: ['ACC-21/not-beyond'],
    policies: (correct, { fired }) => ({
      accountRefusal(own, known) {
        const right = correct.accountRefusal(own, known)
        if (!right || !isOfTheCustomer()) return right
        fired()
        return undefined
      },
    }),
  },
  {
    id: 'no-balances-for-the-second-client',
    story:
      "The second client gets no balances, because it is not on the balance service's own list of clients.",
    fails: ['DATA-08/other-approvals'],
    policies: (correct, { fired }) => ({
      permits(permissions, endpoint) {
        if (!endpoint.endsWith('balances') || !bySecondClient()) {
          return correct.permits(permissions, endpoint)
        }
        fired()
        return false
      },
    }),
  },
  {
    id: 'one-card-has-no-address-of-its-own',
    story: 'If a consent has one account, GET /accounts/{AccountId}/transactions does not find it.',
    fails: ['DATA-08/other-approvals'],
    policies: (correct, { fired }) => ({
      accountRefusal(own, known) {
        const single = currentRequest()?.path.endsWith('/transactions')
        if (!own || !single || asker()?.consent?.cards.length !== 1) {
          return correct.accountRefusal(own, known)
        }
        fired()
        throw new Refused('account-unknown')
      },
    }),
  },
  {
    id: 'second-client-has-one-card',
    story: 'The list of accounts shows the second client only one account of a consent.',
    fails: ['ACC-14/other-approvals'],
    policies: (correct, { fired }) => ({
      cardsCovered(cards, endpoint) {
        const covered = correct.cardsCovered(cards, endpoint)
        if (!bySecondClient() || covered.length < 2) return covered
        fired()
        return covered.slice(0, 1)
      },
    }),
  },
  {
    id: 'second-client-gets-ninety-days',
    story:
      'The second client gets only the last 90 days of transactions; the first client gets more.',
    fails: [],
    warns: ['DATA-09/same-data'],
    policies: (correct, { fired }) => ({
      rowsBooked(rows, ...rest) {
        const all = correct.rowsBooked(rows, ...rest)
        if (!bySecondClient()) return all
        fired()
        return all.filter(({ booked }) => booked > Date.now() - 90 * DAY)
      },
    }),
  },
  {
    id: 'second-client-filters-one-end',
    story:
      'For the second client, the bank ignores fromBookingDateTime. Its route uses an old name of the parameter.',
    fails: ['TXN-16/from-alone'],
    policies: (correct, { fired }) => ({
      bookedWithin(row, { from, to }, endpoint) {
        if (!bySecondClient() || !filteredBy('fromBookingDateTime')) {
          return correct.bookedWithin(row, { from, to }, endpoint)
        }
        fired()
        return correct.bookedWithin(row, { to }, endpoint)
      },
    }),
  },
  {
    id: 'single-transactions-need-detail',
    story:
      'GET /accounts/{AccountId}/transactions needs ReadTransactionsDetail; a consent with ReadTransactionsBasic only is refused.',
    fails: ['TXN-14/basic-alone'],
    policies: (correct, { fired }) => ({
      permits(permissions, endpoint) {
        const right = correct.permits(permissions, endpoint)
        if (endpoint !== 'account-transactions' || !right) return right
        if (permissions.includes('ReadTransactionsDetail')) return right
        fired()
        return false
      },
    }),
  },
  {
    id: 'period-in-local-time',
    story:
      'The transaction period of the consent is applied one hour off, because the server reads it in the time of Paris.',
    fails: ['TXN-20/inside'],
    policies: (correct, { fired }) => ({
      withinConsentPeriod(row, consent, endpoint) {
        const { transactionsFrom: from, transactionsTo: to } = consent
        if (from === undefined || to === undefined) {
          return correct.withinConsentPeriod(row, consent, endpoint)
        }
        fired()
        const shifted = { transactionsFrom: from - HOUR, transactionsTo: to - HOUR }
        return correct.withinConsentPeriod(row, shifted, endpoint)
      },
    }),
  },
  {
    id: 'period-lost-at-a-refresh',
    story:
      'A refreshed access token ignores the transaction period of the consent. The period is a claim only of the first token.',
    fails: ['TXN-20/inside'],
    policies: (correct, { fired }) => ({
      withinConsentPeriod(row, consent, endpoint) {
        const right = correct.withinConsentPeriod(row, consent, endpoint)
        const ctx = currentRequest()
        if (right || !ctx || !tokenInfoOf(ctx)?.refreshed) return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'period-end-alone-not-applied',
    story: 'The bank ignores TransactionToDateTime if the consent has no TransactionFromDateTime.',
    fails: ['TXN-20/inside'],
    policies: (correct, { fired }) => ({
      withinConsentPeriod(row, consent, endpoint) {
        const right = correct.withinConsentPeriod(row, consent, endpoint)
        if (right || consent.transactionsFrom !== undefined) return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'period-start-alone-not-applied-to-short-history',
    story:
      'The bank ignores TransactionFromDateTime if the consent has no TransactionToDateTime. Its cards have only half a year of transactions.',
    fails: ['TXN-20/inside'],
    policies: (correct, { fired }) => ({
      rowsBooked(rows, accountId, endpoint) {
        const start = Date.now() - 180 * DAY
        return correct.rowsBooked(rows, accountId, endpoint).filter(({ booked }) => booked >= start)
      },
      withinConsentPeriod(row, consent, endpoint) {
        const right = correct.withinConsentPeriod(row, consent, endpoint)
        if (right || consent.transactionsTo !== undefined) return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'period-that-is-still-to-end-gives-nothing',
    story:
      'A consent whose TransactionToDateTime is in the future shows no transactions, because the core system has only past days.',
    fails: ['TXN-20/ends-later'],
    policies: (correct, { fired }) => ({
      withinConsentPeriod(row, consent, endpoint) {
        const right = correct.withinConsentPeriod(row, consent, endpoint)
        if (!right || (consent.transactionsTo ?? 0) < Date.now()) return right
        fired()
        return false
      },
    }),
  },
  {
    id: 'period-end-alone-means-two-hundred-days',
    story:
      'A consent with only TransactionToDateTime shows the 200 days before it, not all earlier transactions.',
    fails: ['TXN-20/end-alone'],
    policies: (correct, { fired }) => ({
      withinConsentPeriod(row, consent, endpoint) {
        const right = correct.withinConsentPeriod(row, consent, endpoint)
        const { transactionsFrom: from, transactionsTo: to } = consent
        if (!right || to === undefined || from !== undefined) return right
        if (row.booked > to - 200 * DAY) return right
        fired()
        return false
      },
    }),
  },
]
export default faults
