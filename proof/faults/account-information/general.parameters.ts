import type { Context, Middleware } from 'koa'
import { stateOf } from '../../../bank/state/state.ts'
import type { Fault } from '../../run/proof.ts'

const AISP = '/open-banking/v3.1/aisp'

/** A gateway in front of the bank refuses these requests. */
function stops(isStopped: (ctx: Context) => boolean, status = 403): Middleware {
  return async (ctx, next) => {
    if (!isStopped(ctx)) return next()
    ctx.status = status
    ctx.body = { error: 'access_denied' }
    stateOf(ctx).fired()
    return undefined
  }
}

const isConsentDeletion = ({ method, path }: Context) =>
  method === 'DELETE' && path.includes('-consents/')

const pathsOf = (ctx: Context) => stateOf(ctx).bank.services.endpoints.paths

/** The parameters in the query or form of a request, as they were sent. */
function parametersOf(ctx: Context): string {
  return ctx.path === pathsOf(ctx).token ? stateOf(ctx).body : ctx.querystring
}

/** Claims of a request object that a schema of the bank has. */
const CLAIMS_OF_THE_SCHEMA = [
  ...['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'sub', 'claims', 'nonce', 'state', 'prompt'],
  ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'max_age'],
]

const faults: Fault[] = [
  {
    id: 'parameters-beyond-the-list-are-refused',
    story:
      'The gateway refuses an authorisation request that has a query parameter it does not know.',
    fails: [],
    warns: ['GEN-36/unknown'],
    middleware: stops(
      (ctx) =>
        ctx.path === pathsOf(ctx).authorisation &&
        Object.keys(ctx.query).some(
          (name) => !['request', ...CLAIMS_OF_THE_SCHEMA].includes(name) && ctx.query[name] !== '',
        ),
      400,
    ),
  },
  {
    id: 'claims-beyond-the-schema-are-refused',
    story: 'The bank refuses a request object that has a claim it does not know.',
    fails: [],
    warns: ['GEN-36/unknown'],
    policies: (correct, { fired }) => ({
      requestObjectRefusal(claims, settings) {
        const reason = correct.requestObjectRefusal(claims, settings)
        const known = Object.keys(claims).every((name) => CLAIMS_OF_THE_SCHEMA.includes(name))
        if (reason || known) return reason
        fired()
        return 'the request object has an additional member'
      },
    }),
  },
  {
    id: 'empty-max-age-is-no-number',
    story: 'The bank refuses an authorisation request whose max_age has no value.',
    fails: [],
    warns: ['GEN-36/without-value'],
    middleware: stops(
      (ctx) => ctx.path === pathsOf(ctx).authorisation && ctx.query.max_age === '',
      400,
    ),
  },
  {
    id: 'plus-stays-plus-in-the-query',
    story: 'The authorisation endpoint does not read + in the query as a space.',
    fails: ['GEN-22/authorisation'],
    async middleware(ctx, next) {
      if (ctx.path === pathsOf(ctx).authorisation && ctx.querystring.includes('+')) {
        ctx.querystring = ctx.querystring.replaceAll('+', '%2B')
        stateOf(ctx).fired()
      }
      await next()
    },
  },
  {
    id: 'grant-type-comes-first',
    story:
      'The token endpoint refuses a form that does not begin with grant_type=. The gateway selects the service by the beginning of the body.',
    fails: ['GEN-22/token'],
    middleware: stops(
      (ctx) =>
        ctx.path === pathsOf(ctx).token &&
        !stateOf(ctx).body.startsWith('grant_type=') &&
        stateOf(ctx).body.includes('&grant_type='),
      404,
    ),
  },
  {
    id: 'small-hexadecimal-digits-are-an-attack',
    story:
      'The firewall refuses percent-encoding with lower-case hexadecimal digits (%3a) as an attack.',
    fails: ['GEN-22/token', 'GEN-22/authorisation'],
    warns: ['GEN-23/filters'],
    middleware: stops((ctx) => /%(?:[0-9][a-f]|[a-f][0-9a-f])/.test(parametersOf(ctx))),
  },
  {
    id: 'encoded-marks-are-an-evasion',
    story:
      'The firewall refuses a percent-encoded hyphen or underscore (%2D, %5F), because these characters need no encoding.',
    fails: [],
    warns: ['GEN-23/token', 'GEN-23/authorisation', 'GEN-23/filters'],
    middleware: stops((ctx) => /%(?:2D|5F)/.test(parametersOf(ctx))),
  },
  {
    id: 'colons-in-filters-are-refused',
    story: 'The bank refuses a date filter whose colons are not percent-encoded.',
    fails: [],
    warns: ['GEN-23/filters'],
    middleware: stops((ctx) => ctx.path.endsWith('/transactions') && ctx.querystring.includes(':')),
  },
  {
    id: 'authorization-in-capitals-and-small-letters',
    story:
      'The bank finds the access token only if the header name is spelled Authorization; another spelling gets 401.',
    fails: [],
    warns: ['GEN-24/added-headers'],
    middleware: stops(
      (ctx) =>
        ctx.path.startsWith(AISP) &&
        ctx.get('authorization') !== '' &&
        !ctx.req.rawHeaders.includes('Authorization'),
      401,
    ),
  },
  {
    id: 'libraries-are-robots',
    story:
      'The bank refuses data and consent requests whose User-Agent names curl or Python, as a protection against robots.',
    fails: [],
    warns: ['GEN-24/added-headers'],
    middleware: stops(
      (ctx) => ctx.path.startsWith(AISP) && /curl|python/.test(ctx.get('user-agent')),
    ),
  },
  {
    id: 'regions-have-two-letters',
    story: 'The bank refuses requests whose Accept-Language has a region as a number (es-419).',
    fails: [],
    warns: ['GEN-24/added-headers'],
    middleware: stops((ctx) => /-\d/.test(ctx.get('accept-language')), 400),
  },
  {
    id: 'deletions-without-content-are-no-json',
    story:
      'The bank refuses the DELETE of a consent with a JSON Content-Type, because it tries to parse the empty body.',
    fails: [],
    warns: ['GEN-24/deletions'],
    middleware: stops(
      (ctx) => isConsentDeletion(ctx) && ctx.get('content-type').includes('json'),
      400,
    ),
  },
  {
    id: 'funds-deletions-without-content-are-no-json',
    story:
      'The bank refuses the DELETE of a funds confirmation consent with a JSON Content-Type, because it tries to parse the empty body.',
    fails: [],
    warns: ['GEN-24/funds-confirmation'],
    middleware: stops(
      (ctx) =>
        isConsentDeletion(ctx) &&
        ctx.path.includes('funds-confirmation') &&
        ctx.get('content-type').includes('json'),
      400,
    ),
  },
  {
    id: 'bodies-in-chunks-are-empty',
    story:
      'The bank refuses requests with Transfer-Encoding chunked. The gateway reads a body only by Content-Length.',
    fails: [],
    warns: ['GEN-24/added-headers'],
    middleware: stops((ctx) => ctx.req.rawHeaders.includes('chunked'), 400),
  },
  {
    id: 'types-without-content-are-refused',
    story:
      'The bank refuses a GET with a JSON Content-Type, because it tries to parse the empty body.',
    fails: [],
    warns: ['GEN-24/added-headers'],
    middleware: stops(
      (ctx) =>
        ctx.method === 'GET' &&
        ctx.path.startsWith(AISP) &&
        ctx.get('content-type').includes('json'),
      400,
    ),
  },
  {
    id: 'cookies-need-a-csrf-token',
    story:
      'The bank refuses consent and data requests that have a cookie. The framework applies its protection against forged browser requests (CSRF).',
    fails: [],
    warns: ['GEN-24/added-headers'],
    middleware: stops((ctx) => ctx.path.startsWith(AISP) && ctx.get('cookie') !== ''),
  },
]

export default faults
