import { currentRequest } from '../../bank/current.ts'
import type { Reason } from '../../bank/refusals.ts'
import { stateOf } from '../../bank/state.ts'
import type { Variant } from '../proof.ts'
import { partOf, refusals, statuses } from '../rewriting.ts'

/** The consent in the path of the request, also a deleted or a foreign one. */
function consentAsked() {
  const ctx = currentRequest()
  if (!ctx) return undefined
  const id = ctx.path.split('/').at(-1) ?? ''
  return stateOf(ctx).bank.inside.consents.get(decodeURIComponent(id))
}

const asksToDelete = () => currentRequest()?.method === 'DELETE'
const asksForData = () => {
  const ctx = currentRequest()
  return ctx !== undefined && partOf(ctx) === 'data'
}
const WRONG_BODY: Reason[] = [
  'malformed',
  'field-missing',
  'field-invalid',
  'field-unexpected',
  'date-invalid',
  'permission-unsupported',
  'scheme-unsupported',
]

const variants: Variant[] = [
  {
    id: 'unknown-consent-is-404',
    story:
      'An invalid ConsentId gives "an error response" whose status is not shown (Errors): the gateway says 404, for queries and deletions.',
    policies: statuses((reason) => {
      if (reason === 'consent-unknown') return 404
      return reason === 'consent-other-client' && asksToDelete() && !consentAsked()
        ? 404
        : undefined
    }),
  },
  {
    id: 'unknown-consent-deletion-is-400',
    story:
      'An invalid ConsentId gives "an error response" whose status is not shown (Errors): 400 as in 3.1.2, for deletions as well.',
    policies: statuses((reason) =>
      reason === 'consent-other-client' && asksToDelete() && !consentAsked() ? 400 : undefined,
    ),
  },
  {
    id: 'foreign-consent-looks-unknown',
    story:
      'The query of another client\'s consent gives "an error response" whose status is not shown (Errors): 400, so that nobody learns which ids exist.',
    policies: statuses((reason) =>
      reason === 'consent-other-client' && !asksToDelete() ? 400 : undefined,
    ),
  },
  {
    id: 'foreign-consent-deletion-is-404',
    story:
      'Deleting another client\'s consent gives "an error response" whose status is not shown, says the last but one row of Errors; another row says 403.',
    policies: statuses((reason) =>
      reason === 'consent-other-client' && asksToDelete() ? 404 : undefined,
    ),
    warns: ['CLC-22/with-403', 'FCC-23/with-403'],
    because: 'AMB-03: two rows cover the case, and one of them says 403.',
  },
  {
    id: 'deleted-consent-is-gone',
    story:
      'After its deletion "the TPP can no longer query" a consent; the status is not shown. 410 says it best.',
    policies: statuses((reason) =>
      reason === 'consent-unknown' && consentAsked()?.deleted !== undefined ? 410 : undefined,
    ),
  },
  {
    id: 'wrong-bodies-are-422',
    story:
      'The status that rejects an unsupported permission is not shown (Errors), nor any other for a wrong body: the framework says 422.',
    policies: statuses((reason) => (WRONG_BODY.includes(reason) ? 422 : undefined)),
  },
  {
    id: 'unsupported-permission-is-403',
    story:
      'The status that rejects an unsupported permission is not shown (Errors): 403, since the TPP may not have it.',
    policies: statuses((reason) => (reason === 'permission-unsupported' ? 403 : undefined)),
  },
  {
    id: 'accounts-not-found-are-404',
    story:
      "No sentence says how an AccountId that is not one of the consent's is refused: as any resource that is not there.",
    policies: statuses((reason) => (reason.startsWith('account-') ? 404 : undefined)),
  },
  {
    id: 'accounts-not-found-are-400',
    story: 'No sentence says how an AccountId is refused: 400, be it unknown or foreign.',
    policies: statuses((reason) => (reason === 'account-foreign' ? 400 : undefined)),
  },
  {
    id: 'accounts-not-found-are-403',
    story: 'No sentence says how an AccountId is refused: 403, be it unknown or foreign.',
    policies: statuses((reason) => (reason === 'account-unknown' ? 403 : undefined)),
  },
  {
    id: 'missing-permission-is-401',
    story:
      'The status that refuses a data request without the permission is not shown (Data endpoints 2, 3): 401 with a challenge.',
    policies: statuses((reason) => (reason === 'permission-missing' ? 401 : undefined)),
  },
  {
    id: 'missing-permission-is-404',
    story:
      'The status that refuses a data request without the permission is not shown (Data endpoints 2, 3): the resource does not exist under such a consent.',
    policies: statuses((reason) => (reason === 'permission-missing' ? 404 : undefined)),
  },
  {
    id: 'wrong-token-for-data-is-403',
    story:
      '401 for an invalid token is shown for deletions only (Errors): data requests with a token that opens nothing get 403.',
    policies: statuses((reason) =>
      asksForData() && (reason === 'token-invalid' || reason === 'token-other-client')
        ? 403
        : undefined,
    ),
  },
  {
    id: 'missing-token-is-400',
    story:
      '401 for a missing token is shown for deletions only (Errors): elsewhere the gateway misses a header and says 400.',
    policies: statuses((reason) =>
      reason === 'token-missing' && !asksToDelete() ? 400 : undefined,
    ),
  },
  {
    id: 'ended-consents-are-401',
    story:
      'By which status access under a revoked, expired or unconfirmed consent is rejected is not shown: always 401.',
    policies: statuses((reason, usual) => {
      const ended = reason === 'consent-not-authorised' || reason === 'reconfirmation-due'
      return ended && usual !== 401 ? 401 : undefined
    }),
  },
  {
    id: 'ended-consents-are-403',
    story:
      'By which status access under an expired or unconfirmed consent is rejected is not shown: always 403.',
    policies: statuses((reason) => (reason === 'consent-expired' ? 403 : undefined)),
  },
  {
    id: 'wrong-filters-are-404',
    story: 'The status for a filter that is no date-time is not shown: no route matches it.',
    policies: statuses((reason) => (reason === 'parameter-invalid' ? 404 : undefined)),
  },
  {
    id: 'wrong-filters-are-ignored',
    story:
      'The filters are "both optional", and what a value that is no RFC 3339 date-time does is not shown: it is as good as none.',
    async middleware(ctx, next) {
      const { query } = ctx
      const date = /^\d{4}-\d\d-\d\dT/
      for (const name of ['fromBookingDateTime', 'toBookingDateTime']) {
        const value = query[name]
        if (value === undefined || date.test(String(value))) continue
        delete query[name]
        ctx.state.fired()
      }
      ctx.query = query
      await next()
    },
    warns: ['TXN-19/malformed'],
    because: 'That a value which is no date-time is refused is implied only, so a should.',
  },
  {
    id: 'other-methods-are-404',
    story:
      'Which status answers a method or path outside the table of endpoints is not shown: nothing is there.',
    policies: statuses((reason) => (reason === 'method' ? 404 : undefined)),
  },
  {
    id: 'unlisted-paths-are-403',
    story:
      'Which status answers a path outside the table of endpoints is not shown: a gateway refuses what it has no policy for.',
    policies: statuses((reason) =>
      reason === 'not-found' || reason === 'method' ? 403 : undefined,
    ),
  },
  {
    id: 'token-refusals-are-400',
    story:
      "The statuses of the token endpoint's refusals are not shown; by RFC 6749 5.2 all of them may be 400.",
    middleware: refusals(['token'], (ctx) => {
      if (ctx.status === 400) return false
      ctx.status = 400
      ctx.remove('www-authenticate')
    }),
  },
  {
    id: 'token-refusals-are-403',
    story:
      "The statuses of the token endpoint's refusals are not shown: its gateway turns every 4xx into 403.",
    middleware: refusals(['token'], (ctx) => {
      ctx.status = 403
    }),
  },
  {
    id: 'registration-refusals-are-401',
    story:
      'The status of a refused registration is not shown: who cannot prove to be the software is unauthorised.',
    middleware: refusals(['registration'], (ctx) => {
      ctx.status = 401
    }),
  },
]

export default variants
