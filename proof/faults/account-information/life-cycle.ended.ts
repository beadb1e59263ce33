import type { Context, Next } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import type { Consent } from '../../../bank/state/consents.ts'
import { ageOf, revokeGrants } from '../../../bank/state/services.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { answered, consentNamed, isAbout } from '../../altering/consent-requests.ts'
import { successes } from '../../altering/rewriting.ts'
import type { Fault } from '../../run/proof.ts'
import { roundRobinPerKey } from '../../run/round-robin.ts'

const KIND = 'account-access'

function hasExpired(consent: Consent | undefined): boolean {
  const ctx = currentRequest()
  return ctx !== undefined && !!consent && ageOf(stateOf(ctx).bank.services, consent).expired
}

function isDue(consent: Consent): boolean {
  const ctx = currentRequest()
  return ctx !== undefined && ageOf(stateOf(ctx).bank.services, consent).reconfirmationDue
}

/** Treats every client as the owner of these consents. */
const ownedByAll =
  (these: (consent: Consent) => boolean): Fault['policies'] =>
  (correct, { fired }) => ({
    ownsConsent(consent, clientId) {
      const own = correct.ownsConsent(consent, clientId)
      if (own || !these(consent)) return own
      fired()
      return true
    },
  })

/** Changes a consent when the authorisation page refuses it to a client that does not own it. */
const refusedToClient =
  (does: (consent: Consent, clientId: string) => void): Fault['policies'] =>
  (correct, { fired }) => ({
    authorisable(consent, clientId, scopes, age) {
      const reason = correct.authorisable(consent, clientId, scopes, age)
      if (!consent || consent.clientId === clientId || consent.deleted) return reason
      does(consent, clientId)
      fired()
      return reason
    },
  })

/** Changes an ended consent when a refresh is refused. */
const refusedRefresh =
  (does: (consent: Consent, age: ReturnType<typeof ageOf>) => boolean): Fault['policies'] =>
  (correct, { fired }) => ({
    tokensDie: () => false,
    refreshable(consent, age) {
      const right = correct.refreshable(consent, age)
      if (right || !consent || !does(consent, age)) return right
      fired()
      return right
    },
  })

const faults: Fault[] = [
  {
    id: 'refused-client-takes-the-consent',
    story:
      'If another client sends the ConsentId to the authorisation endpoint, the request is refused, but the consent then belongs to that client.',
    fails: ['SEC-05/after-visit'],
    warns: ['CLC-25/other-client'],
    policies: refusedToClient((consent, clientId) => {
      consent.clientId = clientId
    }),
  },
  {
    id: 'refused-client-rejects-the-consent',
    story:
      'If another client sends the ConsentId to the authorisation endpoint, the request is refused, and the consent becomes Rejected.',
    fails: [],
    warns: ['CLC-25/other-client'],
    policies: refusedToClient((consent) => {
      consent.status = 'Rejected'
      consent.statusUpdated = Date.now()
    }),
  },
  {
    id: 'stranger-at-the-page-ends-the-consent',
    story: 'If another customer logs in for a consent, the bank revokes that consent.',
    fails: [],
    warns: ['CLC-25/other-customer'],
    policies: (correct, { fired }) => ({
      confirmableBy(consent, customer, offered) {
        const reason = correct.confirmableBy(consent, customer, offered)
        if (!reason || !consent.customerId || consent.customerId === customer.id) return reason
        consent.status = 'Revoked'
        fired()
        return reason
      },
    }),
  },
  {
    id: 'refused-refresh-counts-as-confirmation',
    story:
      'A refresh refused after 90 days still starts the 90 days again, so the tokens work again.',
    fails: ['CLC-18/refresh-gives-no-data'],
    policies: refusedRefresh((consent, age) => {
      if (!age.reconfirmationDue) return false
      consent.ahead.confirmation = 0
      consent.confirmed = Date.now()
      return true
    }),
  },
  {
    id: 'refused-refresh-undoes-a-revocation',
    story: 'A refresh refused after a revocation sets the consent back to Authorised.',
    fails: ['TOK-31/revoked'],
    policies: refusedRefresh((consent) => {
      if (consent.status !== 'Revoked') return false
      consent.status = 'Authorised'
      return true
    }),
  },
  {
    id: 'authorised-consent-deleted-by-any-client',
    story:
      'Any client can delete an authorised consent, because the owner is compared only before the approval.',
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
    story:
      "The refused delete of another client's consent still revokes the tokens of that consent.",
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
    id: 'refused-deletion-of-a-waiting-consent-deletes',
    story:
      "The refused delete of another client's consent in AwaitingAuthorisation still deletes it.",
    fails: ['CLC-08/survives'],
    async middleware(ctx: Context, next: Next) {
      await next()
      const consent = isAbout(ctx, KIND, 'DELETE') ? consentNamed(ctx) : undefined
      if (ctx.status !== 403 || consent?.status !== 'AwaitingAuthorisation') return
      consent.deleted ??= Date.now()
      stateOf(ctx).fired()
    },
  },
  {
    id: 'deletion-of-a-waiting-consent-does-nothing',
    story: 'The delete of a consent in AwaitingAuthorisation gets 204, but nothing is deleted.',
    fails: ['CLC-03/query-refused'],
    async middleware(ctx: Context, next: Next) {
      await next()
      const consent = isAbout(ctx, KIND, 'DELETE') ? consentNamed(ctx) : undefined
      if (ctx.status !== 204 || consent?.status !== 'AwaitingAuthorisation') return
      delete consent.deleted
      stateOf(ctx).fired()
    },
  },
  {
    id: 'expired-consent-revived',
    story: 'A re-confirmation makes an expired consent valid again.',
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
    story: 'The endpoints of one account still return data after the consent was revoked.',
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
    story: 'After the revocation of a re-confirmed consent, its tokens still read data.',
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
  {
    id: 'revoked-consents-have-ids-of-their-own',
    story: 'A revoked consent shows another ConsentId, the key of an archive.',
    fails: ['CONS-22/asked-consent'],
    middleware: answered(KIND, 'GET', (data) =>
      data.Status === 'Revoked' ? { ...data, ConsentId: `archive-${data.ConsentId}` } : undefined,
    ),
  },
  {
    id: 'revoked-consents-have-no-risk',
    story: 'A revoked consent shows Risk null instead of an empty object.',
    fails: ['ENV-02/risk-empty'],
    middleware: successes(['consents'], (body) =>
      (body.Data as Record<string, unknown>).Status === 'Revoked'
        ? { ...body, Risk: null }
        : undefined,
    ),
  },
  {
    id: 'revoked-consents-answer-203',
    story: 'The query of a revoked consent has status 203 instead of 200.',
    fails: ['CONS-22/answers-200'],
    async middleware(ctx: Context, next: Next) {
      await next()
      const revoked = isAbout(ctx, KIND, 'GET') && consentNamed(ctx)?.status === 'Revoked'
      if (!revoked || ctx.status !== 200) return
      ctx.status = 203
      stateOf(ctx).fired()
    },
  },
  {
    id: 'revocation-moves-creation-time',
    story: 'A revocation changes CreationDateTime to the time of the revocation.',
    fails: ['CONS-22/after-revocation'],
    middleware: answered(KIND, 'GET', (data) =>
      data.Status === 'Revoked'
        ? { ...data, CreationDateTime: data.StatusUpdateDateTime }
        : undefined,
    ),
  },
  {
    id: 'revocation-takes-the-permissions',
    story: 'A revoked consent shows no Permissions.',
    fails: [],
    warns: ['CLC-23/terms'],
    middleware: answered(KIND, 'GET', (data) =>
      data.Status === 'Revoked' ? { ...data, Permissions: [] } : undefined,
    ),
  },
  {
    id: 'revocation-with-the-second-client-takes-the-permissions',
    story: 'A revoked consent of the second client shows no Permissions.',
    fails: [],
    warns: ['CLC-23/second-client'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const second = tokenInfoOf(ctx)?.client === 'second'
      return second && data.Status === 'Revoked' ? { ...data, Permissions: [] } : undefined
    }),
  },
  {
    id: 'expiry-takes-the-permissions',
    story: 'An expired consent shows no Permissions.',
    fails: [],
    warns: ['CLC-23/expired'],
    middleware: answered(KIND, 'GET', (data, ctx) =>
      hasExpired(consentNamed(ctx)) ? { ...data, Permissions: [] } : undefined,
    ),
  },
  {
    id: 'expiry-moves-creation-time',
    story: 'An expired consent shows a CreationDateTime one minute earlier, from another clock.',
    fails: ['CONS-22/after-expiry'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const aMinuteBefore = Date.parse(String(data.CreationDateTime)) - 60_000
      return hasExpired(consentNamed(ctx))
        ? { ...data, CreationDateTime: new Date(aMinuteBefore).toISOString() }
        : undefined
    }),
  },
  {
    id: 'revoked-consent-for-any-client',
    story: 'Any client can query and delete a revoked consent, because the owner is not compared.',
    fails: ['SEC-05/revoked', 'CLC-08/revoked'],
    policies: ownedByAll(({ status }) => status === 'Revoked'),
  },
  {
    id: 'denied-consent-for-any-client',
    story: 'Any client can query and delete a denied consent, because the owner is not compared.',
    fails: ['SEC-05/denied', 'CLC-08/denied'],
    policies: ownedByAll(({ status }) => status === 'Rejected'),
  },
  {
    id: 'query-refused-after-ninety-days',
    story: 'The bank refuses the query of a consent that is due for re-confirmation.',
    fails: ['CONS-22/after-ninety-days'],
    policies: (correct, { fired }) => ({
      ownsConsent(consent, clientId) {
        const own = correct.ownsConsent(consent, clientId)
        if (!own || currentRequest()?.method !== 'GET' || !isDue(consent)) return own
        fired()
        return false
      },
    }),
  },
  {
    id: 'expired-consent-for-any-client',
    story: 'Any client can query and delete an expired consent, because the owner is not stored.',
    fails: ['SEC-05/expired', 'CLC-08/expired'],
    policies: ownedByAll(hasExpired),
  },
  {
    id: 'revocation-of-the-second-client-leaves-update-time',
    story: 'For the second client, a revocation does not change StatusUpdateDateTime.',
    fails: [],
    warns: ['CLC-12/second-client'],
    policies: (correct, { fired }) => {
      const before = new Map<string, number>()
      return {
        consentView(consent, spelling) {
          const ctx = currentRequest()
          const known = before.get(consent.id)
          if (consent.status !== 'Revoked') before.set(consent.id, consent.statusUpdated)
          else if (ctx && known !== undefined && tokenInfoOf(ctx)?.client === 'second') {
            fired()
            return correct.consentView({ ...consent, statusUpdated: known }, spelling)
          }
          return correct.consentView(consent, spelling)
        },
      }
    },
  },
  {
    id: 'foreign-query-withdraws-an-approval',
    story:
      'If another client queries an authorised consent, it is refused, but the bank revokes the consent as stolen.',
    fails: [
      'TOK-03/refresh-token',
      'ACC-01/answers-200',
      'ACC-02/answers-200',
      'BAL-01/answers-200',
      'BAL-02/answers-200',
      'TXN-01/answers-200',
      'TXN-02/answers-200',
    ],
    because: 'What the consent opens is closed, at every endpoint; no newer approval replaced it.',
    stops: true,
    // Slow answers, so that reading after the other approvals takes longer than the end may take to become visible.
    settings: { responseDelayMs: 8 },
    async middleware(ctx: Context, next: Next) {
      await next()
      const consent = isAbout(ctx, KIND, 'GET') ? consentNamed(ctx) : undefined
      if (ctx.status !== 403 || consent?.status !== 'Authorised') return
      consent.status = 'Revoked'
      consent.statusUpdated = Date.now()
      stateOf(ctx).fired()
    },
  },
  {
    id: 'one-of-two-nodes-never-hears-of-the-end',
    story:
      'After the delete of a consent, every second data request still works, because one of two servers keeps its own cache.',
    fails: ['CLC-04/data-refused'],
    policies: (correct, { fired }) => {
      const next = roundRobinPerKey([true, false] as const)
      return {
        tokensDie: () => false,
        consentUsable(consent, age) {
          if (consent.deleted === undefined || !next(consent.id)) {
            return correct.consentUsable(consent, age)
          }
          fired()
          return undefined
        },
      }
    },
  },
]
export default faults
