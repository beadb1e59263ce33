import { setTimeout as wait } from 'node:timers/promises'
import type { Context, Middleware, Next } from 'koa'
import { stateOf } from '../../bank/state/state.ts'
import { ofEachBank } from '../run/each-bank.ts'

/**
 * What a service stores in a field for the current request: `read` gets it from a request, `write` puts it into one.
 */
export interface Shared {
  fits(ctx: Context): boolean
  read(ctx: Context): string | undefined
  write(ctx: Context, value: string | undefined): void
}

/** The Authorization header. */
export const authorization = {
  read: (ctx: Context) => ctx.req.headers.authorization,
  write(ctx: Context, value: string | undefined) {
    ctx.req.headers.authorization = value
  },
}

/** The body of the request. */
export const requestBody = {
  read: (ctx: Context) => stateOf(ctx).body,
  write(ctx: Context, value = '') {
    stateOf(ctx).body = value
  },
}

/** The path of the request. */
export const requestPath = {
  read: (ctx: Context) => ctx.path,
  write(ctx: Context, value = '') {
    ctx.path = value
  },
}

/** Requests that fit share one field, so all requests in progress get the value of the last one. */
export function inOneField({ fits, read, write }: Shared): Middleware {
  const field = ofEachBank(() => ({}) as { value?: string | undefined })
  return async (ctx: Context, next: Next) => {
    if (fits(ctx)) {
      const own = read(ctx)
      const shared = field()
      shared.value = own
      await wait(25)
      if (shared.value !== own) {
        stateOf(ctx).fired()
        write(ctx, shared.value)
      }
    }
    await next()
  }
}
