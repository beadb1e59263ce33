import { setTimeout as wait } from 'node:timers/promises'
import { endpointOf } from '../../data-requests.ts'
import { ofEachBank } from '../../each-bank.ts'
import type { Fault } from '../../proof.ts'

/** Good Authorization headers by their beginning. */
const cached = ofEachBank(() => new Map<string, string>())

/** Authorization headers: of the latest request for data, and of the latest for transactions. */
const fields = ofEachBank(() => ({}) as { last?: string; current?: string })

const faults: Fault[] = [
  {
    id: 'single-balances-without-token',
    story:
      'The gateway’s list of protected routes lacks one, and the service takes the last caller’s token.',
    fails: ['DATA-03/without-authorization'],
    async middleware(ctx, next) {
      const { authorization } = ctx.req.headers
      const shared = fields()
      if (endpointOf(ctx) === 'account-balances') {
        if (authorization === undefined) ctx.state.fired()
        ctx.req.headers.authorization = authorization ?? shared.last
      }
      if (endpointOf(ctx)) shared.last = ctx.req.headers.authorization
      await next()
    },
  },
  {
    id: 'transactions-token-by-its-beginning',
    story: 'The cache of introspected tokens is keyed by the first sixteen characters.',
    fails: ['DATA-03/unknown-token'],
    async middleware(ctx, next) {
      const { authorization } = ctx.req.headers
      const cache = cached()
      if (endpointOf(ctx) === 'transactions' && authorization) {
        const known = cache.get(authorization.slice(7, 23))
        if (known && known !== authorization) ctx.state.fired()
        ctx.req.headers.authorization = known ?? authorization
      }
      await next()
      const good = endpointOf(ctx) === 'transactions' && ctx.status === 200
      const key = authorization?.slice(7, 23) ?? ''
      if (good && !cache.has(key)) cache.set(key, authorization ?? '')
    },
  },
  {
    id: 'consent-of-the-other-request',
    story:
      'The consent of the current request is kept in a field of a service that all requests share.',
    fails: ['DATA-08/concurrent'],
    async middleware(ctx, next) {
      if (endpointOf(ctx) === 'transactions') {
        const own = ctx.req.headers.authorization
        const shared = fields()
        shared.current = own
        await wait(5)
        if (shared.current !== own) ctx.state.fired()
        ctx.req.headers.authorization = shared.current
      }
      await next()
    },
  },
]

export default faults
