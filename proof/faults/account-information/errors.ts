import type { Fault } from '../../run/proof.ts'

const faults: Fault[] = [
  {
    id: 'unknown-account-is-a-crash',
    story: 'The account is read before it is known to exist; the gateway turns the crash into 500.',
    fails: [],
    warns: ['ERR-01/no-5xx'],
    policies: (correct, { fired }) => ({
      refusal(reason) {
        const right = correct.refusal(reason)
        if (reason !== 'account-unknown') return right
        fired()
        return { ...right, status: 500 }
      },
    }),
  },
  {
    id: 'unsupported-permission-is-unavailable',
    story:
      'The consent store rejects the enumeration value, and its client says 503 to all errors.',
    fails: [],
    warns: ['ERR-01/no-5xx'],
    policies: (correct, { fired }) => ({
      refusal(reason) {
        const right = correct.refusal(reason)
        if (reason !== 'permission-unsupported') return right
        fired()
        return { ...right, status: 503 }
      },
    }),
  },
]
export default faults
