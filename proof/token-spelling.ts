import { decodeJwt } from 'jose'
import type { Context, Middleware, Next } from 'koa'
import type { Bank } from '../bank/bank.ts'
import { stateOf } from '../bank/state.ts'
import { halfHash, signedAgain } from './id-tokens.ts'
import { type Json, jsonOf, partOf } from './rewriting.ts'

/** How a bank writes its tokens, and reads them again. */
export interface Spelling {
  write(token: string, ctx: Context): string
  read(token: string): string
}

/**
 * Access and refresh tokens in another spelling, wherever the bank gives or takes one: the token
 * endpoint, the Authorization header, and the facts that its operator states about a token.
 */
export function tokensSpelt({ write, read }: Spelling): Middleware {
  const told = new WeakSet<Bank>()
  return async (ctx: Context, next: Next) => {
    const { bank } = stateOf(ctx)
    if (!told.has(bank)) {
      told.add(bank)
      const { records } = bank.inside
      const { peek } = records
      records.peek = (model, id) => peek(model, read(id))
    }
    const bearer = /^Bearer +(.+)$/i.exec(ctx.get('authorization'))?.[1]
    if (bearer) ctx.req.headers.authorization = `Bearer ${read(bearer)}`
    if (partOf(ctx) !== 'token') return next()
    const state = stateOf(ctx)
    const form = new URLSearchParams(state.body)
    const refresh = form.get('refresh_token')
    if (refresh !== null) {
      form.set('refresh_token', read(refresh))
      state.body = form.toString()
    }
    await next()
    const body = jsonOf(ctx)
    if (ctx.status !== 200 || typeof body?.access_token !== 'string') return
    ctx.body = spelt(ctx, body, write)
    stateOf(ctx).fired()
  }
}

function spelt(ctx: Context, body: Json, write: Spelling['write']): Json {
  const access = write(String(body.access_token), ctx)
  const refresh = typeof body.refresh_token === 'string' && write(body.refresh_token, ctx)
  const claims = typeof body.id_token === 'string' && (decodeJwt(body.id_token) as Json)
  return {
    ...body,
    access_token: access,
    ...(refresh && { refresh_token: refresh }),
    ...(claims && { id_token: signedAgain(ctx, { ...claims, at_hash: halfHash(access) }) }),
  }
}
