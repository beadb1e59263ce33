import type { Context } from 'koa'
import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import type { DataEndpoint } from '../../bank/policies/data.ts'
import type { Consent } from '../../bank/state/consents.ts'
import { stateOf } from '../../bank/state/state.ts'
import { endpointOf } from '../altering/data-requests.ts'
import { admit } from '../altering/jwt-rewrites.ts'
import { type Lent, lend, lendable } from '../altering/lent-tokens.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Fault } from '../run/proof.ts'
import { addressOf } from './situations.ts'

/** Access control, one cell at a time: certificates, access tokens, accounts, ended consents. */

type Said = Pick<Fault, 'fails' | 'warns' | 'because'>

/** Any request of the interface, by method and the end of its path. */
export interface Place {
  slug: string
  words: string
  is(ctx: Context): boolean
}

export const dataPlace = (endpoint: DataEndpoint): Place => ({
  slug: endpoint,
  words: addressOf(endpoint),
  is: (ctx) => endpointOf(ctx) === endpoint,
})

const managed = (slug: string, words: string, method: string, path: RegExp): Place => ({
  slug,
  words,
  is: (ctx) => ctx.method === method && path.test(ctx.path),
})

export const PLACES = {
  creation: managed(
    'consent-creation',
    'the creation of a consent',
    'POST',
    /\/account-access-consents$/,
  ),
  query: managed(
    'consent-query',
    'the query of a consent',
    'GET',
    /\/account-access-consents\/[^/]+$/,
  ),
  deletion: managed(
    'consent-deletion',
    'the delete of a consent',
    'DELETE',
    /\/account-access-consents\/[^/]+$/,
  ),
  fundsCreation: managed(
    'funds-creation',
    'the creation of a funds confirmation consent',
    'POST',
    /\/funds-confirmation-consents$/,
  ),
  fundsDeletion: managed(
    'funds-deletion',
    'the delete of a funds confirmation consent',
    'DELETE',
    /\/funds-confirmation-consents\/[^/]+$/,
  ),
} as const

type Certificate = 'none' | 'untrusted' | 'expired'

const CERTIFICATES: Readonly<Record<Certificate, string>> = {
  none: 'a connection without a transport certificate',
  untrusted: 'a transport certificate of an untrusted issuer',
  expired: 'an expired transport certificate',
}

function certificateOf(ctx: Context): Certificate | undefined {
  const { authorized, thumbprint, error } = stateOf(ctx).transport
  if (authorized) return undefined
  if (thumbprint === undefined) return 'none'
  return error?.includes('EXPIRED') ? 'expired' : 'untrusted'
}

/** One kind of wrong certificate is accepted at one place. */
export function letsIn(certificate: Certificate, place: Place, said: Said): Fault {
  return {
    id: `${certificate === 'none' ? 'no' : certificate}-certificate-at-${place.slug}`,
    story: `The bank accepts ${CERTIFICATES[certificate]} for ${place.words}.`,
    ...said,
    settings: { tlsRefusal: 'status' },
    async middleware(ctx, next) {
      const { listener } = stateOf(ctx)
      if (listener.roles.includes('api') && place.is(ctx) && certificateOf(ctx) === certificate) {
        admit(ctx)
      }
      await next()
    },
  }
}

/** The latest valid access token of each kind, client and consent. */
const good = ofEachBank(() => new Map<string, Lent>())

const bearerOf = (ctx: Context) => /^Bearer +(.+)$/i.exec(ctx.get('authorization'))?.[1]

/** Remembers every token that gave access. `choose` may return one that also gives access here. */
function lending(choose: (ctx: Context, known: Map<string, Lent>) => Lent | undefined) {
  return async (ctx: Context, next: () => Promise<unknown>) => {
    const { bank, fired } = stateOf(ctx)
    const known = good()
    const bearer = bearerOf(ctx)
    const lent = choose(ctx, known)
    if (lent !== undefined && lent.token !== bearer) {
      await lend(ctx, lent)
      fired()
    }
    await next()
    if (ctx.status >= 300 || bearer === undefined || lent !== undefined) return
    const { records } = bank.services
    const data = records.peek('AccessToken', bearer)
    const client = data ?? records.peek('ClientCredentials', bearer)
    const kind = data ? 'data' : String(client?.scope)
    const subject = /\/accounts\/([^/]+)/.exec(ctx.path)?.[1] ?? ''
    const opener = lendable(ctx, bearer)
    known.set(kind, opener)
    known.set(`${kind} ${client?.clientId}`, opener)
    if (subject) known.set(`account ${subject}`, opener)
  }
}

const isMadeUp = (ctx: Context) => {
  const { records } = stateOf(ctx).bank.services
  const bearer = bearerOf(ctx) ?? ''
  return !records.peek('ClientCredentials', bearer) && !records.peek('AccessToken', bearer)
}

/** A place that accepts requests without a token, or with any token. */
export function needsNoToken(place: Place, wrong: 'missing' | 'made-up', said: Said): Fault {
  const scope = place.slug.startsWith('funds') ? 'fundsconfirmations' : 'accounts'
  return {
    id: `${wrong}-token-at-${place.slug}`,
    story: `The bank accepts ${wrong === 'missing' ? 'a request without an access token' : 'any text as access token'} for ${place.words}.`,
    ...said,
    middleware: lending((ctx, known) => {
      const bearer = bearerOf(ctx)
      if (!place.is(ctx) || ctx.get('authorization').startsWith('Basic')) return undefined
      if (wrong === 'missing' ? bearer !== undefined : bearer === undefined || !isMadeUp(ctx)) {
        return undefined
      }
      const subject = /\/accounts\/([^/]+)/.exec(ctx.path)?.[1] ?? ''
      const isData = endpointOf(ctx) !== undefined
      return known.get(`account ${subject}`) ?? known.get(isData ? 'data' : scope)
    }),
  }
}

/** Tokens of another kind, by the start of the fault's id. */
const OTHER_TOKENS: Readonly<Record<string, string>> = {
  'client-token-of-the-second': 'a client_credentials token of the second client',
  'client-token-while-absent':
    'a client_credentials token, if x-fapi-customer-ip-address is missing,',
  'client-token-with-a-filter': 'a client_credentials token, if the query has a date filter,',
  'data-token': 'an access token of the authorization_code grant',
  'token-for-accounts': 'a client_credentials token with the scope of accounts',
  'token-for-funds': 'a client_credentials token with the scope of funds confirmation',
}

/** A place accepts a token of another kind: of another grant or scope. */
export function takesOtherToken(
  place: Place,
  fits: (ctx: Context) => boolean,
  key: (ctx: Context) => string,
  slug: string,
  said: Said,
): Fault {
  return {
    id: `${slug}-at-${place.slug}`,
    story: `The bank accepts ${OTHER_TOKENS[slug] ?? slug} for ${place.words}.`,
    ...said,
    middleware: lending((ctx, known) => {
      if (!place.is(ctx) || !bearerOf(ctx) || isMadeUp(ctx) || !fits(ctx)) return undefined
      const subject = /\/accounts\/([^/]+)/.exec(ctx.path)?.[1] ?? ''
      return (
        known.get(`account ${subject}`) ??
        known.get(`${key(ctx)} ${tokenInfoOf(ctx)?.clientId}`) ??
        known.get(key(ctx))
      )
    }),
  }
}

/** For which requests, by the end of the fault's id. */
const ASKERS: Readonly<Record<string, string>> = {
  'to-the-second-client': 'to the second client',
  'while-absent': 'without x-fapi-customer-ip-address',
}

/** One address accepts an AccountId of another customer, for one kind of request. */
export function foreignAccount(
  endpoint: DataEndpoint,
  asker: (ctx: Context) => boolean,
  slug: string,
  said: Said,
): Fault {
  return {
    id: `foreign-${endpoint}-${slug}`,
    story: `${addressOf(endpoint)} returns any account, even one of another customer, ${ASKERS[slug] ?? slug}.`,
    ...said,
    policies: (correct, { fired }) => ({
      accountRefusal(own, known) {
        const ctx = currentRequest()
        if (own || !known || !ctx || endpointOf(ctx) !== endpoint || !asker(ctx)) {
          return correct.accountRefusal(own, known)
        }
        fired()
        return undefined
      },
    }),
  }
}

/** Which end of which consent is ignored where, by the end of the fault's id. */
const ENDS: Readonly<Record<string, string>> = {
  'expiry-at-transactions': 'the consent has expired, in GET /transactions',
  'deletion-at-balances-while-absent':
    'the delete of the consent, in GET /balances without x-fapi-customer-ip-address',
  'deletion-while-absent-until-a-limit':
    'the delete of the consent, in GET /balances without x-fapi-customer-ip-address. The third request gets 429',
  'deletion-with-an-end-alone':
    'the delete of the consent, in requests with toBookingDateTime and not fromBookingDateTime',
  'revocation-with-both-filters':
    'the revocation of the consent, in requests with both date filters',
  'revocation-at-single-transactions-while-absent':
    'the revocation of the consent, in GET /accounts/{AccountId}/transactions without x-fapi-customer-ip-address',
  'deletion-of-what-was-re-confirmed': 'the delete of a re-confirmed consent',
  'deletion-by-the-second-client': 'the second client has deleted the consent',
  'deletion-by-the-second-customer': 'the delete of a consent of the second customer',
  'deletion-with-the-first-token':
    'the delete of the consent, if it is the first client’s token from the code and not from a refresh',
  'revocation-of-the-second-client': 'the revocation of a consent of the second client',
  'revocation-with-a-filter': 'the revocation of the consent, in requests with a query',
  'deletion-by-the-second-client-with-a-filter':
    'the second client has deleted the consent, in requests with a query',
  'deletion-by-the-second-client-while-absent':
    'the second client has deleted the consent, in requests without x-fapi-customer-ip-address',
  'deletion-of-what-was-re-confirmed-with-a-filter':
    'the first client has deleted a re-confirmed consent, in requests with a query',
  'revocation-of-what-was-re-confirmed-with-a-filter':
    'the revocation of a re-confirmed consent, in requests with a query',
}

/** An ended consent that still allows matching requests. */
export function outlives(
  slug: string,
  ended: (consent: Consent, age: { expired: boolean; reconfirmationDue: boolean }) => boolean,
  fits: (ctx: Context) => boolean,
  said: Said,
): Fault {
  return {
    id: `outlives-${slug}`,
    story: `An access token still reads data after ${ENDS[slug] ?? slug}.`,
    ...said,
    policies: (correct, { fired }) => ({
      tokensDie: () => false,
      consentUsable(consent, age) {
        const ctx = currentRequest()
        const refusal = correct.consentUsable(consent, age)
        if (!refusal || !ctx || !ended(consent, age) || !fits(ctx)) return refusal
        fired()
        return undefined
      },
    }),
  }
}
