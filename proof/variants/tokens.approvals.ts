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
      'No sentence promises that several approvals stand side by side (AMB-43): what a customer approves for a client replaces what the same customer approved for it before.',
    middleware: newestApprovalAlone,
  },
  {
    id: 'newest-approval-of-one-client',
    story:
      'The same at a bank that has one client for each software: an approval is replaced before its refresh token was ever used.',
    policies: () => ({ clientIdFor: ({ software_id }) => String(software_id) }),
    middleware: newestApprovalAlone,
  },
  {
    id: 'newest-approval-revokes-at-the-decision',
    story:
      'The same where the decision itself ends what was shared before, its code used or not, and the query shows Revoked.',
    middleware: decisionsEnd((earlier, ctx) => revoke(stateOf(ctx).bank.services, earlier)),
  },
  {
    id: 'newest-approval-revokes-consents-alone',
    story:
      'The same where tokens outlive the consent that was replaced: its data are refused with 403, as for want of a right.',
    middleware: decisionsEnd((earlier) => {
      earlier.status = 'Revoked'
      earlier.statusUpdated = Date.now()
    }),
  },
  {
    id: 'newest-approval-silently',
    story:
      'The same where the consent that was replaced goes on to show Authorised: its data are refused with 403, its refresh token with invalid_grant.',
    policies: replacedSilently(false),
  },
  {
    id: 'newest-approval-silently-refreshes-go-on',
    story: 'The same where refresh tokens go on to give access tokens, which give no data.',
    policies: replacedSilently(true),
  },
  {
    id: 'newest-approval-ends-access-tokens-alone',
    story:
      'The same where a customer has one session with a client: its access tokens end, and refresh tokens give others.',
    middleware: newestSessionAlone,
  },
  {
    id: 'newest-approval-though-it-asked-for-more',
    story:
      'The same where a scope beyond the registered ones is left out: an approval that asked for one replaces those before it too.',
    middleware: (ctx, next) => extraScopesLeftOut(ctx, () => newestApprovalAlone(ctx, next)),
  },
]

export default variants
