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
    story: 'The gateway has a list of the parameters of a login, and refuses all others.',
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
    story: 'Request objects are validated by a schema that allows no additional members.',
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
    story: 'The login page reads max_age with a pattern for numbers wherever it is there.',
    fails: [],
    warns: ['GEN-36/without-value'],
    middleware: stops(
      (ctx) => ctx.path === pathsOf(ctx).authorisation && ctx.query.max_age === '',
      400,
    ),
  },
  {
    id: 'plus-stays-plus-in-the-query',
    story: 'The login page reads its address as a path is read, where + is no space.',
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
    story: 'The gateway chooses the service for a token by how the form begins: grant_type=.',
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
    story: 'A rule of the firewall against double encoding knows %3A, and takes %3a for an attack.',
    fails: ['GEN-22/token', 'GEN-22/authorisation'],
    warns: ['GEN-23/filters'],
    middleware: stops((ctx) => /%(?:[0-9][a-f]|[a-f][0-9a-f])/.test(parametersOf(ctx))),
  },
  {
    id: 'encoded-marks-are-an-evasion',
    story: 'The firewall takes whoever encodes a hyphen, which needs it not, for an intruder.',
    fails: [],
    warns: ['GEN-23/token', 'GEN-23/authorisation', 'GEN-23/filters'],
    middleware: stops((ctx) => /%(?:2D|5F)/.test(parametersOf(ctx))),
  },
  {
    id: 'colons-in-filters-are-refused',
    story: 'The gateway compares a query with a pattern in which a date-time has %3A.',
    fails: [],
    warns: ['GEN-23/filters'],
    middleware: stops((ctx) => ctx.path.endsWith('/transactions') && ctx.querystring.includes(':')),
  },
  {
    id: 'authorization-in-capitals-and-small-letters',
    story: 'A script of the gateway looks for the header Authorization, in this spelling alone.',
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
    story: 'Protection against robots refuses curl and Python by their names.',
    fails: [],
    warns: ['GEN-24/added-headers'],
    middleware: stops(
      (ctx) => ctx.path.startsWith(AISP) && /curl|python/.test(ctx.get('user-agent')),
    ),
  },
  {
    id: 'regions-have-two-letters',
    story:
      'A filter reads Accept-Language with a pattern of its own, which knows no regions by number.',
    fails: [],
    warns: ['GEN-24/added-headers'],
    middleware: stops((ctx) => /-\d/.test(ctx.get('accept-language')), 400),
  },
  {
    id: 'deletions-without-content-are-no-json',
    story:
      'The framework reads a body where Content-Type announces one, and an empty one is no JSON.',
    fails: [],
    warns: ['GEN-24/deletions'],
    middleware: stops(
      (ctx) => isConsentDeletion(ctx) && ctx.get('content-type').includes('json'),
      400,
    ),
  },
  {
    id: 'funds-deletions-without-content-are-no-json',
    story: 'The newer of two services has a framework that reads what Content-Type announces.',
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
    story: 'The gateway reads as many bytes as Content-Length says, and none where it is missing.',
    fails: [],
    warns: ['GEN-24/added-headers'],
    middleware: stops((ctx) => ctx.req.rawHeaders.includes('chunked'), 400),
  },
  {
    id: 'types-without-content-are-refused',
    story: 'A framework reads JSON wherever Content-Type says so, also where nothing was sent.',
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
    story: 'The framework protects whoever has a cookie from forged requests, applications too.',
    fails: [],
    warns: ['GEN-24/added-headers'],
    middleware: stops((ctx) => ctx.path.startsWith(AISP) && ctx.get('cookie') !== ''),
  },
]

export default faults
