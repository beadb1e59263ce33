import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from 'koa'
import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import { stateOf } from '../../bank/state/state.ts'
import { isFirst } from '../altering/connections.ts'
import { consentNamed, isAbout } from '../altering/consent-requests.ts'
import { endpointOf } from '../altering/data-requests.ts'
import { tokenForm } from '../altering/jwt-rewrites.ts'
import { answers, refusals } from '../altering/rewriting.ts'
import { bearerOf } from '../cells/parties.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobinOf } from '../run/round-robin.ts'

const limited = answers((ctx) => ctx.status === 429)

const retry = roundRobinOf<[Context], void>(
  (ctx) => ctx.remove('retry-after'),
  (ctx) => ctx.set('retry-after', new Date(Date.now() + 60_000).toUTCString()),
)

/** What is in progress: access tokens with a request for transactions, refreshes, consents whose data are read. */
const atWork = ofEachBank(() => new Set<string>())

const REFRESH = 'refresh'

const variants: Variant[] = [
  {
    id: 'one-request-of-a-token-at-a-time',
    story:
      'That requests of one token are served side by side is promised nowhere: a gateway refuses the second by 409.',
    async middleware(ctx, next) {
      if (endpointOf(ctx) !== 'transactions') return next()
      const token = bearerOf(ctx)
      if (atWork().has(token)) {
        ctx.status = 409
        ctx.body = { Code: '409', Message: 'A request of this token is being served.' }
        return stateOf(ctx).fired()
      }
      atWork().add(token)
      try {
        await wait(5)
        await next()
      } finally {
        atWork().delete(token)
      }
    },
  },
  {
    id: 'one-refresh-at-a-time',
    story: 'Nor are refreshes: while one is in progress, another is refused.',
    async middleware(ctx, next) {
      if (!tokenForm(ctx)?.get('refresh_token')) return next()
      if (atWork().has(REFRESH)) {
        ctx.status = 409
        ctx.body = { error: 'temporarily_unavailable' }
        return stateOf(ctx).fired()
      }
      atWork().add(REFRESH)
      try {
        await wait(20)
        await next()
      } finally {
        atWork().delete(REFRESH)
      }
    },
  },
  {
    id: 'no-deletion-while-data-are-read',
    story:
      'Nor is a deletion beside a read: while data of a consent are read, it is refused by 409.',
    async middleware(ctx, next) {
      const isOnlyOne = isFirst(ctx)
      if (isAbout(ctx, 'account-access', 'DELETE') && atWork().has(consentNamed(ctx)?.id ?? '')) {
        ctx.status = 409
        ctx.body = { Code: '409', Message: 'Data of this consent are being read.' }
        return stateOf(ctx).fired()
      }
      const consent = endpointOf(ctx) && isOnlyOne ? tokenInfoOf(ctx)?.consent : undefined
      if (!consent) return next()
      atWork().add(consent.id)
      try {
        await wait(20)
        await next()
      } finally {
        atWork().delete(consent.id)
      }
    },
  },
  {
    id: 'rate-limit-of-four-a-day',
    story:
      '"Thresholds and windows: not shown": four requests a day. Nor does the document say anything of Retry-After: a date (RFC 9110 10.2.3), or none.',
    settings: { rateLimit: { threshold: 4, window: 86_400 } },
    middleware: refusals(['data'], (ctx) => {
      const limited = ctx.status === 429 && ctx.get('x-fapi-customer-ip-address') === ''
      return limited ? retry(ctx) : false
    }),
  },
  {
    id: 'rate-limit-of-a-second',
    story: '"Thresholds and windows: not shown": twelve requests in one second.',
    settings: { rateLimit: { threshold: 12, window: 1 } },
    middleware: limited,
  },
  {
    id: 'rate-limit-of-ten-seconds',
    story:
      '"Thresholds and windows: not shown": twelve requests of a client in ten seconds, so that the second client may have used up its own.',
    settings: { rateLimit: { threshold: 12, window: 10 } },
    middleware: limited,
  },
  {
    id: 'rate-limit-never-reached',
    story: '"Thresholds and windows: not shown": ten thousand requests, more than a run may send.',
    settings: { rateLimit: { threshold: 10_000 } },
    target: (document) => {
      document.rateLimitBurst = 30
    },
    silent: true,
    blocks: ['RATE-01/with-429'],
    because: 'Whether the answer would be 429 cannot be seen without reaching the limit.',
  },
  {
    id: 'rate-limit-whose-minute-ends',
    story:
      '"Thresholds and windows: not shown": the minute that was used up ends with the first request after its first refusal.',
    policies(correct, { fired }) {
      let refused = 0
      let forgotten = 0
      return {
        limitReached(earlier, limit) {
          if (!correct.limitReached(earlier - forgotten, limit)) return false
          refused += 1
          if (refused !== 2) return true
          fired()
          forgotten = earlier
          return false
        },
      }
    },
  },
  {
    id: 'rate-limit-of-each-endpoint',
    story:
      '"Thresholds and windows: not shown": a limit for each endpoint and not for all together.',
    policies: (correct, { fired }) => {
      const counts = new Map<string, number>()
      return {
        limitReached(_earlier, limit) {
          const { path = '', header = {} } = currentRequest() ?? {}
          const key = `${path} ${(header as { authorization?: string }).authorization}`
          const earlier = counts.get(key) ?? 0
          counts.set(key, earlier + 1)
          const reached = correct.limitReached(earlier, limit)
          if (reached) fired()
          return reached
        },
      }
    },
  },
  {
    id: 'presence-by-ipv4-alone',
    story:
      '"Header x-fapi-customer-ip-address signals that the customer is present"; of which family the address is it does not say, and this bank takes IPv4 alone.',
    async middleware(ctx, next) {
      if (!ctx.get('x-fapi-customer-ip-address').includes(':')) return next()
      ctx.state.fired()
      ctx.status = 400
    },
  },
  {
    id: 're-confirmation-after-sixty-days',
    story: '"At least every 90 days": the bank asks its customers after 60 already.',
    settings: { reconfirmationDays: 60 },
    silent: true,
  },
]

export default variants
