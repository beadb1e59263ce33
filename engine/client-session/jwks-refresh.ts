import { parseRedirect } from '../client/redirect.ts'
import { member } from '../judge/data-rows.ts'
import type { BankSaid } from '../judge/rule.ts'
import { type Exchange, header } from '../wire/exchange.ts'
import { headerOf } from '../wire/jwt-decode.ts'

/** More new keys in one run than any bank has: its ID tokens name keys that are nowhere. */
const MOST_SOUGHT = 3

/**
 * Keys rotate: OpenID Connect Core 10.1.1 lets a client read the JWKS again when it meets a kid that
 * it does not know. `read` does so. Returns what to wait for before the exchange is judged.
 */
export function createJwksRefresh(bank: BankSaid, read: () => Promise<unknown>) {
  const sought = new Set<string>()
  return (exchange: Exchange): Promise<unknown> | undefined => {
    if (!bank.jwks || exchange.about.deviation !== undefined) return undefined
    const kid = headerOf(idTokenOf(exchange) ?? '')?.kid
    if (typeof kid !== 'string' || sought.has(kid) || sought.size === MOST_SOUGHT) return undefined
    if (bank.jwks.keys.some((key) => member(key, 'kid') === kid)) return undefined
    sought.add(kid)
    return read().catch(() => {})
  }
}

/** The ID token in a redirect to the TPP or in a token response. */
function idTokenOf(exchange: Exchange): string | undefined {
  const location = header(exchange, 'location')
  if (location?.includes('id_token=')) return parseRedirect(location)?.idToken
  const idToken = exchange.endpoint === 'token' && member(exchange.response?.json, 'id_token')
  return typeof idToken === 'string' ? idToken : undefined
}
