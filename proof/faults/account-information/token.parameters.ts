import type { Middleware } from 'koa'
import { stateOf } from '../../../bank/state/state.ts'
import { tokenForm, tokenRequests } from '../../altering/jwt-rewrites.ts'
import type { Fault } from '../../run/proof.ts'

/** The form fields of the document. */
const FIELDS = [
  ...['grant_type', 'client_id', 'client_secret', 'code', 'refresh_token', 'redirect_uri'],
  ...['client_assertion_type', 'client_assertion', 'scope'],
]

/** Refuses forms like this one. */
function refuses(isWrong: (form: URLSearchParams) => boolean, error: string): Middleware {
  return async (ctx, next) => {
    const form = tokenForm(ctx)
    if (!form || !isWrong(form)) return next()
    ctx.status = 400
    ctx.body = { error }
    stateOf(ctx).fired()
    return undefined
  }
}

/** Reads one value of each of these fields that is sent several times. */
function reads(choose: (values: string[]) => string | undefined, fields = FIELDS): Middleware {
  return tokenRequests((form) => {
    const twice = fields.filter((name) => form.getAll(name).length > 1)
    for (const name of twice) form.set(name, choose(form.getAll(name)) ?? '')
    return twice.length > 0
  })
}

const faults: Fault[] = [
  {
    id: 'token-by-get',
    story: 'The token endpoint accepts a GET request with the parameters in the query.',
    fails: [],
    warns: ['TOK-49/by-get'],
    async middleware(ctx, next) {
      const state = stateOf(ctx)
      const isToken = ctx.path === state.bank.services.endpoints.paths.token
      if (isToken && ctx.method === 'GET' && ctx.querystring !== '') {
        state.body = ctx.querystring
        ctx.method = 'POST'
        ctx.querystring = ''
        ctx.req.headers['content-type'] = 'application/x-www-form-urlencoded'
        // The request came without content.
        ctx.req.headers['transfer-encoding'] = 'chunked'
        state.fired()
      }
      await next()
    },
  },
  {
    id: 'unknown-fields-are-refused',
    story: 'The token endpoint refuses a form that has a field it does not know.',
    fails: [],
    warns: ['TOK-50/ignored'],
    middleware: refuses(
      (form) => [...form.keys()].some((name) => !FIELDS.includes(name)),
      'invalid_request',
    ),
  },
  {
    id: 'a-refresh-that-names-its-scopes-is-refused',
    story: 'The token endpoint refuses a refresh that has a scope, even one of the grant.',
    fails: [],
    warns: ['TOK-23/named'],
    middleware: refuses(
      (form) => form.get('grant_type') === 'refresh_token' && form.has('scope'),
      'invalid_scope',
    ),
  },
  {
    id: 'an-empty-secret-is-a-second-authentication',
    story:
      'The token endpoint refuses a client assertion if the form also has an empty client_secret.',
    fails: [],
    warns: ['TOK-51/as-omitted'],
    middleware: refuses(
      (form) => form.has('client_secret') && form.has('client_assertion'),
      'invalid_client',
    ),
  },
  {
    id: 'an-empty-redirect-uri-is-compared',
    story: 'The token endpoint refuses a form with an empty redirect_uri, instead of ignoring it.',
    fails: [],
    warns: ['TOK-51/as-omitted'],
    middleware: refuses((form) => form.get('redirect_uri') === '', 'invalid_request'),
  },
  {
    id: 'first-of-two-fields-counts',
    story:
      'If a field is sent twice, the token endpoint uses the first one instead of refusing the request.',
    fails: [],
    warns: ['TOK-52/assertion-twice'],
    middleware: reads(([first]) => first),
  },
  {
    id: 'last-of-two-fields-counts',
    story:
      'If a field is sent twice, the token endpoint uses the last one instead of refusing the request.',
    fails: [],
    warns: ['TOK-52/assertion-twice'],
    middleware: reads((values) => values.at(-1)),
  },
  {
    id: 'first-of-two-redirect-uris-counts',
    story:
      'If redirect_uri is sent twice, the token endpoint uses the first one instead of refusing the request.',
    fails: [],
    warns: ['TOK-52/with-code'],
    middleware: reads(([first]) => first, ['redirect_uri']),
  },
  {
    id: 'last-of-two-codes-counts',
    story:
      'If code or refresh_token is sent twice, the token endpoint uses the last one instead of refusing the request.',
    fails: [],
    warns: ['TOK-52/with-code'],
    middleware: reads((values) => values.at(-1), ['code', 'refresh_token']),
  },
]

export default faults
