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
      'The table of endpoints does not have HEAD: it is refused as any method that is not there.',
    middleware: answersHead(roundRobin([405, 404, 501, 400])),
  },
  {
    id: 'head-is-answered-by-the-balancer',
    story:
      'What HEAD gives is not shown: the balancer answers it itself, at every address, so that others see that it is there, with the length of a page that names the address.',
    middleware: answersHead(
      () => 200,
      ({ path }) => 120 + path.length,
    ),
  },
  {
    id: 'refusals-lead-to-a-page',
    story:
      'Status codes of error responses are not shown but for deletions and the rate limit: the gateway redirects to a page that explains (AMB-41).',
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
      'How data without a good token, or a consent for an unsupported permission, is refused is not shown: a firewall cuts the connection of the wrong request alone. The requests before and after it are answered, so it is a refusal.',
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
      'An invalid ConsentId, another client\'s and a deleted one give "an error response", and an unsupported permission "rejection", whose statuses are not shown (Errors), nor any other for a wrong body: 400, 403, 404, 409, 410, 422. Only the deletion of another client\'s consent has one.',
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
      'Deleting another client\'s consent gives "an error response" whose status is not shown, says the last but one row of Errors; another row says 403.',
    policies: statuses((reason) =>
      reason === 'consent-other-client' && asksToDelete() ? 404 : undefined,
    ),
    warns: ['CLC-22/with-403', 'FCC-23/with-403'],
    because: 'AMB-03: two rows cover the case, and one of them says 403.',
  },
  {
    id: 'data-refused-by-any-status',
    story:
      'By which status data are refused is not shown: for an AccountId that is unknown or foreign, a permission that is missing (Data endpoints 2, 3), a consent that is revoked, expired or unconfirmed, a filter that is not a date-time; 401 for a missing or wrong token is shown for deletions only (Errors). 400, 401, 403, 404.',
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
      '"Bearer token for future registration queries or management": an access token of a scope of its own, refused with 403 wherever else it is sent (RFC 6750 3.1).',
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
      'The filters are "both optional", and what a value that is no RFC 3339 date-time does is not shown: it is as good as none.',
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
      'Where consents for funds are is left open (AMB-05, AMB-06), and so is what a gateway says where nothing is: it asks who is there, forbids it, or calls it a bad request.',
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
      "The statuses of the refusals of the token endpoint and of registration are not shown, nor those of a method or path outside the table of endpoints: a gateway's 403 and 404, RFC 6749's 400, and 401 for who cannot prove to be the software.",
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
      'How a wrong ConsentId or AccountId is refused is not shown: what looks like an attack never comes to the service, and the firewall says so on a page, with status 200.',
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
      'Nor is it shown which authorisation requests come to the service: a firewall answers a state that leads up a path, or begins a template, with a page, by 200, 400, 403 or 404.',
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
      'What stands where no endpoint is, the document does not say: a portal of one page, which answers whoever looks and shows nothing of a client.',
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
