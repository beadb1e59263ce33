import { currentRequest } from '../../../bank/listeners/request-context.ts'
import type { Consent } from '../../../bank/state/consents.ts'
import { consentNamed } from '../../altering/consent-requests.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** Consents for which data have been requested. */
const used = ofEachBank(() => new Set<string>())
const isUnused = ({ id }: Consent) => !used().has(id)
const use = ({ id }: Consent) => used().add(id)

const faults: Fault[] = [
  {
    id: 'deletion-forgets-the-code',
    story:
      'An authorisation code that was not used before the consent was deleted still gives tokens that read data.',
    fails: ['CLC-04/late-code'],
    policies: (correct, { fired }) => {
      const forgotten = new Set<string>()
      return {
        tokensDie(event) {
          const ctx = currentRequest()
          const consent = ctx && event === 'deleted' ? consentNamed(ctx) : undefined
          if (!consent?.customerId || !isUnused(consent)) return correct.tokensDie(event)
          forgotten.add(consent.id)
          return false
        },
        refreshable: (consent, age) =>
          forgotten.has(consent.id) || correct.refreshable(consent, age),
        consentUsable(consent, age) {
          if (forgotten.has(consent.id)) return void fired()
          use(consent)
          return correct.consentUsable(consent, age)
        },
      }
    },
  },
  {
    id: 'revocation-forgets-the-code',
    story:
      'An authorisation code that was not used before the consent was revoked still gives tokens that read data.',
    fails: ['CLC-11/late-code'],
    policies: (correct, { fired }) => {
      const forgotten = (consent: Consent) => consent.status === 'Revoked' && isUnused(consent)
      return {
        // Other revoked consents are refused by their Status anyway.
        tokensDie: (event) => event !== 'revoked' && correct.tokensDie(event),
        refreshable: (consent, age) => forgotten(consent) || correct.refreshable(consent, age),
        consentUsable(consent, age) {
          if (forgotten(consent)) return void fired()
          use(consent)
          return correct.consentUsable(consent, age)
        },
      }
    },
  },
  {
    id: 'approval-of-a-deleted-consent-writes-it-back',
    story: 'If a consent is deleted while the customer is on the page, the approval restores it.',
    fails: ['CLC-04/at-the-page'],
    policies: (correct, { fired }) => ({
      authorisable(consent, clientId, scopes, age) {
        if (consent?.deleted && currentRequest()?.path.endsWith('/decision')) {
          fired()
          consent.deleted = undefined
        }
        return correct.authorisable(consent, clientId, scopes, age)
      },
    }),
  },
  {
    id: 'code-of-a-consent-deleted-at-the-page',
    story:
      'If a consent is deleted while the customer is on the page, the approval still gives a code whose tokens read data.',
    fails: ['CLC-04/at-the-page'],
    policies: (correct, { fired }) => {
      const late = new Set<string>()
      return {
        authorisable(consent, clientId, scopes, age) {
          const right = correct.authorisable(consent, clientId, scopes, age)
          if (!consent?.deleted || !currentRequest()?.path.endsWith('/decision')) return right
          fired()
          late.add(consent.id)
          return undefined
        },
        refreshable: (consent, age) => late.has(consent.id) || correct.refreshable(consent, age),
        consentUsable: (consent, age) =>
          late.has(consent.id) ? undefined : correct.consentUsable(consent, age),
      }
    },
  },
  {
    id: 'expiry-not-looked-at-for-a-code',
    story:
      'A code exchanged after the ExpirationDateTime of the consent still gives tokens that read data.',
    fails: ['CLC-16/late-code'],
    policies: (correct, { fired }) => ({
      refreshable: (consent, age) =>
        correct.refreshable(consent, isUnused(consent) ? { ...age, expired: false } : age),
      consentUsable(consent, age) {
        if (!age.expired || !isUnused(consent)) {
          use(consent)
          return correct.consentUsable(consent, age)
        }
        fired()
        return correct.consentUsable(consent, { ...age, expired: false })
      },
    }),
  },
]

export default faults
