import { answered } from '../../altering/consent-requests.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** ConsentIds that were shown as Revoked. */
const shown = ofEachBank(() => new Set<unknown>())

/** ConsentId → how often it was queried since its revocation. */
const queries = ofEachBank(() => new Map<unknown, number>())

const faults: Fault[] = [
  {
    id: 'revoked-is-shown-once',
    story: 'Two replicas answer by turns, and one of them never hears of revocations.',
    fails: ['CLC-10/stays-revoked'],
    middleware: answered('account-access', 'GET', (data) => {
      if (data.Status !== 'Revoked') return undefined
      if (shown().has(data.ConsentId)) return { ...data, Status: 'Authorised' }
      shown().add(data.ConsentId)
      return undefined
    }),
  },
  {
    id: 'revoked-at-each-query',
    story:
      'StatusUpdateDateTime of what is revoked is the time at which its revocation was looked up.',
    fails: [],
    warns: ['CONS-29/once-revoked'],
    middleware: answered('account-access', 'GET', (data) =>
      data.Status === 'Revoked'
        ? { ...data, StatusUpdateDateTime: new Date().toISOString() }
        : undefined,
    ),
  },
  {
    id: 'every-other-query-forgets-a-revocation',
    story: 'Of two replicas that answer by turns one is never told of revocations.',
    fails: ['CLC-10/stays-revoked'],
    middleware: answered('account-access', 'GET', (data) => {
      if (data.Status !== 'Revoked') return undefined
      const count = (queries().get(data.ConsentId) ?? 0) + 1
      queries().set(data.ConsentId, count)
      return count % 2 === 0 ? { ...data, Status: 'Authorised' } : undefined
    }),
  },
]

export default faults
