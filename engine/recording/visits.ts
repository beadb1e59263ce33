import { parseRedirect, type Redirect } from '../client/redirect.ts'
import { member } from '../judge/data-rows.ts'
import { HOUR } from '../record/durations.ts'
import { type Exchange, header } from '../wire/exchange.ts'
import { claimsOf } from '../wire/jwt-decode.ts'
import { kept } from './kept.ts'
import { isRedacted } from './recorded.ts'

/** An authorisation request in a recording. */
export interface Visit {
  clientId: string
  redirectUri: string
  nonce?: string
  state?: string
  consentId?: string
  /** Milliseconds since the epoch. */
  at: number
}

/** Milliseconds after which a customer is not expected back from the bank. */
const LONGEST = HOUR

/** Minimum length of a state or nonce that is unlikely to occur twice by chance. */
const TELLING = 8

/** Joins authorisation requests with the redirects that answer them. */
export function createVisits(intentClaim: string) {
  const byState = new Map<string, Visit | 'several'>()
  const byNonce = new Map<string, Visit>()
  return {
    /** Records an authorisation request. */
    note({ request, startedAt }: Exchange): void {
      const search = new URLSearchParams(request.body ?? new URL(request.url).search)
      const [clientId, redirectUri] = [search.get('client_id'), search.get('redirect_uri')]
      if (!clientId || !redirectUri) return
      const claims = claimsOf(search.get('request') ?? '')
      const said = (name: string) => {
        // OpenID Connect Core 1.0, 6.1: the signed values supersede the query.
        const value = claims?.[name] ?? search.get(name)
        return typeof value === 'string' && !isRedacted(value) ? value : undefined
      }
      const intent = member(claims, 'claims', 'id_token', intentClaim, 'value')
      const [nonce, state] = [said('nonce'), said('state')]
      const visit: Visit = {
        ...{ clientId, redirectUri, at: Date.parse(startedAt) },
        ...(nonce !== undefined && { nonce }),
        ...(state !== undefined && { state }),
        ...(typeof intent === 'string' && { consentId: intent }),
      }
      if (state !== undefined && state.length >= TELLING) {
        const before = byState.get(state)
        const isAgain = before !== undefined && before !== 'several' && before.nonce === nonce
        kept(byState, state, before === undefined || isAgain ? visit : 'several')
      }
      if (nonce !== undefined && nonce.length >= TELLING) kept(byNonce, nonce, visit)
    },
    /**
     * The redirect in an answer that ends a visit, and that visit, found by state or nonce if no other visit has the
     * same. Undefined if the answer ends no visit.
     */
    landing(exchange: Exchange): { redirect: Redirect; visit?: Visit } | undefined {
      const location = header(exchange, 'location')
      const { url } = exchange.request
      if (location === undefined || !URL.canParse(location, url)) return undefined
      const redirect = parseRedirect(new URL(location, url).href)
      if (!redirect || !(redirect.code || redirect.error || redirect.idToken)) return undefined
      const nonce = claimsOf(redirect.idToken ?? '')?.nonce
      const stated = byState.get(redirect.state ?? '')
      const found = (stated !== 'several' && stated) || byNonce.get(String(nonce))
      const at = Date.parse(exchange.startedAt)
      const isIts = found !== undefined && at >= found.at && at - found.at < LONGEST
      return { redirect, ...(isIts && { visit: found }) }
    },
  }
}
