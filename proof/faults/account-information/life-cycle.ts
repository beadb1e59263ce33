import type { Context, Next } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import type { Consent } from '../../../bank/state/consents.ts'
import { ageOf } from '../../../bank/state/services.ts'
import { stateOf } from '../../../bank/state/state.ts'
import {
  answeredWith,
  consentData,
  consentNamed,
  isAbout,
  serving,
} from '../../altering/consent-requests.ts'
import { partOf, policy } from '../../altering/rewriting.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

const KIND = 'account-access'

/** Tokens of a consent still work where `still` returns true, although an event ended the consent. */
function worksOn(
  events: ('deleted' | 'revoked')[],
  still: (path: string) => boolean,
): NonNullable<Fault['policies']> {
  return (correct, { fired }) => ({
    tokensDie: (what) => !events.some((event) => event === what) && correct.tokensDie(what),
    consentUsable(consent, age) {
      const ended = events.some((event) =>
        event === 'deleted' ? consent.deleted : consent.status === 'Revoked',
      )
      if (!ended || !still(currentRequest()?.path ?? '')) return correct.consentUsable(consent, age)
      fired()
      return undefined
    },
  })
}

/** Changes the status of deletions, depending on the consent in the path. */
const deletionAnswers = (
  status: (ctx: Context, consent: Consent | undefined) => number | undefined,
) => answeredWith('any', 'DELETE', (ctx) => status(ctx, consentNamed(ctx)))

/** These consents remain visible to the client that deleted them. */
const stays =
  (which: (consent: Consent) => boolean): NonNullable<Fault['policies']> =>
  (correct, { fired }) => ({
    visibleToTpp(consent) {
      const right = correct.visibleToTpp(consent)
      if (right || !serving(KIND, 'GET') || !which(consent)) return right
      fired()
      return true
    },
  })

/** Access tokens that were used, with their consents, and access tokens that were ended. */
const sessions = ofEachBank(() => ({ ended: new Set<string>(), seen: new Map<string, Consent>() }))

/** Stores the permissions of a body for the consent in the path, if it belongs to the client that asks. */
const stored =
  (method: string): NonNullable<Fault['middleware']> =>
  async (ctx, next) => {
    const state = stateOf(ctx)
    const { clientId } = tokenInfoOf(ctx) ?? {}
    const consent = isAbout(ctx, KIND, method) ? consentNamed(ctx) : undefined
    if (!consent || consent.clientId !== clientId) return next()
    consent.permissions = JSON.parse(state.body).Data.Permissions
    ctx.status = 200
    ctx.body = { Data: { ConsentId: consent.id }, Risk: {} }
    state.fired()
  }

/** Shows consents with one Status to the TPP with other values. */
function shownOtherwise(status: Consent['status'], other: Partial<Consent>): Fault['policies'] {
  return (correct, { fired }) => ({
    consentView(consent, spelling) {
      if (consent.status !== status) return correct.consentView(consent, spelling)
      fired()
      return correct.consentView({ ...consent, ...other }, spelling)
    },
  })
}

const faults: Fault[] = [
  {
    id: 'consents-are-replaced-by-put',
    story:
      'A TPP can change the permissions of a consent with PUT, because the framework offers every method.',
    fails: [],
    warns: ['CLC-27/permissions'],
    middleware: stored('PUT'),
  },
  {
    id: 'consents-are-changed-by-patch',
    story:
      'A TPP can change the permissions of a consent with PATCH, a function made for the help desk.',
    fails: [],
    warns: ['CLC-27/permissions'],
    middleware: stored('PATCH'),
  },
  {
    id: 'deletion-of-revoked-brings-tokens-back',
    story: 'The delete of a revoked consent makes its tokens work again.',
    fails: ['CLC-04/revoked'],
    policies: (correct, { fired }) => ({
      tokensDie: () => false,
      consentUsable(consent, age) {
        const why = correct.consentUsable(consent, age)
        if (why === undefined || !consent.deleted || consent.status !== 'Revoked') return why
        fired()
        return undefined
      },
    }),
  },
  {
    id: 're-confirmed-consent-stays',
    story:
      'A re-confirmed consent can still be queried after its delete, because only the row of the first confirmation is marked.',
    fails: ['CLC-03/re-confirmed'],
    policies: stays(({ grants }) => grants.size > 1),
  },
  {
    id: 'revoked-consent-stays',
    story: 'A revoked consent can still be queried after its delete.',
    fails: ['CLC-03/revoked'],
    policies: stays(({ status }) => status === 'Revoked'),
  },
  {
    id: 'expired-consent-stays',
    story: 'An expired consent can still be queried after its delete.',
    fails: ['CLC-03/expired'],
    policies: stays(({ expires, ahead }) => expires !== undefined && ahead.expiry > 0),
  },
  {
    id: 'denied-consent-stays',
    story: 'A denied consent can still be queried after its delete.',
    fails: ['CLC-03/denied'],
    policies: stays(({ status }) => status === 'Rejected'),
  },
  {
    id: 'deleted-consent-stays-for-one-client',
    story:
      'The second client can still query a consent after its delete, because its replica is not updated.',
    fails: ['CLC-03/second-client'],
    policies: stays((consent) => {
      const { records, directory } = stateOf(currentRequest() as Context).bank.services
      const owner = records.peek('Client', consent.clientId)?.org_id
      return owner === directory.clients.second.organisationId && consent.customerId !== undefined
    }),
  },
  {
    id: 'unconfirmed-consents-are-not-deletable',
    story: 'The bank refuses the delete of a consent that was not re-confirmed for 90 days.',
    fails: ['CLC-01/after-ninety-days'],
    middleware: deletionAnswers((ctx, consent) => {
      if (ctx.status !== 204 || consent?.kind !== KIND) return undefined
      if (!ageOf(stateOf(ctx).bank.services, consent).reconfirmationDue) return undefined
      delete consent.deleted
      return 403
    }),
  },
  {
    id: 'only-live-consents-deletable',
    story: 'The bank refuses the delete of a denied or expired consent.',
    fails: ['CLC-01/denied', 'CLC-01/expired'],
    middleware: deletionAnswers((ctx, consent) => {
      if (ctx.status !== 204 || consent?.kind !== KIND) return undefined
      const { policies } = stateOf(ctx).bank.services
      if (consent.status !== 'Rejected' && !policies.consentExpired(consent)) return undefined
      delete consent.deleted
      return 403
    }),
  },
  {
    id: 'consent-deletion-answers-200',
    story: 'The delete of a consent has status 200 instead of 204.',
    fails: ['CLC-01/awaiting', 'FCC-12/answers-204'],
    middleware: deletionAnswers((ctx) => (ctx.status === 204 ? 200 : undefined)),
  },
  {
    id: 'unauthorised-consent-not-deletable',
    story: 'The bank refuses the delete of a consent in AwaitingAuthorisation.',
    fails: ['CLC-01/awaiting'],
    middleware: deletionAnswers((ctx, consent) => {
      if (
        ctx.status !== 204 ||
        consent?.kind !== KIND ||
        consent.status !== 'AwaitingAuthorisation'
      )
        return undefined
      delete consent.deleted
      return 400
    }),
  },
  {
    id: 'deletion-of-authorised-is-queued',
    story:
      'The delete of an authorised consent has status 202 instead of 204, because tokens are revoked later.',
    fails: ['CLC-01/authorised'],
    middleware: deletionAnswers((ctx, consent) =>
      ctx.status === 204 && consent?.status === 'Authorised' ? 202 : undefined,
    ),
  },
  {
    id: 'revoked-consent-not-deletable',
    story: 'The bank refuses the delete of a revoked consent.',
    fails: ['CLC-01/revoked'],
    async middleware(ctx: Context, next: Next) {
      const consent = isAbout(ctx, KIND, 'DELETE') ? consentNamed(ctx) : undefined
      if (consent?.status !== 'Revoked') return next()
      stateOf(ctx).fired()
      ctx.status = 400
      ctx.body = { Message: 'invalid consent status' }
    },
  },
  {
    id: 'deleted-once-authorised-still-queried',
    story: 'A consent that was approved can still be queried after its delete.',
    fails: ['CLC-03/query-refused'],
    policies: policy('visibleToTpp', (correct) => (consent) => {
      return (serving(KIND, 'GET') && consent.customerId !== undefined) || correct(consent)
    }),
  },
  {
    id: 'deleted-consent-comes-back',
    story:
      'After the delete of a consent, the first query is refused, but the next one returns the consent from a cache.',
    fails: ['CLC-03/query-refused'],
    policies: (correct, { fired }) => {
      const asked = new Set<string>()
      return {
        visibleToTpp(consent) {
          const visible = correct.visibleToTpp(consent)
          if (visible || !serving(KIND, 'GET')) return visible
          if (!asked.has(consent.id)) {
            asked.add(consent.id)
            return false
          }
          fired()
          return true
        },
      }
    },
  },
  {
    id: 'access-token-outlives-its-consent',
    story:
      'Access tokens still read data after the consent was deleted or revoked. They are self-contained and valid until they expire.',
    fails: ['CLC-04/data-refused', 'CLC-11/data-refused'],
    policies: worksOn(['deleted', 'revoked'], () => true),
  },
  {
    id: 'single-accounts-outlive-deletion',
    story:
      'GET /accounts/{AccountId} still returns data after the consent was deleted, because it checks only the token.',
    fails: ['CLC-04/data-refused'],
    policies: worksOn(['deleted'], (path) => /\/accounts\/[^/]+$/.test(path)),
  },
  {
    id: 'deletion-without-token-is-forbidden',
    story: 'A delete without an access token gets 403 instead of 401.',
    fails: ['CLC-07/without-authorization', 'FCC-13/without-authorization'],
    middleware: deletionAnswers((ctx) =>
      ctx.status === 401 && !ctx.get('authorization') ? 403 : undefined,
    ),
  },
  {
    id: 'deletion-without-token-works',
    story:
      'The bank accepts the delete of a consent without an access token, because it trusts the certificate.',
    fails: ['CLC-07/without-authorization'],
    async middleware(ctx: Context, next: Next) {
      const bare = isAbout(ctx, KIND, 'DELETE') && !ctx.get('authorization')
      const consent = bare ? consentNamed(ctx) : undefined
      if (!consent) return next()
      consent.deleted = Date.now()
      stateOf(ctx).fired()
      ctx.status = 204
    },
  },
  {
    id: 'deletion-takes-any-scheme',
    story:
      'The delete of a consent accepts the access token with the scheme Basic instead of Bearer.',
    fails: ['CLC-07/invalid-token'],
    async middleware(ctx: Context, next: Next) {
      const value = ctx.get('authorization')
      if (isAbout(ctx, KIND, 'DELETE') && value.startsWith('Basic ')) {
        ctx.req.headers.authorization = value.replace('Basic', 'Bearer')
        stateOf(ctx).fired()
      }
      await next()
    },
  },
  {
    id: 'deletion-with-expired-token',
    story: 'The delete of a consent accepts an expired access token.',
    fails: ['CLC-07/expired-token', 'FCC-13/expired-token'],
    policies: (correct, { fired }) => ({
      stored(model, id, record) {
        const seen = correct.stored(model, id, record)
        const now = Math.floor(Date.now() / 1000)
        const stale = model === 'ClientCredentials' && seen?.exp !== undefined && seen.exp < now
        if (!stale || !serving('any', 'DELETE')) return seen
        fired()
        return { ...seen, exp: now + 60 }
      },
    }),
  },
  {
    id: 'wrong-tokens-are-bad-requests',
    story: 'A delete with an invalid access token gets 400 instead of 401.',
    fails: ['CLC-07/invalid-token', 'CLC-07/expired-token', 'FCC-13/invalid-token'],
    because: 'Both deletions say so of tokens that are unknown, one check asks after expiry too.',
    middleware: deletionAnswers((ctx) =>
      ctx.status === 401 && ctx.get('authorization') ? 400 : undefined,
    ),
  },
  {
    id: 'refused-deletion-deletes',
    story:
      'A delete refused with 401 still deletes the consent, because the row is marked before the token is checked.',
    fails: ['CLC-07/nothing-deleted', 'FCC-13/nothing-deleted'],
    async middleware(ctx: Context, next: Next) {
      await next()
      const refused = isAbout(ctx, 'any', 'DELETE') && ctx.status === 401
      // An expired token is detected earlier.
      const early = !ctx.get('authorization') || ctx.get('authorization').startsWith('Basic')
      const consent = refused && early ? consentNamed(ctx) : undefined
      if (!consent) return
      consent.deleted = Date.now()
      stateOf(ctx).fired()
    },
  },
  {
    id: 'anybody-deletes-a-consent',
    story:
      'A client can delete a consent of another client, because the bank does not compare the owner.',
    fails: ['CLC-08/refused', 'FCC-14/refused'],
    policies: policy('ownsConsent', (correct) => (consent, clientId) => {
      return serving('any', 'DELETE') || correct(consent, clientId)
    }),
  },
  {
    id: 'foreign-deletion-ignored',
    story: "The delete of another client's consent gets 204, although nothing is deleted.",
    fails: ['CLC-08/refused'],
    middleware: deletionAnswers((ctx, consent) =>
      ctx.status === 403 && consent?.kind === KIND && !consent.deleted ? 204 : undefined,
    ),
  },
  {
    id: 'foreign-deletion-suspends',
    story:
      "The refused delete of another client's consent blocks that consent, because the bank treats it as an attack.",
    fails: ['CLC-08/survives', 'FCC-14/survives'],
    async middleware(ctx: Context, next: Next) {
      await next()
      const refused = isAbout(ctx, 'any', 'DELETE') && ctx.status === 403
      const consent = refused ? consentNamed(ctx) : undefined
      if (!consent || consent.deleted) return
      consent.status = 'Rejected'
      if (consent.kind !== KIND) consent.deleted = Date.now()
      stateOf(ctx).fired()
    },
  },
  {
    id: 'foreign-consent-is-not-found',
    story: "The delete of another client's consent gets 404 instead of 403.",
    fails: [],
    warns: ['CLC-22/with-403', 'FCC-23/with-403'],
    middleware: deletionAnswers((ctx, consent) =>
      ctx.status === 403 && consent && !consent.deleted ? 404 : undefined,
    ),
  },
  {
    id: 'foreign-authorised-consent-is-not-found',
    story: "The delete of another client's authorised consent gets 404 instead of 403.",
    fails: [],
    warns: ['CLC-22/authorised'],
    middleware: deletionAnswers((ctx, consent) =>
      ctx.status === 403 && consent?.status === 'Authorised' && !consent.deleted ? 404 : undefined,
    ),
  },
  {
    id: 'consents-of-the-second-client-are-not-found',
    story:
      'When the first client deletes a consent of the second client, it gets 404 instead of 403.',
    fails: [],
    warns: ['CLC-22/other-direction', 'FCC-23/other-direction'],
    middleware: deletionAnswers((ctx, consent) => {
      const first = tokenInfoOf(ctx)?.client === 'first'
      return ctx.status === 403 && consent && !consent.deleted && first ? 404 : undefined
    }),
  },
  {
    id: 'unknown-deletion-answers-204',
    story: 'The delete of an unknown ConsentId gets 204 instead of an error.',
    fails: ['CLC-09/invalid-id', 'FCC-15/invalid-id'],
    middleware: deletionAnswers((ctx, consent) =>
      ctx.status === 403 && !consent ? 204 : undefined,
    ),
  },
  {
    id: 'revocation-not-seen-by-the-tpp',
    story:
      'After the customer revokes a consent, its tokens stop working, but its Status does not become Revoked.',
    fails: ['CLC-10/sees-revoked'],
    policies: policy('statusAfterRevocation', () => (before) => before),
  },
  {
    id: 'revoked-consent-is-gone',
    story: 'A revoked consent cannot be queried, because the bank deletes it.',
    fails: ['CLC-10/sees-revoked'],
    policies: policy('visibleToTpp', (correct) => (consent) => {
      return consent.status !== 'Revoked' && correct(consent)
    }),
  },
  {
    id: 'revocation-leaves-update-time',
    story: 'A revocation does not change StatusUpdateDateTime.',
    fails: [],
    warns: ['CLC-12/status-update-moves'],
    policies: policy('statusUpdated', (correct) => (before) => {
      return currentRequest() ? correct(before) : before
    }),
  },
  {
    id: 'revoked-consents-were-updated-at-their-creation',
    story: 'A revoked consent shows its creation time as StatusUpdateDateTime.',
    fails: [],
    warns: ['CLC-12/status-update-moves'],
    middleware: consentData((data) =>
      data.Status === 'Revoked'
        ? { ...data, StatusUpdateDateTime: data.CreationDateTime }
        : undefined,
    ),
  },
  {
    id: 'revoked-until-2040',
    story: 'A revoked consent shows a StatusUpdateDateTime in 2040, the end of a block.',
    fails: [],
    warns: ['CLC-12/status-update-moves'],
    policies: shownOtherwise('Revoked', { statusUpdated: Date.UTC(2040, 0) }),
  },
  {
    id: 'denied-consents-are-authorised',
    story:
      'A denied consent has Status Authorised. The page reports only that the customer has decided.',
    fails: [],
    warns: ['CLC-24/denied'],
    policies: shownOtherwise('Rejected', { status: 'Authorised' }),
  },
  {
    id: 'deletion-takes-what-waits-before',
    story:
      "The delete of a consent in AwaitingAuthorisation also deletes the client's consent created before it.",
    fails: [],
    warns: ['CLC-19/awaiting-untouched'],
    async middleware(ctx, next) {
      const consent = isAbout(ctx, KIND, 'DELETE') ? consentNamed(ctx) : undefined
      await next()
      if (ctx.status !== 204 || !consent || consent.customerId) return
      const waiting = stateOf(ctx)
        .bank.services.consents.all()
        .filter(({ kind, clientId, customerId }) => {
          return kind === consent.kind && clientId === consent.clientId && !customerId
        })
      const before = waiting[waiting.indexOf(consent) - 1]
      if (!before || before.deleted) return
      before.deleted = Date.now()
      stateOf(ctx).fired()
    },
  },
  {
    id: 'no-expiry-is-the-first-of-january',
    story: 'A consent created without ExpirationDateTime shows 0001-01-01 as its expiry.',
    fails: ['CLC-16/as-shown'],
    middleware: consentData((data) =>
      data.Permissions && data.ExpirationDateTime === undefined
        ? { ...data, ExpirationDateTime: '0001-01-01T00:00:00Z' }
        : undefined,
    ),
  },
  {
    id: 'no-expiry-is-the-creation',
    story: 'A consent created without ExpirationDateTime shows its creation time as its expiry.',
    fails: ['CLC-16/as-shown'],
    middleware: consentData((data) =>
      data.Permissions && data.ExpirationDateTime === undefined
        ? { ...data, ExpirationDateTime: data.CreationDateTime }
        : undefined,
    ),
  },
  {
    id: 'approval-shows-an-expiry-of-1970',
    story:
      'A consent created without ExpirationDateTime shows 1970-01-01 as its expiry after the approval.',
    fails: ['CLC-16/as-shown'],
    middleware: consentData((data) =>
      data.Status === 'Authorised' && data.ExpirationDateTime === undefined
        ? { ...data, ExpirationDateTime: '1970-01-01T00:00:00.000Z' }
        : undefined,
    ),
  },
  {
    id: 'expiry-never-looked-at',
    story:
      'The bank stores and shows ExpirationDateTime, but access tokens still read data after it.',
    fails: ['CLC-16/data-refused'],
    policies: (correct, { fired }) => ({
      consentUsable(consent, age) {
        if (age.expired) fired()
        return correct.consentUsable(consent, { ...age, expired: false })
      },
    }),
  },
  {
    id: 'expiry-not-looked-at-for-one-account',
    story:
      'The endpoints of one account still return data after the ExpirationDateTime of the consent.',
    fails: ['CLC-16/data-refused'],
    policies: (correct, { fired }) => ({
      consentUsable(consent, age) {
        const single = /\/accounts\/[^/]+/.test(currentRequest()?.path ?? '')
        if (age.expired && single) fired()
        return correct.consentUsable(consent, { ...age, expired: age.expired && !single })
      },
    }),
  },
  {
    id: 'refresh-brings-expired-consent-back',
    story: 'A refresh after the ExpirationDateTime of the consent gives a token that reads data.',
    fails: ['CLC-16/refresh-gives-no-data'],
    policies: (correct, { fired }) => {
      const back = new Set<string>()
      return {
        refreshable(consent, age) {
          if (age.expired) back.add(consent.id)
          return correct.refreshable(consent, { ...age, expired: false })
        },
        consentUsable(consent, age) {
          const again = age.expired && back.has(consent.id)
          if (again) fired()
          return correct.consentUsable(consent, { ...age, expired: age.expired && !again })
        },
      }
    },
  },
  {
    id: 'ninety-days-never-end',
    story: 'Access tokens still read data 90 days after the last confirmation of the consent.',
    fails: ['CLC-18/data-refused'],
    policies: (correct, { fired }) => ({
      consentUsable(consent, age) {
        if (age.reconfirmationDue) fired()
        return correct.consentUsable(consent, { ...age, reconfirmationDue: false })
      },
    }),
  },
  {
    id: 'refresh-counts-as-reconfirmation',
    story:
      'Each refresh of a token starts the 90 days again, as if the customer had re-confirmed the consent.',
    fails: ['CLC-18/refresh-gives-no-data'],
    policies: (correct, { fired }) => ({
      refreshable(consent, age) {
        if (age.reconfirmationDue) {
          consent.confirmed = Date.now()
          consent.ahead.confirmation = 0
          fired()
        }
        return correct.refreshable(consent, { ...age, reconfirmationDue: false })
      },
    }),
  },
  {
    id: 'deletion-hides-the-other-consents',
    story:
      'The delete of a consent hides the other consents of this client and customer from the TPP.',
    fails: [],
    warns: ['CLC-19/others-untouched'],
    policies: (correct, { fired }) => {
      const emptied = new Set<string>()
      return {
        tokensDie(event) {
          const ctx = currentRequest()
          const consent = ctx && event === 'deleted' ? consentNamed(ctx) : undefined
          if (consent?.customerId) emptied.add(`${consent.clientId} ${consent.customerId}`)
          return correct.tokensDie(event)
        },
        visibleToTpp(consent) {
          const hidden = emptied.has(`${consent.clientId} ${consent.customerId}`)
          // The consent itself still exists for revocation and deletion.
          if (!hidden || !serving(KIND, 'GET') || consent.status === 'Revoked') {
            return correct.visibleToTpp(consent)
          }
          fired()
          return false
        },
      }
    },
  },
  {
    id: 'deletion-ends-the-access-tokens-of-other-consents',
    story:
      'The delete of a consent also ends the access tokens of other consents of this client and customer.',
    fails: ['TOK-17/honoured'],
    warns: ['CLC-19/others-untouched'],
    async middleware(ctx, next) {
      const token = ctx.get('authorization')
      const { ended, seen } = sessions()
      if (partOf(ctx) === 'data' && ended.has(token)) {
        stateOf(ctx).fired()
        ctx.status = 401
        ctx.set('www-authenticate', 'Bearer error="invalid_token"')
        return
      }
      await next()
      const used = partOf(ctx) === 'data' && tokenInfoOf(ctx)?.consent
      if (used) seen.set(token, used)
      const deleted = isAbout(ctx, KIND, 'DELETE') && ctx.status === 204
      const gone = deleted ? consentNamed(ctx) : undefined
      if (!gone?.customerId) return
      for (const [each, { id, clientId, customerId }] of seen) {
        const same = clientId === gone.clientId && customerId === gone.customerId
        if (same && id !== gone.id) ended.add(each)
      }
    },
  },
  {
    id: 'deletion-drops-the-next-data-request',
    story:
      'After the delete of a consent, the next data request for another consent is refused, because the token cache was emptied.',
    fails: [],
    warns: ['CLC-19/others-untouched'],
    policies: (correct, { fired }) => {
      let flushed = false
      return {
        tokensDie(event) {
          const ctx = currentRequest()
          const consent = ctx && event === 'deleted' ? consentNamed(ctx) : undefined
          if (consent?.customerId) flushed = true
          return correct.tokensDie(event)
        },
        consentUsable(consent, age) {
          if (!flushed || consent.deleted) return correct.consentUsable(consent, age)
          flushed = false
          fired()
          return 'consent-not-authorised'
        },
      }
    },
  },
]
export default faults
