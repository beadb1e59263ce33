import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import type { Customer } from '../../../bank/data/customers.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { unescaped } from '../../../bank/operator/seen-facts.ts'
import type { DataEndpoint } from '../../../bank/policies/data.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { endpointOf } from '../../altering/data-requests.ts'
import { decoded, tokenForm } from '../../altering/jwt-rewrites.ts'
import {
  authorization,
  inOneField,
  requestBody,
  requestPath,
} from '../../altering/shared-fields.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** A cache of valid Authorization headers in front of one endpoint; its key is a part of the token. */
function cachedBy(
  part: (token: string) => string,
  endpoint: DataEndpoint,
): NonNullable<Fault['middleware']> {
  const cached = ofEachBank(() => new Map<string, string>())
  return async (ctx, next) => {
    const { authorization } = ctx.req.headers
    if (endpointOf(ctx) !== endpoint || !authorization) return next()
    const key = part(authorization.slice('Bearer '.length))
    const known = cached().get(key)
    if (known && known !== authorization) stateOf(ctx).fired()
    ctx.req.headers.authorization = known ?? authorization
    await next()
    if (ctx.status === 200 && !known) cached().set(key, authorization)
  }
}

/** Takes the access token that a JWT names, where the library accepts the JWT. */
const lendsFromJwts =
  (
    isAccepted: (header: Record<string, unknown>, token: string) => boolean,
  ): NonNullable<Fault['middleware']> =>
  async (ctx, next) => {
    const token = ctx.get('authorization').slice('Bearer '.length)
    const { header, claims } = decoded(token)
    if (endpointOf(ctx) && isAccepted(header, token)) {
      ctx.req.headers.authorization = `Bearer ${String(claims.jti)}`
      stateOf(ctx).fired()
    }
    await next()
  }

/** The customer who logged in last. */
const worker = ofEachBank((): { last?: Customer } => ({}))

/** Length of every token that the bank issues. */
const LENGTH = 43

/** Authorization headers of the latest request for data, of the latest for transactions, and of the latest accounts served. */
const fields = ofEachBank(() => ({}) as { last?: string; current?: string; served?: string })

/** Matching requests need no token: the service uses the token of the previous request. */
function withLastToken(fits: (ctx: Context) => boolean): NonNullable<Fault['middleware']> {
  return async (ctx, next) => {
    const { authorization } = ctx.req.headers
    const shared = fields()
    if (fits(ctx)) {
      if (authorization === undefined) ctx.state.fired()
      ctx.req.headers.authorization = authorization ?? shared.last
    }
    if (endpointOf(ctx)) shared.last = ctx.req.headers.authorization || shared.last
    await next()
  }
}

/** Requests with another spelling of a list's path are served as that list, even without a token. */
function spelledAs(
  read: (path: string) => string,
  served: typeof withLastToken,
): NonNullable<Fault['middleware']> {
  const others = new WeakSet<Context>()
  const serve = served((ctx) => others.has(ctx))
  return async (ctx, next) => {
    const path = ctx.path.startsWith(AISP) ? read(ctx.path) : ctx.path
    if (path !== ctx.path && LISTS.includes(path.slice(AISP.length))) {
      ctx.path = path
      others.add(ctx)
    }
    await serve(ctx, next)
  }
}

const AISP = '/open-banking/v3.1/aisp'

const LISTS = ['/accounts', '/balances', '/transactions']

/** The Authorization header with which each session began. */
const sessions = ofEachBank(() => new Map<string, string>())

const faults: Fault[] = [
  {
    id: 'tokens-as-parameters',
    story: 'The bank also accepts the access token as Authorization: Bearer token="...".',
    fails: [],
    warns: ['DATA-10/other-forms'],
    async middleware(ctx, next) {
      const [, token] = /^Bearer token="([^"]+)"$/.exec(ctx.get('authorization')) ?? []
      if (token !== undefined) {
        ctx.req.headers.authorization = `Bearer ${token}`
        stateOf(ctx).fired()
      }
      await next()
    },
  },
  {
    id: 'old-logins-open-filtered-transactions-alone',
    story:
      'GET /transactions without a date filter is refused with "Reauthentication is required" for a refreshed token of the first client. Older transactions need a recent login, and the rule does not check whether the customer is present.',
    fails: ['TXN-01/answers-200'],
    async middleware(ctx, next) {
      const plain = endpointOf(ctx) === 'transactions' && ctx.querystring === ''
      const token = tokenInfoOf(ctx)
      if (!plain || !token?.refreshed || token.client === 'second') return next()
      ctx.status = 403
      ctx.body = { Code: '403 Forbidden', Message: 'Reauthentication is required', Errors: [] }
      return stateOf(ctx).fired()
    },
  },
  {
    id: 'data-by-a-session-cookie',
    story:
      'A request without an access token gets data if it has the session cookie of an earlier request.',
    fails: ['DATA-03/cookie'],
    async middleware(ctx, next) {
      if (!endpointOf(ctx)) return next()
      const { authorization } = ctx.req.headers
      const known = sessions().get(ctx.cookies.get('JSESSIONID', { signed: false }) ?? '')
      if (!authorization && known) {
        ctx.req.headers.authorization = known
        stateOf(ctx).fired()
      }
      await next()
      if (!authorization || ctx.status !== 200) return
      const session = randomBytes(16).toString('hex')
      sessions().set(session, authorization)
      ctx.append('set-cookie', `JSESSIONID=${session}; Path=/; Secure; HttpOnly`)
    },
  },
  {
    id: 'data-by-any-session-cookie',
    story:
      'GET /accounts without an access token returns accounts if the request has any session cookie. The gateway checks tokens only of requests without a session.',
    fails: ['DATA-03/cookie'],
    async middleware(ctx, next) {
      if (endpointOf(ctx) !== 'accounts') return next()
      const { headers } = ctx.req
      if (!headers.authorization && /\bJSESSIONID=/.test(headers.cookie ?? '')) {
        headers.authorization = fields().served
        stateOf(ctx).fired()
      }
      await next()
      if (ctx.status === 200) fields().served = headers.authorization
    },
  },
  {
    id: 'single-balances-without-token',
    story:
      'GET /accounts/{AccountId}/balances needs no access token; the service uses the token of the previous caller.',
    fails: ['DATA-03/without-authorization'],
    middleware: withLastToken((ctx) => endpointOf(ctx) === 'account-balances'),
  },
  {
    id: 'filtered-transactions-without-token',
    story:
      'GET /transactions with a date filter needs no access token, because the gateway does not protect that route.',
    fails: ['DATA-03/without-authorization'],
    middleware: withLastToken(
      (ctx) => endpointOf(ctx) === 'transactions' && ctx.querystring !== '',
    ),
  },
  {
    id: 'transactions-token-by-its-beginning',
    story:
      'GET /transactions accepts an invalid access token whose first 16 characters are those of a valid one. This is the key of a cache.',
    fails: ['DATA-03/unknown-token'],
    middleware: cachedBy((token) => token.slice(0, 16), 'transactions'),
  },
  {
    id: 'data-for-a-jwt-that-nobody-signed',
    story:
      'The bank accepts a JWT with alg none as access token if its jti is that of a valid token.',
    fails: ['DATA-03/unknown-token'],
    middleware: lendsFromJwts(({ alg }) => alg === 'none'),
  },
  {
    id: 'data-for-a-signature-of-zeros',
    story:
      'The bank accepts a JWT with alg ES256 and a signature of zeros as access token if its jti is that of a valid token.',
    fails: ['DATA-03/unknown-token'],
    middleware: lendsFromJwts(({ alg }, token) => alg === 'ES256' && /\.A+$/.test(token)),
  },
  {
    id: 'tokens-cut-to-the-column',
    story:
      'The bank accepts an access token with extra characters at its end. The database cuts values to the length of the column.',
    fails: ['DATA-03/unknown-token'],
    async middleware(ctx, next) {
      const { authorization = '' } = ctx.req.headers
      const cut = authorization.slice(0, 'Bearer '.length + LENGTH)
      if (cut !== authorization) {
        stateOf(ctx).fired()
        ctx.req.headers.authorization = cut
      }
      await next()
    },
  },
  {
    id: 'consent-of-the-other-request',
    story:
      'Two requests for transactions at the same time: one gets the data of the other consent, because they share a field.',
    fails: ['DATA-08/concurrent'],
    async middleware(ctx, next) {
      if (endpointOf(ctx) === 'transactions') {
        const own = ctx.req.headers.authorization
        const shared = fields()
        shared.current = own
        await wait(25)
        if (shared.current !== own) ctx.state.fired()
        ctx.req.headers.authorization = shared.current
      }
      await next()
    },
  },
  {
    id: 'balances-at-once-are-of-the-last-caller',
    story:
      "Two requests for balances at the same time: one customer's request gets the data of the other, because they share the token in a field.",
    fails: ['DATA-08/customers-at-once'],
    middleware: inOneField({ ...authorization, fits: (ctx) => endpointOf(ctx) === 'balances' }),
  },
  {
    id: 'accounts-at-once-are-of-the-last-caller',
    story:
      "Two requests for accounts at the same time: one customer's request gets the data of the other, because they share an object.",
    fails: ['DATA-08/customers-at-once'],
    middleware: inOneField({ ...authorization, fits: (ctx) => endpointOf(ctx) === 'accounts' }),
  },
  {
    id: 'codes-at-once-are-the-last',
    story:
      'Two token requests with codes at the same time: one gets the tokens of the other, because they share the form in a field.',
    fails: ['DATA-08/visits-at-once'],
    middleware: inOneField({
      ...requestBody,
      fits: (ctx) => tokenForm(ctx)?.get('grant_type') === 'authorization_code',
    }),
  },
  {
    id: 'single-balances-at-once-are-the-last',
    story:
      'Two requests for the balances of single accounts at the same time: one gets the other account, because they share the AccountId in a field.',
    fails: ['BAL-02/asked-account-only'],
    middleware: inOneField({
      ...requestPath,
      fits: (ctx) => endpointOf(ctx) === 'account-balances',
    }),
  },
  {
    id: 'single-transactions-at-once-are-the-last',
    story:
      'Two requests for the transactions of single accounts at the same time: one gets the other account, because they share a field.',
    fails: ['TXN-02/asked-account-only'],
    middleware: inOneField({
      ...requestPath,
      fits: (ctx) => endpointOf(ctx) === 'account-transactions',
    }),
  },
  {
    id: 'other-spellings-of-a-list-without-token',
    story:
      'A list with a slash at the end of its path needs no access token. The gateway protects the exact path, and the router behind it ignores the slash.',
    fails: ['DATA-03/without-authorization'],
    middleware: spelledAs((path) => path.replace(/\/$/, ''), withLastToken),
  },
  {
    id: 'parameters-of-a-path-without-token',
    story:
      'A list with a path parameter (;x=1) needs no access token. The gateway protects the exact path, and the server behind it removes path parameters.',
    fails: ['DATA-03/without-authorization'],
    middleware: spelledAs((path) => path.replace(/;[^/]*$/, ''), withLastToken),
  },
  {
    id: 'encoded-paths-without-token',
    story:
      'A list whose path is percent-encoded needs no access token. The gateway applies its rules before it decodes the path.',
    fails: ['DATA-03/without-authorization'],
    middleware: spelledAs(unescaped, withLastToken),
  },
  {
    id: 'the-last-request-is-what-pages-show',
    story:
      'Two authorisation requests at the same time: the pages of both show and approve the consent of the last request.',
    fails: ['DATA-08/visits-at-once'],
    policies(correct, { fired }) {
      let last: string | undefined
      return {
        intentOf(claims) {
          const own = correct.intentOf(claims)
          if (!currentRequest()?.path.startsWith('/interaction/')) last = own
          if (last !== own) fired()
          return last
        },
      }
    },
  },
  {
    id: 'whoever-logged-in-last-approves',
    story:
      'Two customers at the same time: the consent of one is approved for the customer who logged in last. The customer is stored for the server, not for the visit.',
    fails: ['DATA-08/visits-at-once'],
    policies: (correct) => ({
      // The choices on another customer's page match none of this customer's cards.
      cardsGranted(offered, ticked, again) {
        const granted = correct.cardsGranted(offered, ticked, again)
        return granted.length > 0 ? granted : offered
      },
    }),
    async middleware(ctx, next) {
      const { bank, fired } = stateOf(ctx)
      const { visitors } = bank.services
      const [, uid = '', step] = /^\/interaction\/([^/]+)\/(\w+)$/.exec(ctx.path) ?? []
      const { last } = worker()
      if (step === 'decision' && last && visitors.get(uid) !== last) {
        visitors.set(uid, last)
        fired()
      }
      await next()
      if (step === 'login') worker().last = visitors.get(uid)
    },
  },
  {
    id: 'a-login-ends-the-visits-of-others',
    story: 'Two customers at the same time: the login of one ends the visit of the other.',
    fails: ['DATA-08/visits-at-once'],
    policies(correct, { fired }) {
      let here: string | undefined
      return {
        loginAccepted(customer, password) {
          const accepted = correct.loginAccepted(customer, password)
          if (accepted) here = customer?.id
          return accepted
        },
        confirmableBy(consent, customer, offered) {
          if (customer.id === here) return correct.confirmableBy(consent, customer, offered)
          fired()
          return 'somebody else has logged in'
        },
      }
    },
  },
]

export default faults
