import { constants, createHash, sign } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { Context, Middleware } from 'koa'
import { signJws } from '../../bank/authorisation-server/signature.ts'
import { stateOf } from '../../bank/state/state.ts'
import { encodedPart } from '../../engine/wire/jwt-decode.ts'
import { decoded, landings, signedBy } from './jwt-rewrites.ts'
import { answers, type Json, jsonOf, partOf } from './rewriting.ts'

/**
 * Signs claims with the key and kid of the original ID token, so that several freedoms about ID tokens can be combined.
 * `header` overrides members of its header.
 */
export type Sign = (claims: Json, header?: Json) => string

/** Makes another ID token from one; undefined leaves it unchanged. */
export type Remake = (claims: Json, sign: Sign, ctx: Context) => string | undefined

/** Replaces every ID token that the bank issues, in redirects and at the token endpoint. */
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
      const other = idToken ? remade(idToken, remake, ctx) : undefined
      if (other === undefined) return false
      fragment.set('id_token', other)
      return true
    })
  })
}

/**
 * Another ID token made from one; undefined leaves it unchanged. A wrong signature comes from a fault and is not
 * changed either: signing the token again would correct it.
 */
export function remade(idToken: string, remake: Remake, ctx: Context): string | undefined {
  const { keys } = stateOf(ctx).bank.services
  const { alg, kid } = decodeProtectedHeader(idToken)
  const key = kid === undefined ? keys[0] : keys.find((one) => one.kid === kid)
  if (!key || alg !== 'PS256' || !signedBy(key.key, idToken)) return undefined
  return remake(
    decodeJwt(idToken) as Json,
    (claims, header) => signJws(claims, key, { kid, ...header }),
    ctx,
  )
}

/** Adapts the hash of a value in the claims when the value changes; a wrong hash stays wrong. */
export function rehashed(claims: Json, name: 'at_hash' | 'c_hash', from: string, to: string): Json {
  return claims[name] === halfHash(from) ? { ...claims, [name]: halfHash(to) } : claims
}

/** Changes the fragment of a redirect to a TPP; false when the answer is not one, or nothing changed. */
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

/** Signs the ID token of every redirect to a TPP again, with other claims. */
export function redirectIdTokens(
  change: (claims: Json, fragment: URLSearchParams, ctx: Context) => Json | undefined,
  signed: (ctx: Context, claims: Json) => string = (ctx, claims) =>
    stateOf(ctx).bank.signAsBank(claims),
): Middleware {
  return landings((fragment, ctx) => {
    const idToken = fragment.get('id_token')
    const claims = idToken ? change(decoded(idToken).claims, fragment, ctx) : undefined
    if (!claims) return false
    fragment.set('id_token', signed(ctx, claims))
  })
}

/** Signs an ID token with the bank's own key in RS256. */
export function inRs256(ctx: Context, claims: Json): string {
  const [key] = stateOf(ctx).bank.services.keys
  if (!key) throw new RangeError('the bank has no key')
  const input = `${encodedPart({ alg: 'RS256', kid: key.kid })}.${encodedPart(claims)}`
  const padding = constants.RSA_PKCS1_PADDING
  return `${input}.${sign('sha256', Buffer.from(input), { key: key.key, padding }).toString('base64url')}`
}
