import type { Context } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { answered, consentNamed } from '../../altering/consent-requests.ts'
import { acceptsRequest, type Decoded, landings, looksRight } from '../../altering/jwt-rewrites.ts'
import { clientIs } from '../../cells/token-cells.ts'
import type { Fault } from '../../run/proof.ts'

/** The authorisation page, one cell at a time: redirects of another request, earlier consents. */

/** The client's redirect URI with this index, if it differs from the address. */
function sibling(ctx: Context, address: string, index: number): string | undefined {
  const { first, second } = stateOf(ctx).bank.services.directory.clients
  const owner = [first, second].find(({ redirectUris }) => redirectUris.includes(address))
  const uri = owner?.redirectUris[index]
  return uri === address ? undefined : uri
}

/** Sends matching answers to another redirect URI of the client. */
const redirects = (fits: (fragment: URLSearchParams) => boolean, index: number) =>
  landings((fragment, ctx, address) => {
    const other = fits(fragment) ? sibling(ctx, address, index) : undefined
    return other === undefined ? false : `${other}#${fragment}`
  })

/** Approves a consent that was authorised before, when a request of its visit matches. */
function approvesAgain(fits: (ctx: Context, form: URLSearchParams, step: string) => boolean) {
  return async (ctx: Context, next: () => Promise<unknown>) => {
    const state = stateOf(ctx)
    const { bank } = state
    const { provider, policies, consents, visitors } = bank.services
    const [, uid = '', step = ''] = /^\/interaction\/([^/]+)\/?(\w*)$/.exec(ctx.path) ?? []
    const visit =
      uid && (await provider.interactionDetails(ctx.req, ctx.res).catch(() => undefined))
    const claims: unknown = visit ? JSON.parse(String(visit.params.claims ?? '{}')) : undefined
    const consent = claims ? consents.get(policies.intentOf({ claims }) ?? '') : undefined
    const customer = bank.customers.find(({ id }) => id === consent?.customerId)
    const usable = consent?.status === 'Authorised' && consent.deleted === undefined
    if (!customer || !usable || !fits(ctx, new URLSearchParams(state.body), step)) return next()
    state.fired()
    visitors.set(uid, customer)
    ctx.method = 'POST'
    ctx.path = `/interaction/${uid}/decision`
    state.body = 'decision=approve'
    await next()
  }
}

/** Has the customer of this visit logged in already? */
function hasLoggedIn(ctx: Context): boolean {
  const uid = ctx.path.split('/')[2] ?? ''
  return stateOf(ctx).bank.services.visitors.has(uid)
}

/** Do the claims of the request object name a different client than the query, in exactly these members? */
function namesAnother(
  { claims }: Decoded,
  { client_id: asked }: { client_id?: string },
  names: readonly string[],
): boolean {
  const others = ['client_id', 'iss'].filter((name) => claims[name] && claims[name] !== asked)
  return others.join() === names.join()
}

const faults: Fault[] = [
  {
    id: 'redirect-uris-of-the-second-client-not-compared',
    story: 'The authorisation endpoint accepts every redirect URI from the second client.',
    fails: ['AUTHZ-08/second-client'],
    policies: (correct, { fired }) => ({
      stored(model, id, record) {
        const seen = correct.stored(model, id, record)
        const ctx = currentRequest()
        if (model !== 'Client' || !seen || !ctx || !clientIs(ctx, id, 'second')) return seen
        const { redirect_uri: asked } = ctx.query
        const known = seen.redirect_uris as string[]
        if (typeof asked !== 'string' || known.includes(asked)) return seen
        fired()
        return { ...seen, redirect_uris: [...known, asked] }
      },
    }),
  },
  {
    id: 'request-objects-of-whoever-signed-them',
    story:
      'The bank accepts a request object signed by another client. It looks up the key by the client_id of the request object and the client by the query.',
    fails: ['AUTHZ-11/of-another-client'],
    middleware: acceptsRequest((request, query, ctx) =>
      namesAnother(request, query, ['client_id', 'iss']) &&
      looksRight(ctx, request, request.claims.client_id)
        ? { ...request.claims, client_id: query.client_id, iss: query.client_id }
        : undefined,
    ),
  },
  {
    id: 'client-id-of-the-request-object-not-compared',
    story:
      'The bank does not compare the client_id of the request object with the one of the query.',
    fails: [],
    warns: ['AUTHZ-37/client-id'],
    middleware: acceptsRequest((request, query, ctx) =>
      namesAnother(request, query, ['client_id']) && looksRight(ctx, request, query.client_id)
        ? { ...request.claims, client_id: query.client_id }
        : undefined,
    ),
  },
  {
    id: 'issuer-of-the-second-clients-request-objects-not-compared',
    story: "The bank does not compare the iss of the second client's request objects.",
    fails: [],
    warns: ['AUTHZ-37/issuer'],
    middleware: acceptsRequest((request, query, ctx) =>
      namesAnother(request, query, ['iss']) &&
      looksRight(ctx, request, query.client_id) &&
      clientIs(ctx, query.client_id, 'second')
        ? { ...request.claims, iss: query.client_id }
        : undefined,
    ),
  },
  {
    id: 'request-objects-in-ps512',
    story: 'The bank accepts a request object signed with PS512 instead of the registered PS256.',
    fails: ['AUTHZ-11/other-algorithms'],
    middleware: acceptsRequest(({ header, claims }) =>
      header.alg === 'PS512' ? claims : undefined,
    ),
  },
  {
    id: 'denial-to-the-first-redirect-uri',
    story:
      "After a denial, the bank redirects to the client's first registered redirect URI, not to the one of the request.",
    fails: ['AUTHZ-33/this-request', 'AUTHZ-21/denied'],
    middleware: redirects((fragment) => fragment.get('error') === 'access_denied', 0),
  },
  {
    id: 'codes-to-the-first-redirect-uri',
    story:
      "After the approval, the bank redirects to the client's first registered redirect URI, not to the one of the request.",
    fails: ['AUTHZ-33/this-request'],
    middleware: redirects((fragment) => fragment.has('code'), 0),
  },
  {
    id: 'codes-of-the-second-client-to-its-other-redirect-uri',
    story:
      'After the approval, the bank redirects the second client to another of its redirect URIs, because it compares them without the query.',
    fails: ['AUTHZ-33/this-request'],
    middleware: landings((fragment, ctx, address) => {
      const other = new URL(address).pathname === '/return' && sibling(ctx, address, 1)
      return other && fragment.has('code') ? `${other}#${fragment}` : false
    }),
  },
  {
    id: 'redirects-without-their-query',
    story: 'The bank removes the query of the redirect URI when it redirects.',
    fails: ['AUTHZ-33/this-request'],
    middleware: landings((fragment, _ctx, address) => {
      const [bare = '', query] = address.split('?')
      return query === undefined ? false : `${bare}#${fragment}`
    }),
  },
  {
    id: 're-confirmation-by-device',
    story: 'A customer who approved the consent before re-confirms it without login.',
    fails: ['AUTHZ-22/again-before-login'],
    middleware: approvesAgain(
      (ctx, _form, step) =>
        ctx.method === 'GET' && step === '' && !ctx.query.seen && !hasLoggedIn(ctx),
    ),
  },
  {
    id: 're-confirmation-with-any-password',
    story: 'The re-confirmation of a consent accepts any password.',
    fails: ['AUTHZ-22/again-wrong-credentials'],
    middleware: approvesAgain((ctx, form, step) => {
      const { bank } = stateOf(ctx)
      const right = bank.customers.some(({ password }) => password === form.get('password'))
      return ctx.method === 'POST' && step === 'login' && !right
    }),
  },
  {
    id: 'denied-re-confirmation-goes-on',
    story: 'A customer who denies the re-confirmation of a consent re-confirms it.',
    fails: ['AUTHZ-21/denied-again'],
    middleware: approvesAgain(
      (_ctx, form, step) => step === 'decision' && form.get('decision') === 'deny',
    ),
  },
  {
    id: 'chosen-account-brings-the-others',
    story: 'The consent covers all accounts of the customer, not only the selected ones.',
    fails: ['ACC-21/selected'],
    policies: (correct, { fired }) => ({
      cardsGranted(offered, ticked, again) {
        const granted = correct.cardsGranted(offered, ticked, again)
        if (granted.length === 0 || granted.length === offered.length) return granted
        fired()
        return offered
      },
    }),
  },
  {
    id: 'refreshing-forgets-which-account-was-chosen',
    story:
      'A refreshed access token reads all accounts of the customer, not only the selected ones. They are claims only of the first token.',
    fails: ['ACC-21/selected'],
    async middleware(ctx, next) {
      const { bank, fired } = stateOf(ctx)
      const info = tokenInfoOf(ctx)
      const consent = info?.refreshed ? info.consent : undefined
      const customer = bank.customers.find(({ id }) => id === consent?.customerId)
      if (!consent || !customer || consent.cards.length === customer.cards.length) return next()
      const chosen = consent.cards
      consent.cards = customer.cards.map(({ key }) => key)
      fired()
      await next()
      consent.cards = chosen
    },
  },
  {
    id: 're-confirmed-consents-open-balances',
    story: 'A re-confirmed consent opens the balance endpoints without ReadBalances.',
    fails: [],
    warns: ['AUTHZ-17/permissions'],
    policies: (correct, { fired }) => ({
      permits(permissions, endpoint) {
        const ctx = currentRequest()
        const known = ctx && (tokenInfoOf(ctx)?.consent?.grants.size ?? 0) > 1
        const right = correct.permits(permissions, endpoint)
        if (right || !known || !endpoint.endsWith('balances')) return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'expiry-of-the-second-client-lost-at-approval',
    story: 'For the second client, an approved consent does not show its ExpirationDateTime.',
    fails: ['CONS-22/after-approval'],
    middleware: answered('account-access', 'GET', (data, ctx) => {
      const consent = consentNamed(ctx)
      if (consent?.status !== 'Authorised' || !clientIs(ctx, consent.clientId, 'second')) {
        return undefined
      }
      const { ExpirationDateTime: _, ...others } = data
      return others
    }),
  },
]
export default faults
