import { createHash } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { Context, Middleware } from 'koa'
import { stateOf } from '../bank/state.ts'
import { answers, type Json, jsonOf, partOf } from './rewriting.ts'

/** Makes another ID token of one; undefined leaves it as it is. */
export type Remake = (claims: Json, header: Json, ctx: Context) => string | undefined

/** Every ID token that the bank gives out, by redirect and by the token endpoint, made anew. */
export function idTokens(remake: Remake): Middleware {
  return answers((ctx) => {
    const body = jsonOf(ctx)
    if (body && partOf(ctx) === 'token' && typeof body.id_token === 'string') {
      const other = remade(body.id_token, remake, ctx)
      if (other === undefined) return false
      ctx.body = { ...body, id_token: other }
      return true
    }
    return changeFragment(ctx, (fragment) => {
      const idToken = fragment.get('id_token')
      const other = idToken === null ? undefined : remade(idToken, remake, ctx)
      if (other === undefined) return false
      fragment.set('id_token', other)
      return true
    })
  })
}

/** The same ID token with other claims, signed by the bank; `header` overrides members of it. */
export function signedAgain(ctx: Context, claims: Json, header: Json = {}): string {
  return stateOf(ctx).bank.signAsBank(claims, header)
}

function remade(idToken: string, remake: Remake, ctx: Context): string | undefined {
  return remake(decodeJwt(idToken) as Json, decodeProtectedHeader(idToken) as Json, ctx)
}

/** Changes the fragment of a redirect to a TPP; false when the answer is none, or nothing changed. */
export function changeFragment(
  ctx: Context,
  change: (fragment: URLSearchParams) => boolean,
): boolean {
  const location = String(ctx.response.get('location') ?? '')
  const [address, text] = location.split('#', 2)
  if (partOf(ctx) !== 'pages' || text === undefined) return false
  const fragment = new URLSearchParams(text)
  if (!change(fragment)) return false
  ctx.set('location', `${address}#${fragment}`)
  return true
}

/** c_hash, s_hash and at_hash: the left half of SHA-256, base64url (OpenID Connect Core 3.3.2.11). */
export function halfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}
