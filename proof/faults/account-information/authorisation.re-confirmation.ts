import { stateOf } from '../../../bank/state/state.ts'
import { tokenForm } from '../../altering/jwt-rewrites.ts'
import { policy } from '../../altering/rewriting.ts'
import type { Fault } from '../../run/proof.ts'

/** Faults when a consent is authorised again. */

const faults: Fault[] = [
  {
    id: 'no-reconfirmation',
    story: 'The bank refuses the re-confirmation of an authorised consent.',
    fails: ['AUTHZ-16/same-intent'],
    policies: policy(
      'authorisable',
      (correct) =>
        (consent, ...rest) =>
          consent?.status === 'Authorised'
            ? 'the intent was authorised'
            : correct(consent, ...rest),
    ),
  },
  {
    id: 'one-reconfirmation',
    story: 'The bank refuses a second re-confirmation of a consent, because it stores only one.',
    fails: ['AUTHZ-16/once-more'],
    policies: policy(
      'authorisable',
      (correct) =>
        (consent, ...rest) =>
          consent?.status === 'Authorised' && consent.grants.size > 1
            ? 'the intent was re-confirmed'
            : correct(consent, ...rest),
    ),
  },
  {
    id: 'expiring-consents-not-re-confirmed',
    story: 'The bank refuses the re-confirmation of a consent with ExpirationDateTime.',
    fails: ['AUTHZ-16/one-account'],
    policies: policy(
      'authorisable',
      (correct) =>
        (consent, ...rest) =>
          consent?.status === 'Authorised' && consent.expires !== undefined
            ? 'the intent needs no confirmation'
            : correct(consent, ...rest),
    ),
  },
  {
    id: 'reconfirmation-covers-every-card',
    story:
      'A re-confirmed consent covers all accounts of the customer, not only the selected ones.',
    fails: ['ACC-21/re-confirmed'],
    policies: policy(
      'cardsOffered',
      (correct) => (consent, customer) =>
        consent.customerId === undefined ? correct(consent, customer) : customer.cards,
    ),
  },
  {
    id: 'code-of-reconfirmation-refused',
    story: 'The token endpoint refuses the code of a re-confirmation.',
    fails: ['AUTHZ-16/same-intent'],
    async middleware(ctx, next) {
      const { bank, fired } = stateOf(ctx)
      const { records, consents } = bank.services
      const code = tokenForm(ctx)?.get('code') ?? ''
      const grantId = records.peek('AuthorizationCode', code)?.grantId ?? ''
      if ((consents.ofGrant(grantId)?.grants.size ?? 0) < 2) return next()
      ctx.status = 400
      ctx.body = { error: 'invalid_grant', error_description: 'invalid intent status' }
      fired()
    },
  },
  {
    id: 'reconfirmation-drops-permissions',
    story:
      'A re-confirmation removes ReadTransactionsBasic from a consent that also has ReadTransactionsDetail.',
    fails: [],
    warns: ['AUTHZ-17/unchanged'],
    policies: policy('confirmableBy', (correct) => (consent, customer, offered) => {
      const hasBoth = consent.permissions.includes('ReadTransactionsDetail')
      if (consent.customerId !== undefined && hasBoth && consent.permissions.length > 4) {
        consent.permissions = consent.permissions.filter((one) => one !== 'ReadTransactionsBasic')
      }
      return correct(consent, customer, offered)
    }),
  },
]

export default faults
