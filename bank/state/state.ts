import type { Context } from 'koa'
import type { Listener } from '../listeners/endpoints.ts'
import type { SeenRefusal } from '../listeners/refusals.ts'
import type { Transport } from '../policies/access.ts'
import type { Bank } from '../running-bank.ts'

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
  /** Why the request is refused, in the bank's own words; absent while it is not. */
  refusal?: SeenRefusal
  /** Alterations that showed themselves while the request was served. */
  firedIds?: Set<string>
  /** Notes that the alteration whose middleware runs showed itself. */
  fired(): void
}

export function stateOf(ctx: Pick<Context, 'state'>): BankState {
  return ctx.state as BankState
}
