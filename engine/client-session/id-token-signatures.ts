import { parseRedirect } from '../client/redirect.ts'
import { signatureOf } from '../client/signature.ts'
import { member } from '../judge/data-rows.ts'
import type { BankSaid } from '../judge/rule.ts'
import { type Exchange, header } from '../wire/exchange.ts'
import { headerOf } from '../wire/jwt-decode.ts'

/** More new keys in one run than any bank has: its ID tokens name keys that are nowhere. */
const MOST_SOUGHT = 3

/**
 * Has the ID token of an exchange verified before the exchange is judged, by the keys that the bank served.
 * Keys rotate: OpenID Connect Core 10.1.1 lets a client read the JWKS again when it meets a kid that it
 * does not know, whatever it was sent for. `read` does so; who meets the kid meanwhile waits for it.
 */
export function createIdTokenSignatures(rules: { bank: BankSaid }, read: () => Promise<unknown>) {
  const sought = new Map<string, Promise<unknown>>()
  const refresh = async (idToken: string, keys: unknown[]) => {
    const kid = headerOf(idToken)?.kid
    if (typeof kid !== 'string' || keys.some((key) => member(key, 'kid') === kid)) return
    if (!sought.has(kid) && sought.size < MOST_SOUGHT)
      sought.set(
        kid,
        read().catch(() => {}),
      )
    await sought.get(kid)
  }
  return async (exchange: Exchange): Promise<void> => {
    const idToken = idTokenOf(exchange)
    if (idToken === undefined) return
    const { jwks } = rules.bank
    if (!jwks) return
    await refresh(idToken, jwks.keys)
    exchange.signature = await signatureOf(idToken, rules.bank.jwks ?? jwks)
  }
}

/** The ID token in a redirect to the TPP or in a token response. */
function idTokenOf(exchange: Exchange): string | undefined {
  const location = header(exchange, 'location')
  const { url } = exchange.request
  if (location !== undefined && URL.canParse(location, url)) {
    return parseRedirect(new URL(location, url).href)?.idToken
  }
  const idToken = exchange.endpoint === 'token' && member(exchange.response?.json, 'id_token')
  return typeof idToken === 'string' ? idToken : undefined
}
