import { setTimeout as wait } from 'node:timers/promises'
import { parseRedirect } from '../client/redirect.ts'
import { signatureOf } from '../client/signature.ts'
import { member } from '../judge/data-rows.ts'
import type { BankSaid } from '../judge/rule.ts'
import { type Exchange, header } from '../wire/exchange.ts'
import { headerOf } from '../wire/jwt-decode.ts'

/** Limit of key look-ups per run; no bank has more new keys. Beyond it, its ID tokens name keys that do not exist. */
const MOST_SOUGHT = 3

/**
 * Verifies the ID token of an exchange before the exchange is judged, with the keys that the bank served. Keys rotate:
 * OpenID Connect Core 10.1.1 lets a client read the JWKS again when it finds an unknown kid, whatever the request was.
 * `read` does this, at once and after the settling time; other exchanges with the same kid wait for it.
 *
 * @param settlingTime milliseconds until each server of the bank has a new key
 */
export function createIdTokenSignatures(
  rules: { bank: BankSaid },
  read: () => Promise<unknown>,
  settlingTime: number,
) {
  const sought = new Map<string, Promise<unknown>>()
  const isKnown = (kid: string) => rules.bank.jwks?.keys.some((key) => member(key, 'kid') === kid)
  const seek = async (kid: string) => {
    await read()
    if (isKnown(kid)) return
    await wait(settlingTime)
    await read()
  }
  const refresh = async (idToken: string) => {
    const kid = headerOf(idToken)?.kid
    if (typeof kid !== 'string' || isKnown(kid)) return
    if (!sought.has(kid) && sought.size < MOST_SOUGHT)
      sought.set(
        kid,
        seek(kid).catch(() => {}),
      )
    await sought.get(kid)
  }
  return async (exchange: Exchange): Promise<void> => {
    const idToken = idTokenOf(exchange)
    if (idToken === undefined) return
    const { jwks } = rules.bank
    if (!jwks) return
    await refresh(idToken)
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
