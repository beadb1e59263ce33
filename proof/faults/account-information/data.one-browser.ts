import type { Context } from 'koa'
import { stateOf } from '../../../bank/state/state.ts'
import { decoded, landings } from '../../altering/jwt-rewrites.ts'
import type { Fault } from '../../run/proof.ts'

/** What a bank keeps of the first authorisation request of a browser session, in a cookie. */

const kept = (ctx: Context, name: string) => {
  const text = ctx.cookies.get(name, { signed: false })
  return text === undefined ? undefined : decodeURIComponent(text)
}

/** Keeps a value of an authorisation request, unless an earlier one of the session is kept. */
function keep(ctx: Context, name: string, value: unknown): void {
  const { paths } = stateOf(ctx).bank.services.endpoints
  const first = ctx.path === paths.authorisation && kept(ctx, name) === undefined
  if (!first || typeof value !== 'string') return
  ctx.cookies.set(name, encodeURIComponent(value), { signed: false })
}

const stateOfTheSession = landings((fragment, ctx) => {
  const state = kept(ctx, 'state')
  if (state === undefined || !fragment.has('code') || fragment.get('state') === state) return false
  fragment.set('state', state)
})

const faults: Fault[] = [
  {
    id: 'approvals-stored-under-the-intent-of-the-session',
    story:
      'The page writes the intent into the session of the browser when it is not there yet, and the approval under the intent of the session.',
    fails: ['DATA-08/one-browser'],
    async middleware(ctx, next) {
      const { bank, fired } = stateOf(ctx)
      const { consents, policies, records } = bank.services
      keep(ctx, 'intent', policies.intentOf(decoded(ctx.query.request).claims))
      await next()
      const fragment = String(ctx.response.get('location') ?? '').split('#')[1]
      const code = new URLSearchParams(fragment).get('code') ?? ''
      const grantId = records.peek('AuthorizationCode', code)?.grantId
      const first = consents.get(kept(ctx, 'intent') ?? '')
      if (!grantId || !first || consents.ofGrant(grantId) === first) return
      consents.bind(grantId, first)
      fired()
    },
  },
  {
    id: 'state-of-the-first-request-of-the-session',
    story: 'The state is a value of the session of the browser, which is written once.',
    fails: ['AUTHZ-04/on-success'],
    async middleware(ctx, next) {
      keep(ctx, 'state', ctx.query.state)
      await stateOfTheSession(ctx, next)
    },
  },
]

export default faults
