import type { Context, Next } from 'koa'
import { currentRequest } from '../../../bank/request-context.ts'
import { revokeGrants } from '../../../bank/services.ts'
import { stateOf } from '../../../bank/state.ts'
import { consentNamed, isAbout } from '../../consent-requests.ts'
import type { Fault } from '../../proof.ts'

const KIND = 'account-access'

const faults: Fault[] = [
  {
    id: 'authorised-consent-deleted-by-any-client',
    story: 'The owner is compared while a consent waits; afterwards its customer is.',
    fails: ['CLC-08/authorised'],
    policies: (correct, { fired }) => ({
      ownsConsent(consent, clientId) {
        const own = correct.ownsConsent(consent, clientId)
        const deleting = currentRequest()?.method === 'DELETE'
        if (own || consent.status !== 'Authorised' || !deleting) return own
        fired()
        return true
      },
    }),
  },
  {
    id: 'refused-deletion-ends-the-tokens',
    story: 'Tokens are revoked first, by ConsentId; then the owner is looked at.',
    fails: ['CLC-08/authorised'],
    async middleware(ctx: Context, next: Next) {
      await next()
      const consent = isAbout(ctx, KIND, 'DELETE') ? consentNamed(ctx) : undefined
      if (ctx.status !== 403 || !consent || consent.grants.size === 0) return
      revokeGrants(stateOf(ctx).bank.services, consent)
      stateOf(ctx).fired()
    },
  },
  {
    id: 'expired-consent-revived',
    story: 'Re-confirmation sets the clock of a consent to zero, also one that had run out.',
    fails: ['CLC-16/not-revived'],
    policies: (correct, { fired }) => ({
      authorisable(consent, clientId, scopes, age) {
        if (!age?.expired || !consent) return correct.authorisable(consent, clientId, scopes, age)
        fired()
        consent.ahead.expiry = 0
        return correct.authorisable(consent, clientId, scopes, { ...age, expired: false })
      },
    }),
  },
  {
    id: 'revocation-ends-bulk-endpoints-only',
    story: 'The list of endpoints that ask for the consent’s status lacks those of one account.',
    fails: ['CLC-11/data-refused'],
    policies: (correct, { fired }) => ({
      tokensDie: (event) => event !== 'revoked' && correct.tokensDie(event),
      consentUsable(consent, age) {
        const single = /\/accounts\/[^/]+/.test(currentRequest()?.path ?? '')
        if (consent.status !== 'Revoked' || !single) return correct.consentUsable(consent, age)
        fired()
        return undefined
      },
    }),
  },
  {
    id: 'revocation-ends-the-first-confirmation-only',
    story: 'Each confirmation is a row, and a revocation marks the first of them.',
    fails: ['CLC-11/re-confirmed'],
    policies: (correct, { fired }) => ({
      tokensDie: (event) => event !== 'revoked' && correct.tokensDie(event),
      consentUsable(consent, age) {
        if (consent.status !== 'Revoked' || consent.grants.size < 2) {
          return correct.consentUsable(consent, age)
        }
        fired()
        return undefined
      },
    }),
  },
]
export default faults
