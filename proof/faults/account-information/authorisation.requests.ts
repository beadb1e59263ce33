import { randomUUID } from 'node:crypto'
import type { Context, Middleware } from 'koa'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { redirectIdTokens } from '../../altering/id-tokens.ts'
import {
  acceptsRequest,
  decoded,
  goodTimes,
  landings,
  looksRight,
  withQuery,
} from '../../altering/jwt-rewrites.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** Requested redirect URIs that are not registered, by the nonce of the request. */
const elsewhere = ofEachBank(() => new Map<unknown, string>())

/** Sends a successful answer to the redirect URI that was stored for its nonce. */
function whereAsked(fragment: URLSearchParams): string | false {
  const uri = elsewhere().get(decoded(fragment.get('id_token')).claims.nonce)
  return uri === undefined ? false : `${uri}#${fragment}`
}

/** Nonces of requests that get their answer in the query. */
const inQuery = ofEachBank(() => new Set<unknown>())

/** Characters that must be escaped in an address, and that markup and programs use. */
const STRANGE = /["<>\\^`{|}]/

/** A gateway in front of the bank refuses requests when this text has a strange character. */
function stopsStrange(of: (query: Context['query']) => unknown): Middleware {
  return async (ctx, next) => {
    const { bank, fired } = stateOf(ctx)
    const asks = ctx.path === bank.services.endpoints.paths.authorisation
    if (!asks || !STRANGE.test(String(of(ctx.query)))) return next()
    ctx.status = 403
    ctx.body = 'Request rejected.'
    fired()
    return undefined
  }
}

/** Makes one of a parameter that comes twice. */
const ofTwo =
  (
    name: string,
    one: (
      ctx: Context,
      values: readonly string[],
    ) => Record<string, string | undefined> | undefined,
  ): Middleware =>
  async (ctx, next) => {
    const { [name]: values } = ctx.query
    const parameters = Array.isArray(values) && one(ctx, values)
    if (parameters) {
      ctx.query = { ...ctx.query, ...parameters } as Record<string, string>
      stateOf(ctx).fired()
    }
    await next()
  }

const faults: Fault[] = [
  {
    id: 'scope-begins-with-openid',
    story: 'The bank refuses a scope that contains openid but does not begin with it.',
    fails: ['AUTHZ-09/any-order'],
    policies: (correct, { fired }) => ({
      requestObjectRefusal(claims, settings) {
        const reason = correct.requestObjectRefusal(claims, settings)
        const scopes = String(claims.scope).split(' ')
        if (reason || scopes[0] === 'openid' || !scopes.includes('openid')) return reason
        fired()
        return 'scope does not begin with openid'
      },
    }),
  },
  {
    id: 'firewall-before-the-state',
    story: 'The firewall refuses a state with characters such as < or ", as an attack.',
    fails: ['AUTHZ-04/taken'],
    middleware: stopsStrange(({ state }) => state),
  },
  {
    id: 'firewall-before-the-nonce',
    story:
      'The gateway refuses a request object whose nonce has characters such as < or ", as an attack.',
    fails: [],
    warns: ['AUTHZ-20/nonce-taken'],
    middleware: stopsStrange(({ request }) => decoded(request).claims.nonce),
  },
  {
    id: 'other-redirect-uris-become-the-first',
    story:
      'If the redirect URI is not registered, the bank redirects to the first registered one instead of refusing the request.',
    fails: ['AUTHZ-08/unregistered', 'AUTHZ-08/similar'],
    middleware: acceptsRequest(({ claims }, query, ctx) => {
      const { records } = stateOf(ctx).bank.services
      const uris = records.peek('Client', String(query.client_id))?.redirect_uris
      const { redirect_uri: wanted } = query
      if (!Array.isArray(uris) || wanted === undefined || wanted !== claims.redirect_uri)
        return undefined
      if (uris.includes(wanted)) return undefined
      query.redirect_uri = uris[0]
      return { ...claims, redirect_uri: uris[0] }
    }),
  },
  {
    id: 'request-object-in-hs256-with-the-public-key',
    story:
      'The bank accepts a request object signed with HS256. The library takes the algorithm from the header and uses the public key as secret.',
    fails: ['AUTHZ-11/hs256'],
    middleware: acceptsRequest(({ header, claims }) =>
      header.alg === 'HS256' ? claims : undefined,
    ),
  },
  {
    id: 'authorised-consent-for-any-client',
    story:
      'A client can have an authorised consent of another client re-confirmed, because the bank compares only the customer.',
    fails: ['AUTHZ-14/authorised'],
    policies: (correct, { fired }) => ({
      authorisable(consent, clientId, ...rest) {
        if (consent?.status !== 'Authorised' || consent.clientId === clientId) {
          return correct.authorisable(consent, clientId, ...rest)
        }
        fired()
        return correct.authorisable(consent, consent.clientId, ...rest)
      },
    }),
  },
  {
    id: 'deleted-consent-re-confirmable',
    story: 'A consent that was authorised and then deleted can be re-confirmed.',
    fails: [],
    warns: ['AUTHZ-15/deleted-after-approval'],
    policies: (correct, { fired }) => ({
      authorisable(consent, ...rest) {
        if (!consent?.deleted || consent.status !== 'Authorised') {
          return correct.authorisable(consent, ...rest)
        }
        fired()
        const { deleted: _, ...undeleted } = consent
        return correct.authorisable(undeleted, ...rest)
      },
    }),
  },
  {
    id: 'state-cut-at-64',
    story: 'The bank cuts a state to 64 characters.',
    fails: ['AUTHZ-04/on-success', 'AUTHZ-04/on-error'],
    middleware: landings((fragment) => {
      const state = fragment.get('state') ?? ''
      if (state.length <= 64) return false
      fragment.set('state', state.slice(0, 64))
    }),
  },
  {
    id: 'state-undefined-where-there-is-none',
    story: 'If the request has no state, the redirect has the state "undefined".',
    fails: [],
    warns: ['AUTHZ-34/none-sent'],
    middleware: landings((fragment) => {
      if (!fragment.has('code') || fragment.has('state')) return false
      fragment.set('state', 'undefined')
    }),
  },
  {
    id: 'state-lost-at-re-confirmation',
    story: 'The redirect after a re-confirmation has no state.',
    fails: ['AUTHZ-04/on-success'],
    middleware: landings((fragment, ctx) => {
      const claim = fragment.get('id_token')?.split('.')[1]
      if (!claim) return false
      const { openbanking_intent_id: id } = JSON.parse(Buffer.from(claim, 'base64url').toString())
      const consent = stateOf(ctx).bank.services.consents.get(String(id))
      if ((consent?.grants.size ?? 0) < 2) return false
      fragment.delete('state')
    }),
  },
  {
    id: 'response-mode-as-asked',
    story: 'With response_mode=query, the code and ID token are in the query of the redirect.',
    fails: ['AUTHZ-03/query-asked-for'],
    async middleware(ctx, next) {
      await acceptsRequest(({ claims: { response_mode: mode, ...claims } }, query) => {
        if (mode !== 'query') return undefined
        delete query.response_mode
        inQuery().add(claims.nonce)
        return claims
      })(ctx, async () => {
        await landings((fragment, _ctx, address) => {
          const { nonce } = decoded(fragment.get('id_token')).claims
          return inQuery().has(nonce) ? withQuery(address, fragment) : false
        })(ctx, next)
      })
    },
  },
  {
    id: 'signed-redirect-uri-not-compared',
    story:
      'The bank compares the redirect URI of the query but redirects to the one of the request object, which is not registered.',
    fails: ['AUTHZ-08/contradicted'],
    async middleware(ctx, next) {
      await acceptsRequest(({ claims }, query) => {
        const { redirect_uri: signed, nonce } = claims
        if (signed === undefined || signed === query.redirect_uri || !query.redirect_uri) return
        elsewhere().set(nonce, String(signed))
        return { ...claims, redirect_uri: query.redirect_uri }
      })(ctx, async () => {
        await landings(whereAsked)(ctx, next)
      })
    },
  },
  {
    id: 'any-password',
    story: 'The login accepts any password for a known user name.',
    fails: ['AUTHZ-22/wrong-credentials'],
    policies: (correct, { fired }) => ({
      loginAccepted(customer, password) {
        if (customer && !correct.loginAccepted(customer, password)) fired()
        return customer !== undefined
      },
    }),
  },
  {
    id: 'password-of-another-customer',
    story:
      'The login accepts the password of any customer, because it does not compare whose password it is.',
    fails: ['AUTHZ-22/wrong-credentials'],
    policies: (correct, { fired }) => ({
      loginAccepted(customer, password) {
        const ctx = currentRequest()
        const right = correct.loginAccepted(customer, password)
        const known = ctx && stateOf(ctx).bank.customers.some((one) => one.password === password)
        if (right || !customer || !known) return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'empty-password-accepted',
    story:
      'The login accepts an empty password, because the directory treats it as an anonymous login.',
    fails: ['AUTHZ-22/again-wrong-credentials'],
    policies: (correct, { fired }) => ({
      loginAccepted(customer, password) {
        const right = correct.loginAccepted(customer, password)
        if (right || !customer || password !== '') return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'nonce-left-out-without-state',
    story: 'If the request has no state, the ID token has no nonce.',
    fails: [],
    warns: ['AUTHZ-20/nonce'],
    middleware: redirectIdTokens((claims, fragment) => {
      if (fragment.has('state')) return undefined
      const { nonce: _, ...others } = claims
      return others
    }),
  },
  {
    id: 'id-token-for-both-clients',
    story: "The aud of the second client's ID token is the first client.",
    fails: [],
    warns: ['AUTHZ-19/claims'],
    middleware: redirectIdTokens((claims, _fragment, ctx) => {
      const { directory, records } = stateOf(ctx).bank.services
      const owner = records.peek('Client', String(claims.aud))?.org_id
      if (owner !== directory.clients.second.organisationId) return undefined
      return { ...claims, aud: directory.clients.first.organisationId }
    }),
  },
  {
    id: 'c-hash-of-the-access-token',
    story: 'The c_hash of the ID token does not match the code.',
    fails: [],
    warns: ['AUTHZ-20/c-hash'],
    middleware: redirectIdTokens((claims) => ({ ...claims, c_hash: 'X9q1B4gXz0m3r2Lw5V7u8A' })),
  },
  {
    id: 'request-objects-from-the-future',
    story: 'The bank ignores the nbf of a request object and accepts one that is not yet valid.',
    fails: [],
    warns: ['AUTHZ-25/not-yet-good'],
    middleware: acceptsRequest((request, query, ctx) => {
      const { claims } = request
      const early = typeof claims.nbf === 'number' && claims.nbf > Date.now() / 1000 + 1800
      if (!early || !looksRight(ctx, request, query.client_id)) return undefined
      return { ...claims, ...goodTimes() }
    }),
  },
  {
    id: 'critical-extensions-of-request-objects-are-not-read',
    story:
      'The bank ignores the crit header of a request object and accepts an extension that it does not know.',
    fails: [],
    warns: ['AUTHZ-25/critical'],
    middleware: acceptsRequest((request, query, ctx) =>
      request.header.crit !== undefined && looksRight(ctx, request, query.client_id)
        ? request.claims
        : undefined,
    ),
  },
  {
    id: 'request-objects-say-that-they-are-jwts',
    story:
      'The bank refuses a request object whose header has no typ JWT, although typ is optional.',
    fails: [],
    warns: ['AUTHZ-52/lawful'],
    async middleware(ctx, next) {
      const { header, claims } = decoded(ctx.query.request)
      if (claims.iss === undefined || header.typ === 'JWT') return next()
      stateOf(ctx).fired()
      ctx.status = 400
      ctx.body = 'Request rejected.'
    },
  },
  {
    id: 'client-id-of-an-object-that-nobody-has',
    story:
      'The bank accepts a request object whose client_id is not a registered client and differs from the query.',
    fails: [],
    warns: ['AUTHZ-37/similar'],
    middleware: acceptsRequest((request, query, ctx) => {
      const { claims } = request
      const { client_id: own } = query
      const { records } = stateOf(ctx).bank.services
      if (claims.client_id === undefined || own === undefined || claims.client_id === own) return
      if (records.peek('Client', String(claims.client_id))) return undefined
      return looksRight(ctx, request, own) ? { ...claims, client_id: own } : undefined
    }),
  },
  {
    id: 'requests-without-nonce',
    story: 'The bank accepts a request without nonce, which the hybrid flow requires.',
    fails: [],
    warns: ['AUTHZ-53/missing'],
    middleware: acceptsRequest((request, query, ctx) => {
      const { claims } = request
      if (claims.nonce !== undefined || !looksRight(ctx, request, query.client_id)) return undefined
      return { ...claims, nonce: randomUUID() }
    }),
  },
  {
    id: 'one-request-object-is-verified-and-another-read',
    story:
      'If request is sent twice, the bank verifies the first request object and uses the claims of the last.',
    fails: [],
    warns: ['AUTHZ-51/request'],
    middleware: ofTwo('request', (ctx, [verified, read]) => {
      if (!looksRight(ctx, decoded(verified), ctx.query.client_id)) return undefined
      return { request: stateOf(ctx).bank.signAsClient(decoded(read).claims) }
    }),
  },
  {
    id: 'one-redirect-uri-is-compared-and-another-used',
    story:
      'If redirect_uri is sent twice, the bank compares the first one and redirects to the last.',
    fails: [],
    warns: ['AUTHZ-51/redirect-uri'],
    async middleware(ctx, next) {
      await ofTwo('redirect_uri', (_ctx, [compared, used = '']) => {
        elsewhere().set(decoded(ctx.query.request).claims.nonce, used)
        return { redirect_uri: compared }
      })(ctx, async () => {
        await landings(whereAsked)(ctx, next)
      })
    },
  },
]
export default faults
