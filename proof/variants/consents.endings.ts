import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import { consentExpired } from '../../bank/policies/consents.ts'
import type { Consent } from '../../bank/state/consents.ts'
import { stateOf } from '../../bank/state/state.ts'
import { DAY } from '../../engine/record/durations.ts'
import { consentNamed, isAbout } from '../altering/consent-requests.ts'
import { partOf } from '../altering/rewriting.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobin, roundRobinPerKey } from '../run/round-robin.ts'

/** Milliseconds for which a denied consent still exists. */
const SOON = 200

const KIND = 'account-access'

/** Milliseconds until a deletion or revocation has reached every server. */
const LATE = 1000

/** How a consent ended for the TPP; undefined where it did not. */
function endOf(consent: Consent): string | undefined {
  if (consent.deleted !== undefined) return 'Deleted'
  if (consentExpired(consent)) return 'Expired'
  return consent.status === 'Rejected' ? 'Rejected' : undefined
}

/** The consent as it was before it was deleted, revoked or denied; it may have expired or lapsed before that. */
function beforeItsEnd({ deleted: _, ...consent }: Consent): Consent {
  return { ...consent, status: 'Authorised' }
}

const variants: Variant[] = [
  {
    id: 'newest-consent-alone-waits',
    story:
      'How long a consent waits for its customer is not shown: until the same client asks for the next one.',
    async middleware(ctx, next) {
      await next()
      if (ctx.status !== 201 || !isAbout(ctx, KIND, 'POST')) return
      const waiting = stateOf(ctx)
        .bank.services.consents.all()
        .filter(({ kind, status, deleted }) => {
          return kind === KIND && status === 'AwaitingAuthorisation' && !deleted
        })
      const last = waiting.at(-1)
      for (const one of waiting) {
        if (one === last || one.clientId !== last?.clientId) continue
        one.deleted = Date.now()
        stateOf(ctx).fired()
      }
    },
  },
  {
    id: 'ends-take-effect-later',
    story:
      'That access is rejected "at any time" after a deletion or revocation names no second: caches of the query and of the data servers follow within seconds.',
    policies: (correct, { fired }) => {
      const fresh = (since: number | undefined) => since !== undefined && Date.now() - since < LATE
      return {
        tokensDie: () => false,
        visibleToTpp(consent) {
          if (!fresh(consent.deleted)) return correct.visibleToTpp(consent)
          fired()
          return true
        },
        consentUsable(consent, age) {
          const late = consent.status === 'Revoked' && fresh(consent.statusUpdated)
          if (!fresh(consent.deleted) && !late) return correct.consentUsable(consent, age)
          fired()
          return correct.consentUsable(beforeItsEnd(consent), age)
        },
      }
    },
    target: (document) => {
      document.settlingTime = 5
    },
  },
  {
    id: 'ends-reach-caches-later',
    story:
      'The same second is named for nobody: what is read by an older token, with a filter or while nobody is there comes from caches that follow later.',
    policies: (correct, { fired }) => ({
      tokensDie: () => false,
      consentUsable(consent, age) {
        const refusal = correct.consentUsable(consent, age)
        const ctx = currentRequest()
        const ended = consent.deleted ?? consent.statusUpdated
        if (!refusal || !ctx || Date.now() - ended > LATE) return refusal
        const absent = ctx.get('x-fapi-customer-ip-address') === ''
        if (!absent && ctx.querystring === '' && tokenInfoOf(ctx)?.refreshed) return refusal
        fired()
        return correct.consentUsable(beforeItsEnd(consent), age)
      },
    }),
    target: (document) => {
      document.settlingTime = 5
    },
  },
  {
    id: 'ends-reach-data-later',
    story:
      'Nor is it named for data: the query says at once that a consent is deleted, refresh tokens and data servers hear of it within a second.',
    policies: (correct, { fired }) => {
      const late = ({ deleted }: Consent) => deleted !== undefined && Date.now() - deleted < LATE
      return {
        tokensDie: () => false,
        refreshable: (consent, age) => late(consent) || correct.refreshable(consent, age),
        consentUsable(consent, age) {
          if (!late(consent)) return correct.consentUsable(consent, age)
          fired()
          return correct.consentUsable(beforeItsEnd(consent), age)
        },
      }
    },
    target: (document) => {
      document.settlingTime = 5
    },
  },
  {
    id: 'revocations-reach-one-replica-later',
    story:
      'Nor is it named for the query: of two replicas that answer by turns one hears of a revocation within seconds, and shows the consent as it was until then.',
    policies: (correct, { fired }) => {
      const isLateOne = roundRobinPerKey([false, true] as const)
      return {
        consentView(consent, spelling) {
          const view = correct.consentView(consent, spelling)
          const isLate = Date.now() - consent.statusUpdated < LATE
          if (consent.status !== 'Revoked' || !isLate) return view
          fired()
          if (!isLateOne(consent.id)) return view
          const before = {
            ...consent,
            status: 'Authorised' as const,
            statusUpdated: consent.created,
          }
          return correct.consentView(before, spelling)
        },
      }
    },
    target: (document) => {
      document.settlingTime = 5
    },
  },
  {
    id: 'approvals-reach-one-replica-later',
    story:
      'Nor is it named for an approval: of two replicas that answer by turns one hears of it within a second, and shows the consent as it was until then.',
    policies: (correct, { fired }) => {
      const isLateOne = roundRobin([true, false])
      return {
        consentView(consent, spelling) {
          const isLate = Date.now() - consent.statusUpdated < LATE
          if (consent.status !== 'Authorised' || !isLate || !isLateOne(consent.id)) {
            return correct.consentView(consent, spelling)
          }
          fired()
          const status = 'AwaitingAuthorisation' as const
          const before = { ...consent, status, statusUpdated: consent.created }
          return correct.consentView(before, spelling)
        },
      }
    },
    target: (document) => {
      document.settlingTime = 5
    },
  },
  {
    id: 'consents-expire-ninety-days-after-confirmation',
    story:
      'What ExpirationDateTime is when none was sent is not shown: the date of the next re-confirmation.',
    policies: (correct, { fired }) => ({
      consentView(consent, spelling) {
        const { confirmed, kind } = consent
        if (kind !== 'account-access' || !confirmed || consent.expires !== undefined) {
          return correct.consentView(consent, spelling)
        }
        fired()
        return correct.consentView({ ...consent, expires: confirmed + 90 * DAY }, spelling)
      },
    }),
  },
  {
    id: 'consents-expire-by-their-date',
    story:
      'How a consent comes to its end before its time is not shown: its ExpirationDateTime is brought forward, and its Status stays.',
    policies: (correct, { fired }) => ({
      consentView(consent, spelling) {
        const { expires, ahead } = consent
        if (expires === undefined || ahead.expiry === 0) {
          return correct.consentView(consent, spelling)
        }
        fired()
        return correct.consentView({ ...consent, expires: expires - ahead.expiry }, spelling)
      },
    }),
  },
  {
    id: 'denied-consents-in-any-state',
    story:
      'The complete list of Status values and transitions is not shown: a denial changes none, or makes a consent Revoked.',
    policies: (_correct, { fired }) => {
      const after = roundRobinPerKey([undefined, 'Revoked'] as const)
      return {
        statusAfterDenial(before) {
          fired()
          const path = currentRequest()?.path ?? ''
          return before === 'AwaitingAuthorisation' ? (after(path) ?? before) : before
        },
      }
    },
  },
  {
    id: 'ended-consents-say-so',
    story:
      'The complete list of Status values is not shown, nor any transition on expiry: an expired consent has Status Expired; after 90 days it is AwaitingReconfirmation.',
    policies: (correct, { fired }) => ({
      consentView(consent, spelling) {
        const view = correct.consentView(consent, spelling)
        const unconfirmed = consent.ahead.confirmation !== 0 && consent.status === 'Authorised'
        const expired = correct.consentExpired(consent)
        if (!expired && !unconfirmed) return view
        fired()
        return { ...view, Status: expired ? 'Expired' : 'AwaitingReconfirmation' }
      },
    }),
  },
  {
    id: 'expired-consents-vanish',
    story: 'Any transition on expiry is not shown: an expired consent is not there any more.',
    policies: (correct, { fired }) => ({
      visibleToTpp(consent) {
        if (!correct.consentExpired(consent)) return correct.visibleToTpp(consent)
        fired()
        return false
      },
    }),
  },
  {
    id: 'denied-consents-vanish-soon',
    story:
      'What becomes of a denied consent is not shown: it can be queried for a while, and is then removed like anything that nobody needs.',
    policies: (correct, { fired }) => ({
      visibleToTpp(consent) {
        const removed = consent.status === 'Rejected' && Date.now() - consent.statusUpdated > SOON
        if (!removed) return correct.visibleToTpp(consent)
        fired()
        return false
      },
    }),
  },
  {
    id: 'refusals-say-how-a-consent-ended',
    story:
      'What the query of a denied or expired consent gives is not shown, nor the body of an error: 410, with the consent and how it ended.',
    policies: (correct) => ({
      visibleToTpp: (consent) => correct.visibleToTpp(consent) && endOf(consent) === undefined,
    }),
    async middleware(ctx, next) {
      await next()
      const consent = consentNamed(ctx)
      const isOwn = consent?.clientId === tokenInfoOf(ctx)?.clientId
      const end = consent && isOwn && endOf(consent)
      if (!end || !isAbout(ctx, KIND, 'GET') || ctx.status !== 400) return
      ctx.status = 410
      ctx.body = { Data: { ConsentId: consent.id, Status: end }, Risk: {} }
      stateOf(ctx).fired()
    },
  },
  {
    id: 'second-deletion-is-204',
    story: 'What a second DELETE of a deleted consent gives is not shown: there is nothing to do.',
    async middleware(ctx, next) {
      const deletes = ctx.method === 'DELETE' && partOf(ctx) === 'consents'
      const id = ctx.path.split('/').at(-1) ?? ''
      const consent = deletes ? stateOf(ctx).bank.services.consents.get(id) : undefined
      const deleted = consent?.deleted !== undefined
      await next()
      const token = tokenInfoOf(ctx)
      const scope = consent?.kind === KIND ? 'accounts' : 'fundsconfirmations'
      const isOwn = token?.clientId === consent?.clientId && token?.scopes.includes(scope)
      if (!deleted || !isOwn || ctx.status === 401) return
      ctx.body = null
      ctx.status = 204
      ctx.state.fired()
    },
  },
]

export default variants
