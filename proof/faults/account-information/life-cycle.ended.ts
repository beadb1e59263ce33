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
    story: 'The page writes the client of the request into the consent before it compares them.',
    fails: ['SEC-05/after-visit'],
    warns: ['CLC-25/other-client'],
    policies: refusedToClient((consent, clientId) => {
      consent.clientId = clientId
    }),
  },
  {
    id: 'refused-client-rejects-the-consent',
    story: 'A visit that ends without approval is a rejection, whoever’s visit it was.',
    fails: [],
    warns: ['CLC-25/other-client'],
    policies: refusedToClient((consent) => {
      consent.status = 'Rejected'
      consent.statusUpdated = Date.now()
    }),
  },
  {
    id: 'stranger-at-the-page-ends-the-consent',
    story: 'Whoever logs in for the consent of another is taken for a thief, and it is withdrawn.',
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
    story: 'Each use of a refresh token is noted, and the ninety days are counted from that.',
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
    story: 'Whoever refreshes has a customer, so the state of the consent is put right.',
    fails: ['TOK-31/revoked'],
    policies: refusedRefresh((consent) => {
      if (consent.status !== 'Revoked') return false
      consent.status = 'Authorised'
      return true
    }),
  },
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
    id: 'refused-deletion-of-a-waiting-consent-deletes',
    story: 'The row is marked before its owner is looked at, unless a customer has approved it.',
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
    story: 'Deletion ends grants, and a consent that nobody approved has none.',
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
  {
    id: 'revoked-consents-have-ids-of-their-own',
    story: 'A revoked consent is a row of the archive, and shown with the key of that.',
    fails: ['CONS-22/asked-consent'],
    middleware: answered(KIND, 'GET', (data) =>
      data.Status === 'Revoked' ? { ...data, ConsentId: `archive-${data.ConsentId}` } : undefined,
    ),
  },
  {
    id: 'revoked-consents-have-no-risk',
    story: 'The archive has no column for Risk, and the mapper writes null for it.',
    fails: ['ENV-02/risk-empty'],
    middleware: successes(['consents'], (body) =>
      (body.Data as Record<string, unknown>).Status === 'Revoked'
        ? { ...body, Risk: null }
        : undefined,
    ),
  },
  {
    id: 'revoked-consents-answer-203',
    story: 'What comes from the archive is marked as such by its status.',
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
    story: 'A revoked consent is a row of the archive, created when it came there.',
    fails: ['CONS-22/after-revocation'],
    middleware: answered(KIND, 'GET', (data) =>
      data.Status === 'Revoked'
        ? { ...data, CreationDateTime: data.StatusUpdateDateTime }
        : undefined,
    ),
  },
  {
    id: 'revocation-takes-the-permissions',
    story: 'Revocation withdraws the permissions one by one, and the query shows what is left.',
    fails: [],
    warns: ['CLC-23/terms'],
    middleware: answered(KIND, 'GET', (data) =>
      data.Status === 'Revoked' ? { ...data, Permissions: [] } : undefined,
    ),
  },
  {
    id: 'revocation-with-the-second-client-takes-the-permissions',
    story: 'The new platform keeps permissions with what is authorised.',
    fails: [],
    warns: ['CLC-23/second-client'],
    middleware: answered(KIND, 'GET', (data, ctx) => {
      const second = tokenInfoOf(ctx)?.client === 'second'
      return second && data.Status === 'Revoked' ? { ...data, Permissions: [] } : undefined
    }),
  },
  {
    id: 'expiry-takes-the-permissions',
    story: 'What has run out permits nothing, and the query shows that.',
    fails: [],
    warns: ['CLC-23/expired'],
    middleware: answered(KIND, 'GET', (data, ctx) =>
      hasExpired(consentNamed(ctx)) ? { ...data, Permissions: [] } : undefined,
    ),
  },
  {
    id: 'expiry-moves-creation-time',
    story: 'What has run out is a row of the archive, whose clock is a minute slow.',
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
    story: 'The archive of revoked consents is looked up by the id alone.',
    fails: ['SEC-05/revoked', 'CLC-08/revoked'],
    policies: ownedByAll(({ status }) => status === 'Revoked'),
  },
  {
    id: 'denied-consent-for-any-client',
    story: 'What was denied belongs to nobody: it is looked up by the id alone.',
    fails: ['SEC-05/denied', 'CLC-08/denied'],
    policies: ownedByAll(({ status }) => status === 'Rejected'),
  },
  {
    id: 'query-refused-after-ninety-days',
    story: 'What waits to be re-confirmed is shown to nobody until the customer comes back.',
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
    story: 'A consent that has run out is moved to a table without owners.',
    fails: ['SEC-05/expired', 'CLC-08/expired'],
    policies: ownedByAll(hasExpired),
  },
  {
    id: 'revocation-of-the-second-client-leaves-update-time',
    story: 'The trigger that sets the time watches the table of the old platform.',
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
      'Whoever asks for the approval of another is taken for a thief, and the consent is withdrawn.',
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
    story: 'A deletion clears the memory of the node that served it; the other keeps its own.',
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
