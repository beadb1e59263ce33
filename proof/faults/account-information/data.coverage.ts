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
    story: 'Single addresses ask whether the account is the customer’s, not whether it was chosen.',
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
    story: 'The balance service has a list of clients of its own, and new ones are not on it.',
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
    story:
      'For a customer with one card the AccountId is that of the customer, and nothing is found.',
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
    story: 'The entitlement of a client holds one card; the first client was entitled by hand.',
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
    story: 'TPPs of the newer contract get the history that the law demands, and no more.',
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
    story: 'The route of newer clients maps fromBookingDateTime to the old name of the parameter.',
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
    story: 'The gateway’s policy for the path with an id names the detail permission only.',
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
    story: 'The ends of the period are read without their Z on a server in Paris.',
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
    story: 'The period is a claim of the first token, and a refresh makes another one.',
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
    story: 'A period is looked at when it has a start.',
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
    story: 'A period is looked at when it has an end; no card has been used for half a year.',
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
    story: 'The core has closed days alone: it finds nothing for a period that ends after today.',
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
    story: 'A period without start gets a default: two hundred days before its end.',
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
