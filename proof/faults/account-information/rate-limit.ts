import type { Context, Next } from 'koa'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { defaults } from '../../../bank/state/settings.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { endpointOf } from '../../altering/data-requests.ts'
import { answers, type Part, partOf } from '../../altering/rewriting.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

const PRESENT = 'x-fapi-customer-ip-address'

/** After the first 429, also refuses other requests: `also` decides which. */
function spreads(also: (ctx: Context, limited: string) => boolean) {
  const spreading = ofEachBank(() => ({}) as { from?: string })
  return async (ctx: Context, next: Next) => {
    const limited = spreading()
    if (limited.from !== undefined && also(ctx, limited.from)) {
      stateOf(ctx).fired()
      ctx.status = 429
      return
    }
    await next()
    if (ctx.status === 429) limited.from ??= String(stateOf(ctx).transport.organisationId)
  }
}

/** Refuses data requests before the bank sees them. */
function refusesData(when: (ctx: Context) => boolean) {
  return async (ctx: Context, next: Next) => {
    if (partOf(ctx) !== 'data' || !when(ctx)) return next()
    stateOf(ctx).fired()
    ctx.status = 400
    ctx.body = { Message: 'invalid header' }
  }
}

/** Number of requests for data with the customer present. */
const whilePresent = ofEachBank(() => ({ count: 0 }))

/** Number of requests that still must be refused. */
const owed = ofEachBank(() => ({ count: 0 }))

/** After each 429 the next three requests of a part with this method are also refused. */
function limitsNext(method: string, part: Part = 'consents') {
  return async (ctx: Context, next: Next) => {
    const left = owed()
    if (left.count > 0 && partOf(ctx) === part && ctx.method === method) {
      left.count -= 1
      stateOf(ctx).fired()
      ctx.status = 429
      return
    }
    await next()
    if (ctx.status === 429) left.count = 3
  }
}

/** Changes the Retry-After of each 429. */
const retryAfter = (value: () => string) =>
  answers((ctx) => {
    if (ctx.status !== 429) return false
    ctx.set('retry-after', value())
  })

const faults: Fault[] = [
  {
    id: 'retry-after-with-its-unit',
    story: 'Retry-After of a 429 response has a unit (60s), which the header does not allow.',
    fails: [],
    warns: ['RATE-09/retry-after'],
    middleware: retryAfter(() => '60s'),
  },
  {
    id: 'retry-after-counts-from-1970',
    story: 'Retry-After of a 429 response is a Unix time instead of a number of seconds to wait.',
    fails: [],
    warns: ['RATE-09/retry-after'],
    middleware: retryAfter(() => String(Math.floor(Date.now() / 1000) + 60)),
  },
  {
    id: 'limit-closes-the-connection',
    story: 'When the rate limit is reached, the bank closes the connection instead of sending 429.',
    fails: ['RATE-01/with-429'],
    async middleware(ctx: Context, next: Next) {
      await next()
      if (ctx.status !== 429) return
      stateOf(ctx).fired()
      ctx.respond = false
      ctx.socket.destroy()
    },
  },
  {
    id: 'limit-shows-nothing',
    story: 'Whoever asks too often gets what a cache has, which is an empty list for most of them.',
    fails: ['RATE-01/with-429'],
    async middleware(ctx: Context, next: Next) {
      await next()
      if (ctx.status !== 429 || endpointOf(ctx) !== 'accounts') return
      stateOf(ctx).fired()
      ctx.status = 200
      ctx.remove('retry-after')
      ctx.body = { Data: { Account: [] }, Links: { Self: ctx.href }, Meta: { TotalPages: 1 } }
    },
  },
  {
    id: 'presence-by-ipv4-only',
    story:
      'The bank recognises x-fapi-customer-ip-address only with an IPv4 address, so it limits customers with IPv6.',
    fails: [],
    warns: ['RATE-02/present-is-served'],
    policies: (correct, { fired }) => ({
      customerPresent(headers) {
        const ipv6 = String(headers[PRESENT] ?? '').includes(':')
        if (ipv6) fired()
        return correct.customerPresent(headers) && !ipv6
      },
    }),
  },
  {
    id: 'presence-by-one-spelling',
    story:
      'The bank recognises x-fapi-customer-ip-address only in lower case, so it limits customers whose TPP spells it otherwise.',
    fails: [],
    warns: ['RATE-02/present-is-served'],
    policies: (correct, { fired }) => ({
      customerPresent(headers) {
        const isSpelled = currentRequest()?.req.rawHeaders.includes(PRESENT) ?? true
        const present = correct.customerPresent(headers)
        if (present && !isSpelled) fired()
        return present && isSpelled
      },
    }),
  },
  {
    id: 'limit-for-consents-too',
    story: 'The rate limit of data requests also stops the query of consents.',
    fails: [],
    warns: ['RATE-03/consents-served'],
    middleware: spreads((ctx, limited) => {
      const same = stateOf(ctx).transport.organisationId === limited
      return same && partOf(ctx) === 'consents' && ctx.method === 'GET'
    }),
  },
  {
    id: 'limit-for-new-consents-too',
    story: 'After a 429 for data, the bank also refuses the next requests that create consents.',
    fails: [],
    warns: ['RATE-03/consents-served'],
    middleware: limitsNext('POST'),
  },
  {
    id: 'limit-for-deletions-too',
    story: 'After a 429 for data, the bank also refuses the next requests that delete consents.',
    fails: [],
    warns: ['RATE-03/consents-served'],
    middleware: limitsNext('DELETE'),
  },
  {
    id: 'limit-for-consents-of-the-absent',
    story:
      'After a 429 for data, the bank also refuses consent requests without x-fapi-customer-ip-address.',
    fails: [],
    warns: ['RATE-03/consents-served'],
    middleware: spreads((ctx, limited) => {
      const same = stateOf(ctx).transport.organisationId === limited
      return same && partOf(ctx) === 'consents' && ctx.get(PRESENT) === ''
    }),
  },
  {
    id: 'limit-for-tokens-too',
    story: 'After a 429 for data, the bank also refuses the next token requests of the client.',
    fails: [],
    warns: ['RATE-03/tokens-served'],
    middleware: limitsNext('POST', 'token'),
  },
  {
    id: 'limit-for-everybody',
    story: 'All clients share one rate limit: when one client reaches it, the others get 429 too.',
    fails: [],
    warns: ['RATE-07/second-client'],
    middleware: spreads((ctx, limited) => {
      const same = stateOf(ctx).transport.organisationId === limited
      return partOf(ctx) === 'data' && !same && ctx.get(PRESENT) === ''
    }),
  },
  {
    id: 'absent-customer-has-no-transactions',
    story: 'The bank refuses requests for transactions without x-fapi-customer-ip-address.',
    fails: ['RATE-05/with-and-without'],
    middleware: refusesData((ctx) => {
      return ctx.get(PRESENT) === '' && ctx.path.endsWith('/aisp/transactions')
    }),
  },
  {
    id: 'limit-answers-429-once-and-503-then',
    story:
      'When the rate limit is reached, only the first response is 429; later ones are 503 from the gateway.',
    fails: ['RATE-01/with-429'],
    policies: (correct, { fired }) => {
      let limited = 0
      return {
        refusal(reason) {
          const refusal = correct.refusal(reason)
          if (reason === 'rate-limit') limited += 1
          if (reason !== 'rate-limit' || limited === 1) return refusal
          fired()
          return { ...refusal, status: 503 }
        },
      }
    },
  },
  {
    id: 'limit-for-the-present-on-transactions',
    story:
      'The rate limit of transactions ignores x-fapi-customer-ip-address, so it also stops requests while the customer is present.',
    fails: [],
    warns: ['RATE-02/present-is-served'],
    // A refused client waits until the end of the window.
    settings: { rateLimit: { ...defaults.rateLimit, window: 4 } },
    policies: (correct, { fired }) => {
      let mostOfOneWindow = 0
      return {
        customerPresent(headers) {
          const present = correct.customerPresent(headers)
          const reads = currentRequest()?.path.endsWith('/transactions')
          if (!present || !reads || mostOfOneWindow < 38) return present
          fired()
          return false
        },
        limitReached(earlier, limit) {
          mostOfOneWindow = Math.max(earlier, mostOfOneWindow)
          return correct.limitReached(earlier, limit)
        },
      }
    },
  },
  {
    id: 'limit-counts-the-present-too',
    story:
      'Every fiftieth data request with x-fapi-customer-ip-address gets 429. The gateway limits all requests for a moment.',
    fails: [],
    warns: ['RATE-02/no-429-while-present'],
    async middleware(ctx, next) {
      if (partOf(ctx) !== 'data' || ctx.get(PRESENT) === '') return next()
      const seen = whilePresent()
      seen.count += 1
      if (seen.count % 50 !== 0) return next()
      stateOf(ctx).fired()
      ctx.status = 429
      ctx.set('retry-after', '0')
    },
  },
]
export default faults
