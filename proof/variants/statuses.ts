import type { Context } from 'koa'
import type { Reason } from '../../bank/listeners/refusals.ts'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import { unescaped } from '../../bank/operator/seen-facts.ts'
import { stateOf } from '../../bank/state/state.ts'
import { isPassing, jsonOf, partOf, refusals, statuses } from '../altering/rewriting.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobin, roundRobinOf } from '../run/round-robin.ts'

/** The consent in the path of the current request, even if it is deleted or of another client. */
function consentAsked() {
  const ctx = currentRequest()
  if (!ctx) return undefined
  const id = ctx.path.split('/').at(-1) ?? ''
  return stateOf(ctx).bank.services.consents.get(unescaped(id))
}

const asksToDelete = () => currentRequest()?.method === 'DELETE'
const asksForData = () => {
  const ctx = currentRequest()
  return ctx !== undefined && partOf(ctx) === 'data'
}
const asksForFunds = () => currentRequest()?.path.includes('funds-confirmation') === true

/** What the rules of a web application firewall call an attack. */
const ATTACK = /['"<>\0]|\$\{|\.\.\/|\)\(/

/** The allowed statuses for a reason; they are used in turn for each endpoint. */
type Open = (reason: Reason) => readonly [number, ...number[]] | undefined

const FUNDS = 'funds-confirmation-consents'

/** Refuses with each of the allowed statuses in turn. */
function anyOf(open: Open): NonNullable<Variant['policies']> {
  const turns = ofEachBank(() => new Map<string, () => number>())
  return statuses((reason) => {
    const choices = open(reason)
    if (!choices) return undefined
    const key = `${reason} ${choices}`
    const next = turns().get(key) ?? roundRobin(choices)
    turns().set(key, next)
    return next()
  })
}

/** "Invalid ConsentId, or one owned by another client": "error response". */
const asksToQuery = () => {
  const ctx = currentRequest()
  return ctx?.method === 'GET' && partOf(ctx) === 'consents'
}

const CUT: Reason[] = ['token-missing', 'scope', 'permission-unsupported', 'scheme-unsupported']

/** The tokens for registration queries that were issued. */
const forQueries = ofEachBank(() => new Set<string>())

/** Answers HEAD at the addresses of consents and data, whatever they are. */
function answersHead(
  status: () => number,
  length: (ctx: Context) => number = () => 0,
): Variant['middleware'] {
  return async (ctx, next) => {
    const part = partOf(ctx)
    if (ctx.method !== 'HEAD' || (part !== 'consents' && part !== 'data')) return next()
    ctx.status = status()
    ctx.length = length(ctx)
    return stateOf(ctx).fired()
  }
}

const pageStatus = roundRobin([200, 404, 400, 403])

const variants: Variant[] = [
  {
    id: 'head-is-not-built',
    story:
      'HEAD requests are refused (405, 404, 501 or 400). The table of endpoints does not have HEAD.',
    middleware: answersHead(roundRobin([405, 404, 501, 400])),
  },
  {
    id: 'head-is-answered-by-the-balancer',
    story:
      'The load balancer answers every HEAD request itself with 200 and the length of a page. What HEAD gets is not shown.',
    middleware: answersHead(
      () => 200,
      ({ path }) => 120 + path.length,
    ),
  },
  {
    id: 'refusals-lead-to-a-page',
    story:
      'Refused consent and data requests are redirected to an error page (AMB-41). Status codes of error responses are shown only for deletes and the rate limit.',
    middleware: refusals(['consents', 'data'], (ctx) => {
      if (ctx.method === 'DELETE' || isPassing(ctx)) return false
      ctx.status = 302
      ctx.set('location', 'https://www.bank.example/developers/errors')
      ctx.body = ''
    }),
  },
  {
    id: 'refusals-cut-the-line',
    story:
      'A firewall closes the connection of a data request without a valid token and of a consent request with an unsupported permission. How these are refused is not shown, and the requests before and after are answered.',
    policies: statuses((reason) =>
      CUT.includes(reason) && !asksToDelete() && !asksToQuery() ? 499 : undefined,
    ),
    middleware: refusals(['consents', 'data'], (ctx) => {
      if (ctx.status !== 499) return false
      ctx.respond = false
      ctx.req.socket.destroy()
    }),
  },
  {
    id: 'consents-refused-by-any-status',
    story:
      'Consent requests are refused with 400, 403, 404, 409, 410 or 422. "An error response" and "rejection" are shown without a status (Errors), except for the delete of another client\'s consent.',
    policies: anyOf((reason) => {
      switch (reason) {
        case 'consent-unknown':
          return consentAsked()?.deleted === undefined ? [404, 400, 422] : [410, 404, 400]
        case 'consent-other-client':
          if (!asksToDelete()) return [400, 404, 403]
          return consentAsked() ? undefined : [404, 400]
        case 'permission-unsupported':
          return [403, 422, 400]
        case 'scheme-unsupported':
          return [409, 422, 400]
        case 'field-invalid':
          return asksForFunds() ? [404, 422, 400] : [422, 400]
        case 'malformed':
        case 'field-missing':
        case 'field-unexpected':
        case 'date-invalid':
          return [422, 400]
        default:
          return undefined
      }
    }),
  },
  {
    id: 'foreign-consent-deletion-is-404',
    story:
      'The delete of another client\'s consent gets 404. One row of Errors says "an error response" without a status; another row says 403.',
    policies: statuses((reason) =>
      reason === 'consent-other-client' && asksToDelete() ? 404 : undefined,
    ),
    warns: ['CLC-22/with-403', 'FCC-23/with-403'],
    because: 'AMB-03: two rows cover the case, and one of them says 403.',
  },
  {
    id: 'data-refused-by-any-status',
    story:
      'Data requests are refused with 400, 401, 403 or 404 for an unknown or foreign AccountId, a missing permission (Data endpoints 2, 3), an ended consent or an invalid filter. The status is not shown; 401 is shown for deletes only (Errors).',
    policies: anyOf((reason) => {
      switch (reason) {
        case 'account-unknown':
        case 'account-foreign':
          return [404, 400, 403]
        case 'permission-missing':
          return [401, 404, 403]
        case 'token-invalid':
        case 'token-other-client':
          return asksForData() ? [403, 401] : undefined
        case 'token-missing':
          return asksToDelete() ? undefined : [400, 401]
        case 'consent-not-authorised':
        case 'consent-expired':
        case 'reconfirmation-due':
          return [401, 403]
        case 'parameter-invalid':
          return [404, 400]
        default:
          return undefined
      }
    }),
  },
  {
    id: 'registration-tokens-open-nothing-else',
    story:
      'The registration_access_token is refused with 403 at other endpoints, because it has its own scope (RFC 6750 3.1). It is the "Bearer token for future registration queries or management".',
    async middleware(ctx, next) {
      await next()
      const issued = jsonOf(ctx)?.registration_access_token
      if (typeof issued === 'string') forQueries().add(issued)
      const sent = ctx.get('authorization').replace(/^Bearer /, '')
      const isApi = ['consents', 'data'].includes(partOf(ctx))
      if (!isApi || ctx.status !== 401 || !forQueries().has(sent)) return
      ctx.status = 403
      stateOf(ctx).fired()
    },
  },
  {
    id: 'wrong-filters-are-ignored',
    story:
      'The bank ignores a date filter that is not an RFC 3339 date-time. The filters are "both optional", and what an invalid value does is not shown.',
    async middleware(ctx, next) {
      const { query } = ctx
      const date = /^\d{4}-\d\d-\d\dT/
      for (const name of ['fromBookingDateTime', 'toBookingDateTime']) {
        const value = query[name]
        if (value === undefined || date.test(String(value))) continue
        delete query[name]
        ctx.state.fired()
      }
      ctx.query = query
      await next()
    },
    warns: ['TXN-19/malformed'],
    because: 'That a value which is not a date-time is refused is implied only, so a should.',
  },
  {
    id: 'gateway-that-knows-no-404',
    story:
      'Unknown paths and methods get 401, 403 or 400 instead of 404. The paths of funds confirmation consents are open (AMB-05, AMB-06).',
    settings: {
      fundsConfirmationPaths: { create: `aisp/cbpii/${FUNDS}`, delete: `aisp/${FUNDS}` },
    },
    policies: anyOf((reason) => {
      return reason === 'not-found' || reason === 'method' ? [401, 403, 400] : undefined
    }),
  },
  {
    id: 'grants-refused-by-any-status',
    story:
      'The token endpoint and registration refuse requests with 400, 401, 403 or 404, and unknown methods and paths get different statuses. The statuses of these refusals are not shown.',
    policies: anyOf((reason) => {
      if (reason === 'not-found') return [403, 404]
      return reason === 'method' ? [404, 403, 405] : undefined
    }),
    middleware: refusals(
      ['token', 'registration'],
      roundRobinOf<[Context], false | undefined>(
        (ctx) => refuseBy(ctx, 400),
        (ctx) => refuseBy(ctx, 403),
        (ctx) => refuseBy(ctx, partOf(ctx) === 'registration' ? 404 : 401),
        (ctx) => refuseBy(ctx, partOf(ctx) === 'registration' ? 401 : 400),
      ),
    ),
  },
  {
    id: 'attacks-are-answered-by-a-page',
    story:
      'A firewall answers a ConsentId or AccountId that looks like an attack with an HTML page and status 200. How a wrong id is refused is not shown.',
    async middleware(ctx, next) {
      const isApi = ['consents', 'data'].includes(partOf(ctx))
      if (!isApi || !ATTACK.test(unescaped(ctx.path))) return next()
      stateOf(ctx).fired()
      ctx.status = 200
      ctx.type = 'text/html'
      ctx.body = '<html><title>Request Rejected</title>The requested URL was rejected.</html>'
      return undefined
    },
  },
  {
    id: 'attacks-at-the-login-are-answered-by-a-page',
    story:
      'A firewall answers an authorisation request whose state looks like an attack (../ or a template) with an HTML page and status 200, 400, 403 or 404.',
    async middleware(ctx, next) {
      const { paths } = stateOf(ctx).bank.services.endpoints
      const isAttack = /\$\{|\.\.\//.test(String(ctx.query.state))
      if (ctx.path !== paths.authorisation || !isAttack) return next()
      stateOf(ctx).fired()
      ctx.status = pageStatus()
      ctx.type = 'text/html'
      ctx.body = '<html><title>Request Rejected</title>The requested URL was rejected.</html>'
      return undefined
    },
  },
  {
    id: 'portal-behind-every-address',
    story:
      'A GET request to an address without an endpoint returns the page of a developer portal with status 200. What such an address returns is not said.',
    middleware: refusals(['registration', 'token', 'discovery'], (ctx) => {
      if (ctx.method !== 'GET' || ![404, 405].includes(ctx.status)) return false
      ctx.remove('allow')
      ctx.type = 'text/html'
      ctx.body = '<!doctype html><title>Bank</title><div id="root"></div>'
      ctx.status = 200
    }),
  },
]

function refuseBy(ctx: Context, status: number): false | undefined {
  if (isPassing(ctx)) return false
  ctx.status = status
  ctx.remove('allow')
  if (status !== 401) ctx.remove('www-authenticate')
  return undefined
}

export default variants
