import { currentRequest } from '../../../bank/request-context.ts'
import { revokeGrants } from '../../../bank/services.ts'
import { stateOf } from '../../../bank/state.ts'
import { bySecond } from '../../cells/parties.ts'
import { consentNamed, isAbout } from '../../consent-requests.ts'
import type { Fault } from '../../proof.ts'

const KIND = 'account-access'

/** What goes wrong once a consent was confirmed twice, and where an end takes what is not its own. */
const faults: Fault[] = [
  {
    id: 'revocation-of-re-confirmed-not-shown',
    story: 'Each confirmation is a row of its own, and the status shown is that of the last.',
    fails: ['CLC-10/re-confirmed'],
    policies: (correct, { fired }) => ({
      consentView(consent, spelling) {
        if (consent.status !== 'Revoked' || consent.grants.size < 2) {
          return correct.consentView(consent, spelling)
        }
        fired()
        return correct.consentView({ ...consent, status: 'Authorised' }, spelling)
      },
    }),
  },
  {
    id: 'deletion-of-revoked-re-confirmed-refused',
    story: 'What was confirmed twice is in the archive, which knows no deletion.',
    fails: ['CLC-01/re-confirmed'],
    policies: (correct, { fired }) => ({
      visibleToTpp(consent) {
        const deleting = currentRequest()?.method === 'DELETE' && consent.status === 'Revoked'
        if (!deleting || consent.grants.size < 2) return correct.visibleToTpp(consent)
        fired()
        return false
      },
    }),
  },
  {
    id: 'deletion-of-revoked-re-confirmed-does-nothing',
    story: 'The row of the last confirmation is deleted, and that of the first is shown.',
    fails: ['CLC-03/revoked-re-confirmed'],
    policies: (correct, { fired }) => ({
      visibleToTpp(consent) {
        const right = correct.visibleToTpp(consent)
        if (right || consent.status !== 'Revoked' || consent.grants.size < 2) return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'deletion-by-the-second-client-ends-others',
    story: 'Tokens are withdrawn by customer, and the newer service forgets to look at the client.',
    fails: [],
    warns: ['CLC-19/second-client-deletes'],
    async middleware(ctx, next) {
      const deleted = isAbout(ctx, KIND, 'DELETE') && bySecond(ctx) ? consentNamed(ctx) : undefined
      await next()
      if (ctx.status !== 204 || !deleted?.customerId) return
      const { services } = stateOf(ctx).bank
      for (const other of services.consents.ofCustomer(deleted.customerId)) {
        if (other.clientId === deleted.clientId) continue
        revokeGrants(services, other)
        stateOf(ctx).fired()
      }
    },
  },
]

export default faults
