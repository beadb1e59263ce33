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
      'The bank refuses a second request for transactions with the same access token at the same time (409). The document does not promise simultaneous requests.',
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
    story:
      'While one refresh is in progress, the bank refuses another one (409). The document does not promise simultaneous requests.',
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
      'While data of a consent are read, the bank refuses its delete (409). The document does not promise simultaneous requests.',
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
      'The rate limit is four requests a day. Retry-After is a date (RFC 9110 10.2.3) or absent. "Thresholds and windows: not shown".',
    settings: { rateLimit: { threshold: 4, window: 86_400 } },
    middleware: refusals(['data'], (ctx) => {
      const limited = ctx.status === 429 && ctx.get('x-fapi-customer-ip-address') === ''
      return limited ? retry(ctx) : false
    }),
  },
  {
    id: 'rate-limit-of-a-second',
    story: 'The rate limit is twelve requests in one second. "Thresholds and windows: not shown".',
    settings: { rateLimit: { threshold: 12, window: 1 } },
    middleware: limited,
  },
  {
    id: 'rate-limit-of-ten-seconds',
    story:
      'The rate limit is twelve requests of a client in ten seconds. The second client may have used up its own. "Thresholds and windows: not shown".',
    settings: { rateLimit: { threshold: 12, window: 10 } },
    middleware: limited,
  },
  {
    id: 'rate-limit-never-reached',
    story:
      'The rate limit is ten thousand requests, more than a run may send. "Thresholds and windows: not shown".',
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
      'The rate limit ends with the first request after the first 429. "Thresholds and windows: not shown".',
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
    story: 'The rate limit counts each endpoint separately. "Thresholds and windows: not shown".',
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
      'The bank refuses x-fapi-customer-ip-address with an IPv6 address. "Header x-fapi-customer-ip-address signals that the customer is present", and the family of the address is not said.',
    async middleware(ctx, next) {
      if (!ctx.get('x-fapi-customer-ip-address').includes(':')) return next()
      ctx.state.fired()
      ctx.status = 400
    },
  },
  {
    id: 're-confirmation-after-sixty-days',
    story:
      'The bank asks for re-confirmation after 60 days. The document says "at least every 90 days".',
    settings: { reconfirmationDays: 60 },
    silent: true,
  },
]

export default variants
