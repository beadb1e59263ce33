import type { Context, Middleware, Next } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import type { DataEndpoint } from '../../../bank/policies/data.ts'
import type { Consent } from '../../../bank/state/consents.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { listing } from '../../altering/consent-requests.ts'
import { askedAccount, endpointOf, isSingle } from '../../altering/data-requests.ts'
import { admit } from '../../altering/jwt-rewrites.ts'
import { endsTheOneBefore } from '../../altering/newest-client-token.ts'
import { bearerOf } from '../../cells/parties.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

const AISP = '/open-banking/v3.1/aisp'

/** Treats every connection as if it had a valid certificate when the request meets the condition. */
function admits(condition: (ctx: Context) => boolean) {
  return async (ctx: Context, next: Next) => {
    const { transport, listener } = stateOf(ctx)
    if (listener.roles.includes('api') && !transport.authorized && condition(ctx)) admit(ctx)
    await next()
  }
}

/** The same for paths that are another spelling of a list's path; they are served as that list. */
function admitsSpelled(read: (path: string) => string) {
  const admitted = admits(() => true)
  return async (ctx: Context, next: Next) => {
    const path = read(ctx.path)
    const lists = ['/accounts', '/balances', '/transactions'].map((list) => `${AISP}${list}`)
    if (path === ctx.path || !lists.includes(path)) return next()
    ctx.path = path
    await admitted(ctx, next)
  }
}

/** Answers HEAD without a token from what GET has given at these paths. */
function headFromTheCache(path: RegExp): Fault['middleware'] {
  const kept = ofEachBank(() => new Map<string, number>())
  return async (ctx, next) => {
    const length = kept().get(ctx.path)
    if (ctx.method === 'HEAD' && length !== undefined && ctx.get('authorization') === '') {
      ctx.status = 200
      ctx.length = length
      return stateOf(ctx).fired()
    }
    await next()
    const { status, response } = ctx
    if (ctx.method === 'GET' && path.test(ctx.path) && status === 200) {
      kept().set(ctx.path, response.length ?? 0)
    }
  }
}

/** Serves these paths at each listener, and finds every connection good where no certificate is asked for. */
const atEachListener =
  (fits: (path: string, ctx: Context) => boolean): Middleware =>
  async (ctx, next) => {
    const state = stateOf(ctx)
    if (!state.listener.mutual && ctx.path.startsWith(AISP) && fits(ctx.path, ctx)) {
      admit(ctx)
      state.listener = { ...state.listener, roles: ['api'] }
    }
    await next()
  }

/** Reads with the newest access token of the consent, or the customer, that a header names. */
function readsAsNamed(
  header: string,
  nameOf: (consent: Consent) => string | undefined,
  endpoints?: readonly DataEndpoint[],
): Middleware {
  /** The newest access token that has read accounts, by that name. */
  const readers = ofEachBank(() => new Map<string, string>())
  return async (ctx, next) => {
    const endpoint = endpointOf(ctx)
    const named = readers().get(ctx.get(header))
    if (endpoint && named !== undefined && (endpoints?.includes(endpoint) ?? true)) {
      ctx.req.headers.authorization = `Bearer ${named}`
      stateOf(ctx).fired()
    }
    const consent = tokenInfoOf(ctx)?.consent
    const name = consent && nameOf(consent)
    await next()
    if (endpoint === 'accounts' && ctx.status === 200 && name !== undefined) {
      readers().set(name, bearerOf(ctx))
    }
  }
}

const faults: Fault[] = [
  {
    id: 'data-at-each-listener',
    story: 'Data endpoints are also served at the host names that need no transport certificate.',
    fails: ['SEC-02/other-listeners'],
    middleware: atEachListener((path) => !path.includes('-consents')),
  },
  {
    id: 'consents-at-each-listener',
    story:
      'Consent endpoints are also served at the host names that need no transport certificate.',
    fails: ['SEC-01/other-listeners'],
    middleware: atEachListener((path) => path.includes('account-access-consents')),
  },
  {
    id: 'routes-by-the-host-header',
    story:
      'The gateway asks for a certificate by the name in the TLS handshake, and routes by the header Host (emissary-ingress/emissary#3340).',
    fails: ['SEC-01/other-listeners', 'SEC-02/other-listeners'],
    middleware: atEachListener((_path, ctx) => {
      const { at } = stateOf(ctx).bank.services.endpoints
      return ctx.get('host') === new URL(at.api).host
    }),
  },
  {
    id: 'head-of-an-account-from-the-cache',
    story: 'A HEAD request for an account needs no access token, because a cache answers it.',
    fails: [],
    warns: ['SEC-16/data'],
    middleware: headFromTheCache(/\/accounts\/[^/]+/),
  },
  {
    id: 'head-of-a-consent-from-the-cache',
    story: 'A HEAD request for a consent needs no access token, because a cache answers it.',
    fails: [],
    warns: ['SEC-16/consent'],
    middleware: headFromTheCache(/\/account-access-consents\/[^/]+$/),
  },
  {
    id: 'new-data-endpoints-without-certificate',
    story:
      "GET /transactions needs no transport certificate. It was added later and is not in the gateway's list of paths.",
    fails: ['SEC-02/other-endpoints'],
    settings: { tlsRefusal: 'status' },
    middleware: admits(({ path }) => path === `${AISP}/transactions`),
  },
  {
    id: 'single-accounts-without-certificate',
    story:
      'The endpoints of one account need no transport certificate, because the gateway compares whole paths.',
    fails: ['SEC-02/other-endpoints'],
    settings: { tlsRefusal: 'status' },
    middleware: admits(({ path }) => path.startsWith(`${AISP}/accounts/`)),
  },
  {
    id: 'filters-without-certificate',
    story:
      'Transaction requests with toBookingDateTime need no transport certificate, because the gateway compares the path together with the query.',
    fails: ['SEC-02/other-endpoints'],
    settings: { tlsRefusal: 'status' },
    middleware: admits(
      ({ path, query }) => path.endsWith('/transactions') && 'toBookingDateTime' in query,
    ),
  },
  {
    id: 'double-slashes-without-certificate',
    story:
      'A list with a double slash in its path needs no transport certificate. The router behind the gateway merges slashes.',
    fails: ['SEC-02/other-endpoints'],
    settings: { tlsRefusal: 'status' },
    middleware: admitsSpelled((path) => path.replace(/\/{2,}/g, '/')),
  },
  {
    id: 'paths-in-capitals-without-certificate',
    story:
      'A list whose path has upper-case letters needs no transport certificate. The server behind the gateway ignores case.',
    fails: ['SEC-02/other-endpoints'],
    settings: { tlsRefusal: 'status' },
    middleware: admitsSpelled((path) => path.toLowerCase()),
  },
  {
    id: 'consent-creation-with-expired-certificate',
    story: 'The creation of a consent accepts an expired transport certificate.',
    fails: ['SEC-01/create'],
    settings: { tlsRefusal: 'status' },
    middleware: admits(
      (ctx) =>
        ctx.method === 'POST' &&
        ctx.path === `${AISP}/account-access-consents` &&
        stateOf(ctx).transport.error === 'CERT_HAS_EXPIRED',
    ),
  },
  {
    id: 'consent-deletion-without-certificate',
    story: 'The delete of a consent needs no transport certificate.',
    fails: ['SEC-01/delete'],
    settings: { tlsRefusal: 'status' },
    middleware: admits(
      ({ method, path }) => method === 'DELETE' && path.includes('account-access'),
    ),
  },
  {
    id: 'funds-confirmation-without-certificate',
    story:
      'The funds confirmation endpoints need no transport certificate, because they have their own gateway.',
    fails: ['SEC-01/funds-confirmation'],
    settings: { tlsRefusal: 'status' },
    middleware: admits(({ path }) => path.includes('/cbpii/')),
  },
  {
    id: 'authorised-consent-of-any-client',
    story:
      'Any client can query an authorised consent, because the owner is compared only before the approval.',
    fails: ['SEC-05/authorised'],
    policies: (correct, { fired }) => ({
      ownsConsent(consent, clientId) {
        const own = correct.ownsConsent(consent, clientId)
        if (own || consent.status !== 'Authorised' || currentRequest()?.method !== 'GET') return own
        fired()
        return true
      },
    }),
  },
  {
    id: 'account-of-the-query-after-that-of-the-path',
    story:
      'If the query has an AccountId, the bank returns that account, even one of another consent. It checks only the AccountId of the path.',
    fails: ['SEC-07/in-the-query'],
    policies: (correct, { fired }) => ({
      accountRefusal(own, known) {
        if (!known || currentRequest()?.query.AccountId === undefined) {
          return correct.accountRefusal(own, known)
        }
        fired()
        return undefined
      },
    }),
    async middleware(ctx, next) {
      const { AccountId: id } = ctx.query
      const asked = askedAccount(ctx)
      if (isSingle(endpointOf(ctx)) && asked && typeof id === 'string') {
        ctx.path = ctx.path.replace(asked, encodeURIComponent(id))
      }
      await next()
    },
  },
  {
    id: 'consent-of-a-header',
    story:
      'If a request has the header x-consent-id, the bank returns the data of that consent, whatever the access token.',
    fails: ['SEC-07/in-headers'],
    middleware: readsAsNamed('x-consent-id', ({ id }) => id),
  },
  {
    id: 'transactions-of-the-user-in-a-header',
    story:
      'If a request has the header x-authenticated-userid, GET /transactions returns the data of that customer, whatever the access token.',
    fails: ['SEC-07/in-headers'],
    middleware: readsAsNamed('x-authenticated-userid', ({ customerId }) => customerId, [
      'transactions',
    ]),
  },
  {
    id: 'list-of-the-consents-of-all-clients',
    story: 'GET /account-access-consents returns the consents of all clients.',
    fails: ['SEC-05/other-client'],
    middleware: listing(() => true),
  },
  {
    id: 'second-customer-reads-the-first',
    story:
      "Some customers' tokens can read every account, because the accounts of migrated customers have no owner.",
    fails: ['SEC-07/second-customer'],
    policies: (correct, { fired }) => ({
      accountRefusal(own, known) {
        const ctx = currentRequest()
        const asker = ctx && tokenInfoOf(ctx)
        const first = ctx && stateOf(ctx).bank.customers[0]?.id
        if (own || !known || !asker?.consent || asker.consent.customerId === first) {
          return correct.accountRefusal(own, known)
        }
        fired()
        return undefined
      },
    }),
  },
  {
    id: 'consents-queried-with-an-expired-token',
    story:
      'The consent endpoints, except delete, accept an expired access token, because its check is cached for a day.',
    fails: ['SEC-03/expired-token'],
    policies: (_correct, { fired }) => ({
      stored(model, _id, record) {
        const ctx = currentRequest()
        if (model !== 'ClientCredentials' || ctx?.method === 'DELETE') return record
        if (!record?.exp || record.exp > Date.now() / 1000) return record
        fired()
        return { ...record, exp: Math.floor(Date.now() / 1000) + 3600 }
      },
    }),
  },
  {
    id: 'newest-client-token-never-expires',
    story:
      'A token of the client_credentials grant does not expire. Only the next token of the client ends it.',
    fails: ['SEC-03/expired-token', 'CLC-07/expired-token', 'FCC-13/expired-token'],
    async middleware(ctx, next) {
      await next()
      await endsTheOneBefore(ctx)
    },
    policies: (_correct, { fired }) => ({
      stored(model, _id, record) {
        if (model !== 'ClientCredentials') return record
        if (!record?.exp || record.exp > Date.now() / 1000) return record
        fired()
        return { ...record, exp: Math.floor(Date.now() / 1000) + 3600 }
      },
    }),
  },
  {
    id: 'consents-created-with-an-expired-token',
    story: 'The creation of a consent accepts an expired access token.',
    fails: ['SEC-03/expired-token'],
    policies: (_correct, { fired }) => ({
      stored(model, _id, record) {
        const ctx = currentRequest()
        if (model !== 'ClientCredentials' || ctx?.method !== 'POST') return record
        if (!record?.exp || record.exp > Date.now() / 1000) return record
        fired()
        return { ...record, exp: Math.floor(Date.now() / 1000) + 3600 }
      },
    }),
  },
  {
    id: 'second-clients-accounts-show-the-whole-number',
    story: 'The second client gets whole card numbers instead of masked ones.',
    fails: ['ACC-09/masked'],
    policies: (correct, { fired }) => ({
      maskCard(pan) {
        const ctx = currentRequest()
        if (!ctx || tokenInfoOf(ctx)?.client !== 'second') return correct.maskCard(pan)
        fired()
        return pan
      },
    }),
  },
  {
    id: 'card-number-in-a-refusal',
    story: 'The message of a 403 response contains a whole card number, for the help desk.',
    fails: [],
    warns: ['SEC-09/full-card-number'],
    async middleware(ctx, next) {
      await next()
      const consent = endpointOf(ctx) && ctx.status === 403 ? tokenInfoOf(ctx)?.consent : undefined
      const cards = stateOf(ctx).bank.customers.flatMap((customer) => customer.cards)
      const card = cards.find(({ key }) => consent?.cards.includes(key))
      if (!card) return
      ctx.body = { Code: '403', Message: `Not permitted for card ${card.pan}` }
      stateOf(ctx).fired()
    },
  },
  {
    id: 'card-number-as-description-of-the-second-card',
    story:
      'The Description of the second card contains its whole number, because the customer gave it no name.',
    fails: [],
    warns: ['SEC-09/full-card-number'],
    policies: (correct, { fired }) => ({
      accountView(facts) {
        if (!facts.card.key.endsWith('-travel')) return correct.accountView(facts)
        fired()
        return { ...correct.accountView(facts), Description: `Card ${facts.card.pan}` }
      },
    }),
  },
]
export default faults
