import type { Context } from 'koa'
import type { Bank } from './bank.ts'
import type { Listener } from './layout.ts'
import type { Transport } from './policies/access.ts'

/**
 * What middleware finds in `ctx.state`.
 *
 * `body` is the request's body as text, read before any alteration runs: change it before `next()`
 * and everything behind sees the new one, the authorisation server included. `ctx.query`,
 * `ctx.querystring`, `ctx.path`, `ctx.method` and `ctx.req.headers` can be changed likewise; the
 * answer is in `ctx.status`, `ctx.body` (a value, not yet text) and the response headers after
 * `next()`.
 */
export interface BankState {
  bank: Bank
  listener: Listener
  transport: Transport
  body: string
  /** Notes that the alteration whose middleware runs showed itself. */
  fired(): void
}

export function stateOf(ctx: Pick<Context, 'state'>): BankState {
  return ctx.state as BankState
}
