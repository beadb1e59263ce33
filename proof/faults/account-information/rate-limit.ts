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
    story: 'The setting of the gateway has a unit, and is copied into the header.',
    fails: [],
    warns: ['RATE-09/retry-after'],
    middleware: retryAfter(() => '60s'),
  },
  {
    id: 'retry-after-counts-from-1970',
    story: 'The end of the window is kept in seconds since 1970, and written as it is.',
    fails: [],
    warns: ['RATE-09/retry-after'],
    middleware: retryAfter(() => String(Math.floor(Date.now() / 1000) + 60)),
  },
  {
    id: 'limit-closes-the-connection',
    story: 'The firewall in front drops whoever asks too often.',
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
    story: 'The pattern for the customer’s address knows four numbers and dots.',
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
    story: 'The script of the limiter looks for the name of the header in small letters.',
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
    story: 'One limit stands before the whole interface.',
    fails: [],
    warns: ['RATE-03/consents-served'],
    middleware: spreads((ctx, limited) => {
      const same = stateOf(ctx).transport.organisationId === limited
      return same && partOf(ctx) === 'consents' && ctx.method === 'GET'
    }),
  },
  {
    id: 'limit-for-new-consents-too',
    story:
      'What writes is dear: whenever a client is limited, its next new consents are refused, too.',
    fails: [],
    warns: ['RATE-03/consents-served'],
    middleware: limitsNext('POST'),
  },
  {
    id: 'limit-for-deletions-too',
    story: 'The limiter counts by client, and DELETE alone has no exception in its rules.',
    fails: [],
    warns: ['RATE-03/consents-served'],
    middleware: limitsNext('DELETE'),
  },
  {
    id: 'limit-for-consents-of-the-absent',
    story: 'Whoever is absent is limited, whatever they ask for.',
    fails: [],
    warns: ['RATE-03/consents-served'],
    middleware: spreads((ctx, limited) => {
      const same = stateOf(ctx).transport.organisationId === limited
      return same && partOf(ctx) === 'consents' && ctx.get(PRESENT) === ''
    }),
  },
  {
    id: 'limit-for-tokens-too',
    story: 'Whoever is limited is put on a list of the gateway, and the token endpoint reads it.',
    fails: [],
    warns: ['RATE-03/tokens-served'],
    middleware: limitsNext('POST', 'token'),
  },
  {
    id: 'limit-for-everybody',
    story: 'The counter has no key: all clients share it.',
    fails: [],
    warns: ['RATE-07/second-client'],
    middleware: spreads((ctx, limited) => {
      const same = stateOf(ctx).transport.organisationId === limited
      return partOf(ctx) === 'data' && !same && ctx.get(PRESENT) === ''
    }),
  },
  {
    id: 'absent-customer-has-no-transactions',
    story: 'Transactions are thought to need the customer’s presence.',
    fails: ['RATE-05/with-and-without'],
    middleware: refusesData((ctx) => {
      return ctx.get(PRESENT) === '' && ctx.path.endsWith('/aisp/transactions')
    }),
  },
  {
    id: 'limit-answers-429-once-and-503-then',
    story: 'The limiter answers 429, and then the gateway puts the client on its own list.',
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
    story: 'Transactions are dear: their own limiter does not read the header.',
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
    story: 'The gateway limits everybody for a moment, whoever is there.',
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
