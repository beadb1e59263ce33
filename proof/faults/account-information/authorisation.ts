import type { Context, Middleware, Next } from 'koa'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import type { Bank } from '../../../bank/running-bank.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { isAbout } from '../../altering/consent-requests.ts'
import {
  acceptsJwts,
  acceptsRequest,
  goodTimes,
  landings,
  looksRight,
  ownKid,
  tokenForm,
  withQuery,
} from '../../altering/jwt-rewrites.ts'
import { type Json, jsonOf, policy } from '../../altering/rewriting.ts'
import { clientIs } from '../../cells/token-cells.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** Consents with a requested date that is not in UTC to the second. */
const otherSpellings = ofEachBank(() => new Set<string>())

const seconds = () => Math.floor(Date.now() / 1000)

/** Is it the redirect after a customer's decision, and which decision? */
function afterDecision(
  ctx: Context,
  fragment: URLSearchParams,
): 'approved' | 'refused' | undefined {
  if (!ctx.path.startsWith('/authorize')) return undefined
  if (fragment.has('error'))
    return fragment.get('error') === 'access_denied' ? 'refused' : undefined
  return 'approved'
}

const isDenial = (ctx: Context) =>
  ctx.path.endsWith('/decision') &&
  new URLSearchParams(stateOf(ctx).body).get('decision') === 'deny'

/** The latest consent with an accounts permission that the first customer approved for the client. */
function latestOf({ services }: Bank, clientId: unknown): string | undefined {
  return services.consents
    .ofCustomer(services.customers[0]?.id ?? '')
    .find(
      ({ clientId: owner, status, deleted, permissions }) =>
        owner === clientId &&
        status === 'Authorised' &&
        deleted === undefined &&
        permissions.some((one) => one.startsWith('ReadAccounts')),
    )?.id
}

function withIntent(claims: Json, value: string | undefined): Json | undefined {
  const { id_token: wanted } = (claims.claims ?? {}) as { id_token?: Json }
  const intent = { value, essential: true }
  if (value === undefined) return undefined
  return { ...claims, claims: { id_token: { ...wanted, openbanking_intent_id: intent } } }
}

const intentIn = (claims: Json) =>
  (claims.claims as { id_token?: Record<string, { value?: string }> } | undefined)?.id_token
    ?.openbanking_intent_id?.value

/** Verifies the request object, but takes one of its claims from the query when both have it. */
const readsFromQuery = (name: 'redirect_uri' | 'nonce' | 'state') =>
  acceptsRequest((request, query, ctx) => {
    const { claims } = request
    const said = query[name]
    if (said === undefined || claims[name] === undefined || said === claims[name]) return undefined
    return looksRight(ctx, request, query.client_id) ? { ...claims, [name]: said } : undefined
  })

/** Scopes that requests named in addition to the registered ones, by intent. */
const asked = ofEachBank(() => new Map<string, string>())

const OF_THE_BANK = ['openid', 'accounts', 'fundsconfirmations']

/** Grants one of the requested scopes although the client did not register it. */
function grants(
  beyondOf: (scopes: string[], registered: string[]) => string | undefined,
  to = (_ctx: Context, _clientId: unknown) => true,
): Middleware {
  return async (ctx, next) => {
    const { bank, fired } = stateOf(ctx)
    const { records, consents } = bank.services
    const notes = asked()
    const form = tokenForm(ctx)
    const grant = records.peek('AuthorizationCode', form?.get('code') ?? '')?.grantId
    await acceptsRequest(({ claims }, query) => {
      const words = wordsOf(claims.scope)
      const registered = wordsOf(records.peek('Client', query.client_id ?? '')?.scope)
      const beyond = beyondOf(words, registered)
      const intent = intentIn(claims)
      if (beyond === undefined || intent === undefined || !to(ctx, query.client_id))
        return undefined
      notes.set(intent, beyond)
      query.scope = words.filter((one) => one !== beyond).join(' ')
      return { ...claims, scope: query.scope }
    })(ctx, next)
    const beyond = notes.get((grant && consents.ofGrant(grant)?.id) ?? '')
    const body = jsonOf(ctx)
    if (!form || !body || beyond === undefined || typeof body.scope !== 'string') return
    ctx.body = { ...body, scope: `${body.scope} ${beyond}` }
    fired()
  }
}

const wordsOf = (text: unknown) =>
  String(text ?? '')
    .split(' ')
    .filter(Boolean)

/** Shows a page with the next address instead of redirecting the customer to the TPP with an answer. */
function pageInstead(
  when: (answer: URLSearchParams) => boolean,
  page: (location: string, ctx: Context) => string,
): NonNullable<Fault['middleware']> {
  return async (ctx, next) => {
    await next()
    const location = String(ctx.response.get('location') ?? '')
    const answer = new URLSearchParams(location.split('#')[1] ?? '')
    if (ctx.status !== 302 || !location.includes('#') || !when(answer)) return
    stateOf(ctx).fired()
    ctx.remove('location')
    ctx.status = 200
    ctx.type = 'text/html'
    ctx.body = page(location, ctx)
  }
}

/** Tells a denial by another error. */
const deniedAs = (error: string) =>
  landings((fragment) => {
    if (fragment.get('error_description') !== 'the customer denied consent') return false
    fragment.set('error', error)
  })

/** Takes the parameters of the query where there is no request object. */
const plainParameters = (takes: (ctx: Context, clientId: unknown) => boolean): Middleware =>
  acceptsRequest((_request, query, ctx) => {
    if (query.request !== undefined || !takes(ctx, query.client_id)) return undefined
    const { issuer } = stateOf(ctx).bank.services.endpoints
    const claims = JSON.parse(query.claims ?? '{}') as Json
    return { ...query, ...goodTimes(), claims, iss: query.client_id, aud: issuer }
  })

const faults: Fault[] = [
  {
    id: 'refused-scope-without-an-error',
    story:
      'The redirect for a refused scope has no error parameter, because the page does not know the name of this error.',
    fails: [],
    warns: ['AUTHZ-38/error'],
    middleware: landings((parameters) => {
      if (parameters.get('error') !== 'invalid_scope') return false
      parameters.delete('error')
      parameters.delete('error_description')
    }),
  },
  {
    id: 'code-by-a-refreshing-page',
    story:
      'After the approval, the bank sends an HTML page with a meta refresh instead of a redirect.',
    stops: true,
    fails: ['AUTHZ-01/approved'],
    middleware: pageInstead(
      (answer) => answer.has('code'),
      (location) =>
        `<html><meta http-equiv="refresh" content="0;url=${location.replaceAll('&', '&amp;')}"></html>`,
    ),
  },
  {
    id: 'code-by-a-refreshing-header',
    story: 'After the approval, the bank sends a page with a Refresh header instead of a redirect.',
    stops: true,
    fails: ['AUTHZ-01/approved'],
    middleware: pageInstead(
      (answer) => answer.has('code'),
      (location, ctx) => {
        ctx.set('refresh', `0; url=${location}`)
        return '<html><p>You are taken back.</p></html>'
      },
    ),
  },
  {
    id: 'code-kept-on-a-last-page',
    story:
      'After the approval, the bank shows a page without a link back, so the TPP never gets the code.',
    stops: true,
    fails: ['AUTHZ-01/approved'],
    middleware: pageInstead(
      (answer) => answer.has('code'),
      () => '<html><h1>Thank you. You may close this window.</h1></html>',
    ),
  },
  {
    id: 'approval-ends-in-server-error',
    story:
      'Each approval ends with a redirect with error server_error, because the session store is down.',
    stops: true,
    fails: ['AUTHZ-01/approved'],
    middleware: landings((fragment, ctx, address) => {
      if (afterDecision(ctx, fragment) !== 'approved') return false
      return `${address}#error=server_error&state=${encodeURIComponent(fragment.get('state') ?? '')}`
    }),
  },
  {
    id: 'redirect-by-303',
    story: 'The redirect to the TPP has status 303 instead of 302.',
    fails: ['AUTHZ-02/status-302'],
    async middleware(ctx, next) {
      await next()
      if (!String(ctx.response.get('location')).includes('#')) return
      ctx.status = 303
      stateOf(ctx).fired()
    },
  },
  {
    id: 'denial-by-307',
    story: 'The redirect after a denial has status 307 instead of 302.',
    fails: ['AUTHZ-02/status-302'],
    async middleware(ctx, next) {
      await next()
      if (!String(ctx.response.get('location')).includes('#error=access_denied')) return
      ctx.status = 307
      stateOf(ctx).fired()
    },
  },
  {
    id: 'success-in-query',
    story: 'The code and ID token are in the query of the redirect instead of the fragment.',
    fails: ['AUTHZ-03/code', 'AUTHZ-03/id-token'],
    middleware: landings((fragment, _ctx, address) =>
      fragment.has('code') ? withQuery(address, fragment) : false,
    ),
  },
  {
    id: 'code-in-query-too',
    story:
      'The code is in the query of the redirect as well as in the fragment, for logs of the TPP.',
    fails: ['AUTHZ-03/code'],
    middleware: landings((fragment, _ctx, address) =>
      fragment.has('code')
        ? `${withQuery(address, `code=${fragment.get('code')}`)}#${fragment}`
        : false,
    ),
  },
  {
    id: 'no-id-token-for-second-redirect-uri',
    story:
      'The redirect to one redirect URI has no ID token. The hybrid flow is switched on per redirect URI.',
    fails: ['AUTHZ-03/id-token'],
    middleware: landings((fragment, ctx, address) => {
      const { second } = stateOf(ctx).bank.services.directory.clients
      if (address !== second.redirectUris[1] || !fragment.has('id_token')) return false
      fragment.delete('id_token')
    }),
  },
  {
    id: 'denial-told-as-an-outage',
    story: 'After a denial, the redirect has error server_error instead of access_denied.',
    fails: [],
    warns: ['AUTHZ-50/denial'],
    middleware: deniedAs('server_error'),
  },
  {
    id: 'denial-told-as-a-wrong-client',
    story: 'After a denial, the redirect has error unauthorized_client instead of access_denied.',
    fails: [],
    warns: ['AUTHZ-50/denial'],
    middleware: deniedAs('unauthorized_client'),
  },
  {
    id: 'state-decoded-twice',
    story: 'The redirect has a state that was decoded twice, so escaped characters change.',
    fails: ['AUTHZ-04/on-success', 'AUTHZ-04/on-error'],
    middleware: landings((fragment) => {
      const state = fragment.get('state') ?? ''
      const once = new URLSearchParams(`s=${state.replaceAll('&', '%26')}`).get('s') ?? ''
      if (once === state) return false
      fragment.set('state', once)
    }),
  },
  {
    id: 'state-lost-on-denial',
    story: 'The redirect after a denial has no state.',
    fails: ['AUTHZ-04/on-error'],
    middleware: landings((fragment) => {
      if (fragment.get('error') !== 'access_denied') return false
      fragment.delete('state')
    }),
  },
  {
    id: 'state-lost-with-wrong-requests',
    story: 'The redirect for an invalid authorisation request has no state.',
    fails: ['AUTHZ-04/on-error'],
    async middleware(ctx, next) {
      await next()
      const { bank, fired } = stateOf(ctx)
      const location = ctx.response.get('location')
      if (ctx.path !== bank.services.endpoints.paths.authorisation) return
      if (!/[#?&]error=/.test(location) || !/[#?&]state=/.test(location)) return
      ctx.set('location', location.replace(/([#?&])state=[^&]*&?/, '$1').replace(/[&?#]$/, ''))
      fired()
    },
  },
  {
    id: 'state-required',
    story: 'The authorisation endpoint refuses a request without state, although it is optional.',
    fails: ['AUTHZ-05/without-state'],
    async middleware(ctx, next) {
      const { bank, fired } = stateOf(ctx)
      const isRequest = ctx.path === bank.services.endpoints.paths.authorisation
      if (!isRequest || ctx.query.state !== undefined) return next()
      ctx.status = 400
      ctx.body = 'state is missing'
      fired()
    },
  },
  {
    id: 'request-object-optional',
    story: 'The authorisation endpoint accepts a request without a request object.',
    fails: ['AUTHZ-06/missing'],
    middleware: plainParameters(() => true),
  },
  {
    id: 'request-object-optional-for-the-second-client',
    story:
      'The authorisation endpoint accepts a request without a request object from the second client. This is a setting of each client.',
    fails: ['AUTHZ-06/second-client'],
    middleware: plainParameters((ctx, clientId) => clientIs(ctx, clientId, 'second')),
  },
  {
    id: 'left-out-parameters-have-defaults',
    story:
      'The authorisation endpoint accepts requests without response_type, redirect_uri or scope and uses default values.',
    fails: ['AUTHZ-07/missing', 'AUTHZ-08/missing', 'AUTHZ-09/missing'],
    middleware: acceptsRequest(({ claims }, query, ctx) => {
      const client = stateOf(ctx).bank.services.records.peek('Client', query.client_id ?? '')
      const [redirectUri] = (client?.redirect_uris ?? []) as string[]
      const defaults = {
        response_type: 'code id_token',
        redirect_uri: redirectUri,
        scope: 'openid accounts',
      }
      const missing = Object.entries(defaults).filter(([name]) => claims[name] === undefined)
      if (missing.length === 0 || claims.iss === undefined) return undefined
      Object.assign(query, Object.fromEntries(missing))
      return { ...claims, ...Object.fromEntries(missing) }
    }),
  },
  {
    id: 'response-type-code-accepted',
    story:
      'The authorisation endpoint accepts response type code, which the client did not register.',
    fails: [],
    warns: ['AUTHZ-28/code'],
    middleware: acceptsRequest(({ claims }, query) => {
      if (claims.response_type !== 'code') return undefined
      query.response_type = 'code id_token'
      return { ...claims, response_type: 'code id_token' }
    }),
  },
  {
    id: 'any-redirect-uri',
    story:
      'The authorisation endpoint accepts every redirect URI, because it does not compare it with the registered ones.',
    fails: ['AUTHZ-08/unregistered', 'AUTHZ-08/similar', 'REG-13/left-out'],
    policies: (_correct, { fired }) => ({
      stored(model, _id, record) {
        const wanted = currentRequest()?.query.redirect_uri
        const uris = (record?.redirect_uris ?? []) as string[]
        if (model !== 'Client' || !record || typeof wanted !== 'string' || uris.includes(wanted))
          return record
        fired()
        return { ...record, redirect_uris: [...uris, wanted] }
      },
    }),
  },
  {
    id: 'error-to-any-redirect-uri',
    story:
      'The authorisation endpoint redirects errors to a redirect URI that is not registered (an open redirector).',
    fails: [],
    warns: ['AUTHZ-29/no-redirect'],
    async middleware(ctx, next) {
      await next()
      const { bank, fired } = stateOf(ctx)
      const to = ctx.query.redirect_uri
      if (ctx.path !== bank.services.endpoints.paths.authorisation || typeof to !== 'string') return
      // No redirect to a value that is not an address, or that a header cannot contain.
      if (ctx.status < 400 || /[^ -~]/.test(to) || !URL.canParse(to)) return
      const state = String(ctx.query.state)
      ctx.redirect(`${to}#${new URLSearchParams({ error: 'invalid_request', state })}`)
      fired()
    },
  },
  {
    id: 'scope-granted-as-asked',
    story: 'The bank grants scopes that it does not know and that the client did not register.',
    fails: ['AUTHZ-09/beyond'],
    middleware: grants((scopes) => scopes.find((one) => !OF_THE_BANK.includes(one))),
  },
  {
    id: 'scope-granted-as-the-second-client-asks',
    story: 'The bank grants the second client scopes that it did not register.',
    fails: ['AUTHZ-09/second-client'],
    middleware: grants(
      (scopes) => scopes.find((one) => !OF_THE_BANK.includes(one)),
      (ctx, clientId) => clientIs(ctx, clientId, 'second'),
    ),
  },
  {
    id: 'scopes-of-the-bank-granted',
    story: 'The bank grants a scope that it supports but that the client did not register.',
    fails: ['AUTHZ-09/left-out'],
    middleware: grants((scopes, registered) =>
      scopes.find((one) => OF_THE_BANK.includes(one) && !registered.includes(one)),
    ),
  },
  {
    id: 'client-id-from-issuer',
    story:
      'The authorisation endpoint accepts a request without client_id and uses the iss of the request object.',
    fails: ['AUTHZ-10/missing'],
    middleware: acceptsRequest(({ claims }, query) => {
      if (query.client_id !== undefined || typeof claims.iss !== 'string') return undefined
      query.client_id = claims.iss
      return { ...claims, client_id: claims.iss }
    }),
  },
  {
    id: 'client-found-by-consent',
    story:
      'The authorisation endpoint accepts an unknown client_id, because it finds the client through the consent.',
    fails: ['AUTHZ-10/unknown'],
    middleware: acceptsRequest(({ claims }, query, ctx) => {
      const { records, consents } = stateOf(ctx).bank.services
      const owner = consents.get(intentIn(claims) ?? '')?.clientId
      if (!query.client_id || !owner || records.peek('Client', query.client_id)) return undefined
      query.client_id = owner
      return { ...claims, client_id: owner, iss: owner }
    }),
  },
  {
    id: 'unsigned-jwts',
    story: 'The bank accepts request objects and client assertions with alg none.',
    fails: ['AUTHZ-11/unsigned', 'TOK-08/unsigned'],
    middleware: acceptsJwts(({ header }) => header.alg === 'none'),
  },
  {
    id: 'jwts-in-rs256',
    story:
      'The bank accepts request objects and client assertions signed with RS256 instead of PS256.',
    fails: ['AUTHZ-11/rs256', 'TOK-08/rs256'],
    middleware: acceptsJwts(({ header }) => header.alg === 'RS256'),
  },
  {
    id: 'jwts-not-verified',
    story: 'The bank does not verify the signature of request objects and client assertions.',
    fails: ['AUTHZ-11/tampered', 'TOK-07/tampered'],
    middleware: acceptsJwts((jwt, clientId, ctx) => looksRight(ctx, jwt, clientId)),
  },
  {
    id: 'jwts-of-any-client',
    story:
      'The bank accepts request objects and client assertions signed by another client, because it looks up keys by kid alone.',
    fails: ['AUTHZ-11/other-client', 'TOK-07/other-client'],
    middleware: acceptsJwts(({ header }, clientId, ctx) => {
      const { first, second } = stateOf(ctx).bank.services.directory.clients
      const known = [first, second].some(({ signing }) => signing.kid === header.kid)
      return known && header.kid !== ownKid(ctx, clientId) && header.alg === 'PS256'
    }),
  },
  {
    id: 'query-beats-request-object',
    story:
      'If the query and the request object differ, the bank uses the redirect_uri of the query.',
    fails: [],
    warns: ['AUTHZ-12/redirect-uri'],
    middleware: readsFromQuery('redirect_uri'),
  },
  {
    id: 'nonce-of-the-query',
    story: 'If the query and the request object differ, the ID token has the nonce of the query.',
    fails: [],
    warns: ['AUTHZ-12/nonce'],
    middleware: readsFromQuery('nonce'),
  },
  {
    id: 'state-of-the-query',
    story: 'If the query and the request object differ, the redirect has the state of the query.',
    fails: [],
    warns: ['AUTHZ-12/state'],
    middleware: readsFromQuery('state'),
  },
  {
    id: 'claims-of-the-query',
    story:
      'If the query has a claims parameter, the bank reads the ConsentId from it instead of the request object.',
    fails: [],
    warns: ['AUTHZ-12/claims'],
    middleware: acceptsRequest((request, query, ctx) => {
      if (query.claims === undefined || !looksRight(ctx, request, query.client_id)) return undefined
      return { ...request.claims, claims: JSON.parse(query.claims) }
    }),
  },
  {
    id: 'latest-consent-by-default',
    story:
      "A request without a ConsentId, or with an unknown one, is handled as a request for the customer's latest consent.",
    fails: ['AUTHZ-13/missing', 'AUTHZ-13/unknown'],
    middleware: acceptsRequest(({ claims }, query, ctx) => {
      const { bank } = stateOf(ctx)
      if (!query.request || bank.services.consents.get(intentIn(claims) ?? '')) return undefined
      return withIntent(claims, latestOf(bank, query.client_id))
    }),
  },
  {
    id: 'consent-of-any-client',
    story:
      'A client can have the consent of another client authorised, because the authorisation endpoint does not compare the owner.',
    fails: ['AUTHZ-14/other-client'],
    policies: policy(
      'authorisable',
      (correct) =>
        (consent, clientId, ...rest) =>
          correct(consent, consent?.clientId ?? clientId, ...rest),
    ),
  },
  {
    id: 'ended-consents-authorisable',
    story: 'A deleted or revoked consent can be authorised again.',
    fails: [],
    warns: ['AUTHZ-15/deleted', 'AUTHZ-15/revoked'],
    policies: policy('authorisable', (correct) => (consent, ...rest) => {
      const waiting = consent?.status === 'Revoked' && { status: 'AwaitingAuthorisation' as const }
      return correct(consent && { ...consent, deleted: undefined, ...waiting }, ...rest)
    }),
  },
  {
    id: 'denial-ends-on-a-page',
    story:
      'After a denial, the bank shows a page instead of a redirect, so the TPP gets no answer.',
    fails: ['AUTHZ-21/denied'],
    async middleware(ctx, next) {
      if (!isDenial(ctx)) return next()
      ctx.type = 'html'
      ctx.body = '<!doctype html><title>Cancelled</title><p>You have not shared anything.</p>'
      stateOf(ctx).fired()
    },
  },
  {
    id: 'denial-approves',
    story: 'A customer who presses the button to deny approves the consent.',
    fails: ['AUTHZ-21/denied'],
    async middleware(ctx, next) {
      const state = stateOf(ctx)
      if (isDenial(ctx)) {
        const { customers } = state.bank.services
        const accounts = customers
          .flatMap(({ cards }) => cards)
          .map(({ key }): [string, string] => ['accounts', key])
        state.body = new URLSearchParams([['decision', 'approve'], ...accounts]).toString()
        state.fired()
      }
      await next()
    },
  },
  {
    id: 'nobody-logs-in',
    story:
      'A customer who approved the same permissions for the client before need not log in. The consent is approved in the name of the first customer.',
    fails: ['AUTHZ-22/before-login'],
    warns: ['AUTHZ-32/after-ninety-days'],
    because: 'The second customer’s consent was approved in the name of the first, too.',
    async middleware(ctx, next) {
      const state = stateOf(ctx)
      const { services } = state.bank
      const uid = /^\/interaction\/([^/]+)$/.exec(ctx.path)?.[1]
      const { params } = (uid ? services.records.peek('Interaction', uid) : undefined) ?? {}
      const intent = intentIn({ claims: JSON.parse(String(params?.claims ?? '{}')) })
      const consent = services.consents.get(intent ?? '')
      const [customer] = services.customers
      if (ctx.method === 'GET' && uid && consent?.status === 'AwaitingAuthorisation' && customer) {
        const before = services.consents
          .ofCustomer(customer.id)
          .filter(
            ({ clientId, permissions }) =>
              clientId === consent.clientId &&
              permissions.join() === consent.permissions.join() &&
              permissions.length > 4,
          )
        if (before.length > 0) {
          services.visitors.set(uid, customer)
          ctx.method = 'POST'
          ctx.path = `/interaction/${uid}/decision`
          const accounts = customer.cards.map(({ key }): [string, string] => ['accounts', key])
          state.body = new URLSearchParams([['decision', 'approve'], ...accounts]).toString()
          state.fired()
        }
      }
      await next()
    },
  },
  {
    id: 'page-fails-over-other-spellings-of-dates',
    story:
      'The bank accepts a consent with any RFC 3339 date, but its approval fails unless the date ends with Z and has no fraction.',
    fails: ['AUTHZ-01/approved'],
    async middleware(ctx, next) {
      const asked = isAbout(ctx, 'account-access', 'POST') ? stateOf(ctx).body : ''
      await next()
      const { Data } = (jsonOf(ctx) ?? {}) as { Data?: { ConsentId?: string } }
      const spelled = /DateTime" *: *"[^"]*(\.\d+Z|[+-]\d\d:\d\d)"/.test(asked)
      if (spelled && Data?.ConsentId) otherSpellings().add(Data.ConsentId)
    },
    policies: (correct, { fired }) => ({
      confirmableBy(consent, customer, offered) {
        if (!otherSpellings().has(consent.id))
          return correct.confirmableBy(consent, customer, offered)
        fired()
        return 'the dates cannot be shown'
      },
    }),
  },
  {
    id: 'claims-of-request-objects-not-compared',
    story: 'The bank accepts a request object that is expired or has another aud.',
    fails: [],
    warns: ['AUTHZ-25/expired', 'AUTHZ-25/other-audience'],
    middleware: acceptsRequest(({ claims }, _query, ctx) => {
      const { issuer } = stateOf(ctx).bank.services.endpoints
      const late = typeof claims.exp === 'number' && claims.exp < seconds()
      const elsewhere = claims.aud !== undefined && claims.aud !== issuer
      if (!late && !elsewhere) return undefined
      const times = late && goodTimes()
      return { ...claims, ...times, aud: issuer }
    }),
  },
  {
    id: 'consent-changes-customer',
    story: "Another customer can re-confirm a consent, which then covers that customer's accounts.",
    fails: [],
    warns: ['AUTHZ-30/other-customer'],
    policies: (correct, { fired }) => ({
      confirmableBy(consent, customer, offered) {
        if (consent.customerId && consent.customerId !== customer.id) fired()
        return correct.confirmableBy({ ...consent, customerId: undefined }, customer, offered)
      },
      cardsOffered(consent, customer) {
        const foreign = consent.customerId !== undefined && consent.customerId !== customer.id
        return foreign ? customer.cards : correct.cardsOffered(consent, customer)
      },
    }),
  },
  {
    id: 'too-late-to-reconfirm',
    story: 'The bank refuses a re-confirmation after 90 days, so the TPP needs a new consent.',
    fails: [],
    warns: ['AUTHZ-32/after-ninety-days'],
    policies: policy(
      'authorisable',
      (correct) => (consent, clientId, scopes, age) =>
        age?.reconfirmationDue ? 'the intent has expired' : correct(consent, clientId, scopes, age),
    ),
  },
  {
    id: 'reconfirmed-too-late-gives-nothing',
    story: 'The bank accepts a re-confirmation after 90 days, but the tokens read no data.',
    fails: [],
    warns: ['AUTHZ-32/after-ninety-days'],
    async middleware(ctx: Context, next: Next) {
      const { bank, fired } = stateOf(ctx)
      const uid = /^\/interaction\/([^/]+)\/decision$/.exec(ctx.path)?.[1]
      const { params } = (uid ? bank.services.records.peek('Interaction', uid) : undefined) ?? {}
      const intent = intentIn({ claims: JSON.parse(String(params?.claims ?? '{}')) })
      const consent = bank.services.consents.get(intent ?? '')
      const late = consent?.ahead.confirmation ?? 0
      await next()
      if (!consent || late === 0) return
      consent.ahead.confirmation = late
      fired()
    },
  },
]

export default faults
