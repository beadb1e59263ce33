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
      'When a client creates a consent, its earlier consents in AwaitingAuthorisation end. How long a consent waits for its customer is not shown.',
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
      'After a delete or revocation, queries and data requests still work for a second. The document says "at any time" and names no delay; caches need a moment.',
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
      'After the end of a consent, data requests with an older token, with a filter or without the customer still work for a second, because caches answer them. The document names no delay.',
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
      'After a delete, the query is refused at once, but refresh tokens and data requests still work for a second. The document names no delay.',
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
      'After a revocation, one of two servers still shows the consent as Authorised for a second. The document names no delay.',
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
      'After an approval, one of two servers still shows the consent as AwaitingAuthorisation for a second. The document names no delay.',
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
      'A consent created without ExpirationDateTime shows the date of its next re-confirmation as its expiry. What it is then is not shown.',
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
      'A consent that is ended early has an earlier ExpirationDateTime and keeps its Status. How a consent ends early is not shown.',
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
      'A denied consent keeps AwaitingAuthorisation or becomes Revoked. The complete list of Status values and transitions is not shown.',
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
      'An expired consent has Status Expired, and one that is due for re-confirmation has AwaitingReconfirmation. The complete list of Status values, and any transition on expiry, is not shown.',
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
    story: 'An expired consent cannot be queried. Any transition on expiry is not shown.',
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
      'A denied consent can be queried for a short time and is then removed. What becomes of a denied consent is not shown.',
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
      'The query of a denied, expired or deleted consent gets 410 with the ConsentId and how it ended. Neither this response nor the body of an error is shown.',
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
    story: 'A second delete of a deleted consent gets 204. What it gets is not shown.',
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
