import { currentRequest } from '../../../bank/current.ts'
import { stateOf } from '../../../bank/state.ts'
import type { Fault } from '../../proof.ts'

/** Counts of requests without the customer, by bank. */
const refusedBefore = new WeakMap<object, number>()

/** The most requests of one window that a client sent without the customer, by bank. */
const absentSeen = new WeakMap<object, number>()

const faults: Fault[] = [
  {
    id: 'limit-answers-429-once-and-503-then',
    story: 'The limiter answers 429, and then the gateway puts the client on its own list.',
    fails: ['RATE-01/with-429'],
    policies: (correct, { fired }) => ({
      refusal(reason) {
        const refusal = correct.refusal(reason)
        const ctx = currentRequest()
        if (reason !== 'rate-limit' || !ctx) return refusal
        const { bank } = stateOf(ctx)
        const before = refusedBefore.get(bank) ?? 0
        refusedBefore.set(bank, before + 1)
        if (before === 0) return refusal
        fired()
        return { ...refusal, status: 503 }
      },
    }),
  },
  {
    id: 'limit-for-the-present-on-transactions',
    story: 'Transactions are dear: their own limiter does not read the header.',
    fails: [],
    warns: ['RATE-02/present-is-served'],
    policies: (correct, { fired }) => ({
      customerPresent(headers) {
        const present = correct.customerPresent(headers)
        const ctx = currentRequest()
        if (!present || !ctx?.path.endsWith('/transactions')) return present
        const { bank } = stateOf(ctx)
        if ((absentSeen.get(bank) ?? 0) < 18) return present
        fired()
        return false
      },
      limitReached(earlier, limit) {
        const ctx = currentRequest()
        if (ctx) {
          const { bank } = stateOf(ctx)
          absentSeen.set(bank, Math.max(earlier, absentSeen.get(bank) ?? 0))
        }
        return correct.limitReached(earlier, limit)
      },
    }),
  },
]
export default faults
