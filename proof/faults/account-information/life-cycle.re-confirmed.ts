import { currentRequest } from '../../../bank/listeners/request-context.ts'
import type { Consent } from '../../../bank/state/consents.ts'
import { policy } from '../../altering/rewriting.ts'
import type { Fault } from '../../run/proof.ts'

/** Faults at the end of a consent that was confirmed twice. */
const faults: Fault[] = [
  {
    id: 'ninety-days-once',
    story:
      'After a re-confirmation, the bank does not ask for another one: tokens read data after the next 90 days.',
    fails: ['CLC-18/re-confirmed'],
    policies: policy('reconfirmationDue', (correct) => (consent, settings) => {
      return consent.grants.size > 1 ? false : correct(consent, settings)
    }),
  },
  {
    id: 'ninety-days-without-an-expiry-alone',
    story:
      'A consent with ExpirationDateTime needs no re-confirmation: tokens read data after 90 days.',
    fails: ['CLC-18/data-refused'],
    policies: policy('reconfirmationDue', (correct) => (consent, settings) => {
      return consent.expires !== undefined ? false : correct(consent, settings)
    }),
  },
  {
    id: 'ninety-days-since-any-approval',
    story:
      'The approval of another consent of the same client and customer starts the 90 days again for this consent.',
    fails: ['CLC-18/another-approved'],
    policies(correct, { fired }) {
      const confirmed = new Map<string, number>()
      const known = new WeakMap<Consent, number>()
      const who = ({ customerId, clientId }: Consent) => `${customerId} ${clientId}`
      return {
        confirmableBy(consent, customer, offered) {
          confirmed.set(who({ ...consent, customerId: customer.id }), Date.now())
          return correct.confirmableBy(consent, customer, offered)
        },
        reconfirmationDue(consent, settings) {
          const due = correct.reconfirmationDue(consent, settings)
          // Remember when a hook first made the re-confirmation due: later approvals count as more recent.
          if (due && !known.has(consent)) known.set(consent, Date.now())
          const since = known.get(consent)
          if (!due || since === undefined) return due
          if ((confirmed.get(who(consent)) ?? 0) <= since) return due
          fired()
          return false
        },
      }
    },
  },
  {
    id: 're-confirmed-never-expires',
    story: 'A re-confirmed consent ignores its ExpirationDateTime.',
    fails: ['CLC-16/every-endpoint'],
    policies: policy('consentExpired', (correct) => (consent) => {
      return consent.grants.size > 1 ? false : correct(consent)
    }),
  },
  {
    id: 'revocation-of-re-confirmed-not-shown',
    story: 'A re-confirmed consent does not show Revoked after its revocation.',
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
    story: 'The bank refuses the delete of a re-confirmed consent that was revoked.',
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
    story: 'A re-confirmed consent that was revoked can still be queried after its delete.',
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
]

export default faults
