import type { Context } from 'koa'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import type { Consent } from '../../bank/state/consents.ts'
import { revoke, revokeGrants } from '../../bank/state/services.ts'
import { stateOf } from '../../bank/state/state.ts'
import { extraScopesLeftOut } from '../altering/extra-scopes.ts'
import { jsonOf, partOf } from '../altering/rewriting.ts'
import { formOf, grantOf } from '../altering/token-requests.ts'
import type { Variant } from '../run/proof.ts'

/** When a code is exchanged, calls `end` for each earlier consent of the same customer and client. */
const exchangesEnd =
  (end: (earlier: Consent, ctx: Context) => unknown): NonNullable<Variant['middleware']> =>
  async (ctx, next) => {
    await next()
    const body = jsonOf(ctx)
    if (partOf(ctx) !== 'token' || ctx.status !== 200 || !body) return
    if (formOf(ctx).get('grant_type') !== 'authorization_code') return
    const { consents } = stateOf(ctx).bank.services
    const consent = consents.ofGrant(grantOf(ctx, body.access_token) ?? '')
    for (const other of consents.ofCustomer(consent?.customerId ?? '')) {
      if (other === consent || other.clientId !== consent?.clientId) continue
      await end(other, ctx)
      ctx.state.fired()
    }
  }

const newestApprovalAlone = exchangesEnd((earlier, ctx) =>
  revokeGrants(stateOf(ctx).bank.services, earlier),
)

/** Ends access tokens, but not refresh tokens. */
const newestSessionAlone = exchangesEnd(async ({ grants }, ctx) => {
  const { records } = stateOf(ctx).bank.services
  for (const [key, { grantId }] of records.all()) {
    const [model = '', id = ''] = key.split(' ')
    if (model === 'AccessToken' && grantId && grants.has(grantId)) {
      await records.adapter(model).destroy(id)
    }
  }
})

/** When a customer decides, immediately calls `end` for what the same customer shared with the client before. */
const decisionsEnd =
  (end: (earlier: Consent, ctx: Context) => void): NonNullable<Variant['middleware']> =>
  async (ctx, next) => {
    await next()
    if (!ctx.path.endsWith('/decision')) return
    const shared = stateOf(ctx)
      .bank.services.consents.all()
      .filter(({ kind, status }) => kind === 'account-access' && status === 'Authorised')
      .sort((a, b) => (b.confirmed ?? 0) - (a.confirmed ?? 0))
    const seen = new Set<string>()
    for (const consent of shared) {
      const pair = `${consent.clientId} ${consent.customerId}`
      if (seen.has(pair)) {
        end(consent, ctx)
        ctx.state.fired()
      }
      seen.add(pair)
    }
  }

/** Has the same customer since approved another consent for the same client? */
function isReplaced({ id, clientId, customerId, confirmed = 0 }: Consent): boolean {
  const ctx = currentRequest()
  if (!ctx) return false
  return stateOf(ctx)
    .bank.services.consents.ofCustomer(customerId ?? '')
    .some((other) => {
      const same = other.clientId === clientId && other.kind === 'account-access'
      return same && other.id !== id && (other.confirmed ?? 0) > confirmed
    })
}

/** A replaced consent gives no data, but its Status does not change. */
const replacedSilently =
  (refreshes: boolean): NonNullable<Variant['policies']> =>
  (correct, { fired }) => ({
    consentUsable(consent, age) {
      if (!isReplaced(consent)) return correct.consentUsable(consent, age)
      fired()
      return 'consent-not-authorised'
    },
    refreshable: (consent, age) =>
      correct.refreshable(consent, age) && (refreshes || !isReplaced(consent)),
  })

const variants: Variant[] = [
  {
    id: 'only-the-newest-approval',
    story:
      "A new approval ends the tokens of the same customer's earlier approvals for the client. The document does not promise that several approvals are valid at the same time (AMB-43).",
    middleware: newestApprovalAlone,
  },
  {
    id: 'newest-approval-of-one-client',
    story:
      "A new approval ends the tokens of the same customer's earlier approvals for the client (AMB-43), before their refresh tokens were used. Each software has one client.",
    policies: () => ({ clientIdFor: ({ software_id }) => String(software_id) }),
    middleware: newestApprovalAlone,
  },
  {
    id: 'newest-approval-revokes-at-the-decision',
    story:
      "A new approval revokes the same customer's earlier consents for the client (AMB-43) at the decision, even if the code is not used. The query shows Revoked.",
    middleware: decisionsEnd((earlier, ctx) => revoke(stateOf(ctx).bank.services, earlier)),
  },
  {
    id: 'newest-approval-revokes-consents-alone',
    story:
      "A new approval revokes the same customer's earlier consents for the client (AMB-43). Their tokens stay, but data requests get 403.",
    middleware: decisionsEnd((earlier) => {
      earlier.status = 'Revoked'
      earlier.statusUpdated = Date.now()
    }),
  },
  {
    id: 'newest-approval-silently',
    story:
      "A new approval replaces the same customer's earlier consents for the client (AMB-43), which still show Authorised. Their data requests get 403, their refresh tokens invalid_grant.",
    policies: replacedSilently(false),
  },
  {
    id: 'newest-approval-silently-refreshes-go-on',
    story:
      "A new approval replaces the same customer's earlier consents for the client (AMB-43), which still show Authorised. Their refresh tokens give access tokens that read no data.",
    policies: replacedSilently(true),
  },
  {
    id: 'newest-approval-ends-access-tokens-alone',
    story:
      "A new approval ends the access tokens of the same customer's earlier approvals for the client (AMB-43). Their refresh tokens give new ones.",
    middleware: newestSessionAlone,
  },
  {
    id: 'newest-approval-though-it-asked-for-more',
    story:
      "A new approval ends the tokens of the same customer's earlier approvals for the client (AMB-43), even if it asked for a scope that is not registered, which the bank ignores.",
    middleware: (ctx, next) => extraScopesLeftOut(ctx, () => newestApprovalAlone(ctx, next)),
  },
]

export default variants
