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
  words: endpoint,
  is: (ctx) => endpointOf(ctx) === endpoint,
})

const managed = (slug: string, method: string, path: RegExp): Place => ({
  slug,
  words: slug.replaceAll('-', ' '),
  is: (ctx) => ctx.method === method && path.test(ctx.path),
})

export const PLACES = {
  creation: managed('consent-creation', 'POST', /\/account-access-consents$/),
  query: managed('consent-query', 'GET', /\/account-access-consents\/[^/]+$/),
  deletion: managed('consent-deletion', 'DELETE', /\/account-access-consents\/[^/]+$/),
  fundsCreation: managed('funds-creation', 'POST', /\/funds-confirmation-consents$/),
  fundsDeletion: managed('funds-deletion', 'DELETE', /\/funds-confirmation-consents\/[^/]+$/),
} as const

type Certificate = 'none' | 'untrusted' | 'expired'

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
    story: `The certificate is not looked at for ${place.words}: ${certificate}.`,
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
    story: `The token is not looked at for ${place.words}: ${wrong}.`,
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
    story: `A token of another kind opens ${place.words}: ${slug.replaceAll('-', ' ')}.`,
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

/** One address accepts an AccountId of another customer, for one kind of request. */
export function foreignAccount(
  endpoint: DataEndpoint,
  asker: (ctx: Context) => boolean,
  slug: string,
  said: Said,
): Fault {
  return {
    id: `foreign-${endpoint}-${slug}`,
    story: `Whose account it is, is not asked at ${endpoint}: ${slug.replaceAll('-', ' ')}.`,
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

/** An ended consent that still allows matching requests. */
export function outlives(
  slug: string,
  ended: (consent: Consent, age: { expired: boolean; reconfirmationDue: boolean }) => boolean,
  fits: (ctx: Context) => boolean,
  said: Said,
): Fault {
  return {
    id: `outlives-${slug}`,
    story: `Some tokens outlive their consent: ${slug.replaceAll('-', ' ')}.`,
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
