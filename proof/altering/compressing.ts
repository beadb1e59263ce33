import type { Context, Middleware } from 'koa'
import { stateOf } from '../../bank/state/state.ts'
import { takeBytes } from './raw-body.ts'

/** Changes JSON answers when the client accepts gzip. */
export function forCompressing(
  fits: (path: string) => boolean,
  send: (ctx: Context, bytes: Buffer) => void,
): Middleware {
  return async (ctx, next) => {
    await next()
    const takes = /\bgzip\b/.test(ctx.get('accept-encoding'))
    const bytes = takes && ctx.status < 300 && fits(ctx.path) ? takeBytes(ctx) : undefined
    if (!bytes) return
    send(ctx, bytes)
    stateOf(ctx).fired()
  }
}
