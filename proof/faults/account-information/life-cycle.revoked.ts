import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { stateOf } from '../../../bank/state/state.ts'
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
    story: 'A revoked consent shows Revoked in the first query and Authorised in later ones.',
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
      'Each query of a revoked consent changes its StatusUpdateDateTime to the time of the query.',
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
    story:
      'Every second query of a revoked consent shows Authorised, because one of two replicas is not updated.',
    fails: ['CLC-10/stays-revoked'],
    middleware: answered('account-access', 'GET', (data) => {
      if (data.Status !== 'Revoked') return undefined
      const count = (queries().get(data.ConsentId) ?? 0) + 1
      queries().set(data.ConsentId, count)
      return count % 2 === 0 ? { ...data, Status: 'Authorised' } : undefined
    }),
  },
  {
    id: 'older-consents-are-shown-as-revoked',
    story:
      'If a customer has two consents for one client, the older one shows Revoked, but its tokens still read data.',
    fails: ['CLC-11/shown-revoked'],
    policies: (correct, { fired }) => ({
      consentView(consent, spelling) {
        const ctx = currentRequest()
        const all = ctx
          ? stateOf(ctx).bank.services.consents.ofCustomer(consent.customerId ?? '')
          : []
        const isOlder = all.some(
          ({ kind, clientId, created }) =>
            kind === consent.kind && clientId === consent.clientId && created > consent.created,
        )
        if (!isOlder || consent.status !== 'Authorised')
          return correct.consentView(consent, spelling)
        fired()
        return correct.consentView({ ...consent, status: 'Revoked' }, spelling)
      },
    }),
  },
]

export default faults
