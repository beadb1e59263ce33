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
    story:
      'The header is read as those of schemes with parameters are: the first value is the token.',
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
      'What is older than ninety days is shown after a login alone, and a refreshed token of the first release comes of none: the rule does not check whether the customer is there.',
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
      'The web framework begins a session at the first request, and takes later ones as authenticated.',
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
      'The gateway asks whoever has no session for a token, and leaves sessions to the service.',
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
      'The gateway’s list of protected routes lacks one, and the service takes the last caller’s token.',
    fails: ['DATA-03/without-authorization'],
    middleware: withLastToken((ctx) => endpointOf(ctx) === 'account-balances'),
  },
  {
    id: 'filtered-transactions-without-token',
    story: 'The search of transactions was added behind the gateway, with a route of its own.',
    fails: ['DATA-03/without-authorization'],
    middleware: withLastToken(
      (ctx) => endpointOf(ctx) === 'transactions' && ctx.querystring !== '',
    ),
  },
  {
    id: 'transactions-token-by-its-beginning',
    story: 'The cache of introspected tokens is keyed by the first sixteen characters.',
    fails: ['DATA-03/unknown-token'],
    middleware: cachedBy((token) => token.slice(0, 16), 'transactions'),
  },
  {
    id: 'data-for-a-jwt-that-nobody-signed',
    story:
      'The gateway takes the id of the token out of a JWT, by a library that verifies what the header of the JWT asks for.',
    fails: ['DATA-03/unknown-token'],
    middleware: lendsFromJwts(({ alg }) => alg === 'none'),
  },
  {
    id: 'data-for-a-signature-of-zeros',
    story: 'The runtime of the gateway takes two zeros for the ECDSA signature of any text.',
    fails: ['DATA-03/unknown-token'],
    middleware: lendsFromJwts(({ alg }, token) => alg === 'ES256' && /\.A+$/.test(token)),
  },
  {
    id: 'tokens-cut-to-the-column',
    story: 'The database cuts what is longer than the column before it compares.',
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
      'The consent of the current request is kept in a field of a service that all requests share.',
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
      'The balance service keeps the token of its caller in a field, for the call to the ledger.',
    fails: ['DATA-08/customers-at-once'],
    middleware: inOneField({ ...authorization, fits: (ctx) => endpointOf(ctx) === 'balances' }),
  },
  {
    id: 'accounts-at-once-are-of-the-last-caller',
    story: 'The list of accounts is put together by a bean of the application, not of the request.',
    fails: ['DATA-08/customers-at-once'],
    middleware: inOneField({ ...authorization, fits: (ctx) => endpointOf(ctx) === 'accounts' }),
  },
  {
    id: 'codes-at-once-are-the-last',
    story: 'The form of a token request is kept in a field while the key of its client is fetched.',
    fails: ['DATA-08/visits-at-once'],
    middleware: inOneField({
      ...requestBody,
      fits: (ctx) => tokenForm(ctx)?.get('grant_type') === 'authorization_code',
    }),
  },
  {
    id: 'single-balances-at-once-are-the-last',
    story: 'The AccountId of the path is a field of the controller, of which there is one.',
    fails: ['BAL-02/asked-account-only'],
    middleware: inOneField({
      ...requestPath,
      fits: (ctx) => endpointOf(ctx) === 'account-balances',
    }),
  },
  {
    id: 'single-transactions-at-once-are-the-last',
    story: 'Pages of the core system are gathered in a list that requests of one customer share.',
    fails: ['TXN-02/asked-account-only'],
    middleware: inOneField({
      ...requestPath,
      fits: (ctx) => endpointOf(ctx) === 'account-transactions',
    }),
  },
  {
    id: 'other-spellings-of-a-list-without-token',
    story:
      'The gateway asks for a token where the path is one of its list; the router behind it drops a slash at the end.',
    fails: ['DATA-03/without-authorization'],
    middleware: spelledAs((path) => path.replace(/\/$/, ''), withLastToken),
  },
  {
    id: 'parameters-of-a-path-without-token',
    story:
      'The gateway matches the path as it stands; the server behind it cuts path parameters off.',
    fails: ['DATA-03/without-authorization'],
    middleware: spelledAs((path) => path.replace(/;[^/]*$/, ''), withLastToken),
  },
  {
    id: 'encoded-paths-without-token',
    story: 'Rules of the gateway are compared before the path is decoded, routes after.',
    fails: ['DATA-03/without-authorization'],
    middleware: spelledAs(unescaped, withLastToken),
  },
  {
    id: 'the-last-request-is-what-pages-show',
    story: 'The pages know one pending consent, that of the authorisation request that came last.',
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
    story: 'The customer of a visit is kept for the worker, not for the visit.',
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
    story: 'A worker serves one customer: whoever logs in takes the place of the one before.',
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
