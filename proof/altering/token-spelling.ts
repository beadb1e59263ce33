import type { Context, Middleware, Next } from 'koa'
import type { Records } from '../../bank/authorisation-server/adapter.ts'
import { stateOf } from '../../bank/state/state.ts'
import { ofEachBank } from '../run/each-bank.ts'
import { type Remake, rehashed, remade } from './id-tokens.ts'
import { type Json, jsonOf, partOf } from './rewriting.ts'

/** Writes a token in the bank's own form. Different tokens get different forms. */
export type Write = (token: string, ctx: Context) => string

/**
 * Access and refresh tokens in another form, wherever the bank issues or accepts one: the token endpoint, the
 * Authorization header, and the operator's facts about a token. Tokens that are equal after `plain` are treated as the
 * same token.
 */
export function tokensSpelt(write: Write, plain = (token: string) => token): Middleware {
  const spellings = ofEachBank(() => ({ known: new Map<string, string>(), told: false }))
  return async (ctx: Context, next: Next) => {
    const state = stateOf(ctx)
    const spelling = spellings()
    const { known } = spelling
    const read = (token: string) => known.get(plain(token)) ?? token
    if (!spelling.told) {
      spelling.told = true
      const all = readers()
      all.push(read)
      if (all.length === 1) readBeforeLooking(state.bank.services.records, all)
    }
    const bearer = /^Bearer +(.+)$/i.exec(ctx.get('authorization'))?.[1]
    if (bearer) ctx.req.headers.authorization = `Bearer ${read(bearer)}`
    if (partOf(ctx) !== 'token') return next()
    const form = new URLSearchParams(state.body)
    const refresh = form.get('refresh_token')
    if (refresh !== null) {
      form.set('refresh_token', read(refresh))
      state.body = form.toString()
    }
    await next()
    const body = jsonOf(ctx)
    if (ctx.status !== 200 || typeof body?.access_token !== 'string') return
    ctx.body = spelt(ctx, body, (token) => {
      const other = write(token, ctx)
      known.set(plain(other), token)
      return other
    })
    state.fired()
  }
}

/** How to read what each alteration writes; the outermost first. */
const readers = ofEachBank(() => [] as ((token: string) => string)[])

function readBeforeLooking(records: Records, all: readonly ((token: string) => string)[]): void {
  const { peek } = records
  records.peek = (model, id) =>
    peek(
      model,
      all.reduce((token, read) => read(token), id),
    )
}

function spelt(ctx: Context, body: Json, write: (token: string) => string): Json {
  const access = write(String(body.access_token))
  const refresh = typeof body.refresh_token === 'string' && write(body.refresh_token)
  const idToken = typeof body.id_token === 'string' && body.id_token
  const rehash: Remake = (claims, sign) =>
    sign(rehashed(claims, 'at_hash', String(body.access_token), access))
  return {
    ...body,
    access_token: access,
    ...(refresh && { refresh_token: refresh }),
    ...(idToken && { id_token: remade(idToken, rehash, ctx) ?? idToken }),
  }
}
