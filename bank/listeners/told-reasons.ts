import type { Context } from 'koa'
import type { errors, Provider } from 'oidc-provider'
import { stateOf } from '../state/state.ts'

type ProviderError = errors.OIDCProviderError

/**
 * To a client that fails to authenticate, the authorisation server only answers "client authentication failed" and
 * keeps the cause for its own log. Developers who test against this bank need the cause, so it is stored with the
 * request, for the answer and for observers.
 */
export function noteRefusals(provider: Provider): void {
  const note = (ctx: unknown, error: ProviderError) => {
    const { error: reason, error_description: words, error_detail: detail } = error
    const told = [words, detail && inOurWords(ctx as Context, detail)].filter(Boolean).join(': ')
    stateOf(ctx as Context).refusal = { reason, detail: told || reason }
  }
  provider.on('grant.error', note)
  provider.on('authorization.error', note)
}

/** Adds the expected value when the library only says what is wrong. */
function inOurWords(ctx: Context, detail: string): string {
  const { endpoints } = stateOf(ctx).bank.services
  if (/audience \(aud\)/.test(detail)) return `${detail}; expected ${endpoints.token}`
  if (/"aud"|aud claim|jwt audience/i.test(detail)) return `${detail}; expected ${endpoints.issuer}`
  return detail
}

/** Puts the cause into the body of an OAuth error. */
export function tellReason(ctx: Context): void {
  const { refusal } = stateOf(ctx)
  const body: unknown = ctx.body
  if (!refusal || ctx.status < 400 || typeof body !== 'object' || body === null) return
  if ((body as { error?: unknown }).error !== refusal.reason) return
  ctx.body = { ...body, error_description: headerSafe(refusal.detail) }
}

/** Puts the cause into the redirect that reports an error to the TPP. */
export function tellReasonByRedirect(ctx: Context): void {
  const { refusal } = stateOf(ctx)
  const location = String(ctx.response.get('location') ?? '')
  const [address, fragment] = location.split('#', 2)
  if (!refusal || fragment === undefined) return
  const answer = new URLSearchParams(fragment)
  if (answer.get('error') !== refusal.reason) return
  answer.set('error_description', headerSafe(refusal.detail))
  ctx.set('location', `${address}#${answer}`)
}

/**
 * The library adds `iss` (RFC 9207) at the end of an error redirect, but not of a redirect with an ID token. This bank
 * sends it in neither.
 */
export function leaveOutIssuer(ctx: Context): void {
  const { issuer } = stateOf(ctx).bank.services.endpoints
  const location = String(ctx.response.get('location') ?? '')
  const named = `&iss=${encodeURIComponent(issuer)}`
  if (location.includes(named)) ctx.set('location', location.replace(named, ''))
}

/** Characters that RFC 6749 4.1.2.1 and 5.2 allow: %x20-21 / %x23-5B / %x5D-7E. */
function headerSafe(text: string): string {
  return text.replaceAll('"', "'").replace(/[^\x20-\x7e]|\\/g, '?')
}
