import type { Context, Middleware } from 'koa'
import { stateOf } from '../../../bank/state/state.ts'
import { decoded, landings } from '../../altering/jwt-rewrites.ts'
import type { Fault } from '../../run/proof.ts'

/** What a bank keeps of one authorisation request of a browser session, in a cookie. */

const kept = (ctx: Context, name: string) => {
  const text = ctx.cookies.get(name, { signed: false })
  return text === undefined ? undefined : decodeURIComponent(text)
}

type Which = 'first' | 'last'

/** Keeps a value of the first, or of the last, authorisation request of the session. */
function keep(ctx: Context, which: Which, name: string, value: unknown): void {
  const { paths } = stateOf(ctx).bank.services.endpoints
  const isIt = which === 'last' || kept(ctx, name) === undefined
  if (ctx.path !== paths.authorisation || !isIt || typeof value !== 'string') return
  ctx.cookies.set(name, encodeURIComponent(value), { signed: false })
}

const stateOfTheSession = landings((fragment, ctx) => {
  const state = kept(ctx, 'state')
  if (state === undefined || !fragment.has('code') || fragment.get('state') === state) return false
  fragment.set('state', state)
})

/** The state of that request of the session stands in each redirect. */
const stateOfThe =
  (which: Which): Middleware =>
  async (ctx, next) => {
    keep(ctx, which, 'state', ctx.query.state)
    await stateOfTheSession(ctx, next)
  }

/** Each approval is one of the consent that this request of the session names. */
const approvalOfThe =
  (which: Which): Middleware =>
  async (ctx, next) => {
    const { bank, fired } = stateOf(ctx)
    const { consents, policies, records } = bank.services
    keep(ctx, which, 'intent', policies.intentOf(decoded(ctx.query.request).claims))
    await next()
    const fragment = String(ctx.response.get('location') ?? '').split('#')[1]
    const code = new URLSearchParams(fragment).get('code') ?? ''
    const grantId = records.peek('AuthorizationCode', code)?.grantId
    const other = consents.get(kept(ctx, 'intent') ?? '')
    if (!grantId || !other || consents.ofGrant(grantId) === other) return
    consents.bind(grantId, other)
    fired()
  }

const faults: Fault[] = [
  {
    id: 'approvals-stored-under-the-intent-of-the-session',
    story:
      'Two authorisation requests in one browser: the second approval is stored for the first consent. The bank writes the ConsentId into the session once.',
    fails: ['DATA-08/one-browser'],
    middleware: approvalOfThe('first'),
  },
  {
    id: 'approvals-stored-under-the-request-opened-last',
    story:
      'Two authorisation requests in one browser: an approval is stored for the consent of the request that was opened last.',
    fails: ['DATA-08/one-browser'],
    middleware: approvalOfThe('last'),
  },
  {
    id: 'state-of-the-first-request-of-the-session',
    story:
      'Two authorisation requests in one browser: both redirects have the state of the first request.',
    fails: ['AUTHZ-04/on-success'],
    middleware: stateOfThe('first'),
  },
  {
    id: 'state-of-the-request-opened-last',
    story:
      'Two authorisation requests in one browser: both redirects have the state of the request that was opened last.',
    fails: ['AUTHZ-04/on-success'],
    middleware: stateOfThe('last'),
  },
]

export default faults
