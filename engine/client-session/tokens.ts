import type { Tpp } from '../client/tpp.ts'
import type { ClientDocument } from '../configuration/target.ts'
import { member } from '../judge/data-rows.ts'
import { succeeded } from '../judge/matchers.ts'
import { now } from '../record/clock.ts'
import type { About, Exchange } from '../wire/exchange.ts'
import { claimsOf } from '../wire/jwt-decode.ts'
import type { Granted } from './visit.ts'

/** The content of a token response. */
export interface TokenSet {
  accessToken: string
  refreshToken?: string
  /** True if the refresh token was exchanged before and the answer contained no new one. */
  used?: boolean
  idToken?: string
  scope?: string
  /** What every ID token of this authorisation must match: the claims of its first one, and the nonce that was sent. */
  authorised?: About['idToken']
  /** Milliseconds since the epoch; Infinity when the bank gave no lifetime. */
  expiresAt: number
}

/** Milliseconds before its expiry from which a token is no longer sent. */
export const MARGIN = 2000

/** The tokens of a token response; undefined when it holds no access token. */
export function tokensOf(exchange: Exchange): TokenSet | undefined {
  if (!succeeded(exchange)) return undefined
  const text = (name: string) => {
    const value = member(exchange.response?.json, name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const accessToken = text('access_token')
  if (!accessToken) return undefined
  const seconds = Number(member(exchange.response?.json, 'expires_in'))
  return {
    accessToken,
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    scope: text('scope'),
    expiresAt: Number.isFinite(seconds) ? now() + seconds * 1000 : Number.POSITIVE_INFINITY,
  }
}

/** True if a token response says that its token is for both kinds of consents. */
export function grantsBoth(
  { response }: Exchange,
  { accounts, fundsConfirmation }: ClientDocument['scopes'],
): boolean {
  const granted = String(member(response?.json, 'scope') ?? '').split(' ')
  return granted.includes(accounts) && granted.includes(String(fundsConfirmation))
}

/** Exchanges the code of an approval for the tokens of a consent. */
export async function exchangeCode(
  client: Tpp,
  { code, request, redirect }: Granted,
  subject: string,
) {
  const idToken = { ...claimsOf(redirect.idToken ?? ''), nonce: request.nonce }
  const sent = await client.token(
    { grant_type: 'authorization_code', code, redirect_uri: request.redirectUri },
    { about: { idToken, subject } },
  )
  const tokens = tokensOf(sent)
  return { sent, tokens: tokens && { ...tokens, authorised: idToken } }
}

/** The tokens after a refresh: a refresh token that was not replaced may continue to work. */
export function refreshed(before: TokenSet, exchange: Exchange): TokenSet | undefined {
  const { refreshToken, authorised } = before
  const fresh = tokensOf(exchange)
  if (!fresh) return undefined
  const used = fresh.refreshToken === undefined && refreshToken !== undefined
  return { ...fresh, ...(used && { refreshToken, used }), authorised }
}

/** True if the refused refresh token had been exchanged before. Whether an old one continues to work is open. */
export function workedOnce({ used }: TokenSet, { response }: Exchange): boolean {
  return used === true && [400, 401, 403].includes(response?.status ?? 0)
}

/** The same tokens without the refresh token. */
export function withoutRefresh({ refreshToken: _, used: __, ...tokens }: TokenSet): TokenSet {
  return tokens
}
