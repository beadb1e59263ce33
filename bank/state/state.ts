import type { Context } from 'koa'
import type { Listener } from '../listeners/endpoints.ts'
import type { SeenRefusal } from '../listeners/refusals.ts'
import type { Transport } from '../policies/access.ts'
import type { Bank } from '../running-bank.ts'

/**
 * What middleware finds in `ctx.state`.
 *
 * `body` is the request body as text, read before any alteration runs. Change it before `next()`, and all later code,
 * including the authorisation server, gets the new one. `ctx.query`, `ctx.querystring`, `ctx.path`, `ctx.method` and
 * `ctx.req.headers` can be changed in the same way. After `next()` the answer is in `ctx.status`, `ctx.body` (a value,
 * not yet text) and the response headers.
 */
export interface BankState {
  bank: Bank
  listener: Listener
  transport: Transport
  body: string
  /** Why the request is refused, in the bank's own words; absent while it is not refused. */
  refusal?: SeenRefusal
  /** Alterations that took effect while the request was served. */
  firedIds?: Set<string>
  /** Notes that the alteration whose middleware runs took effect. */
  fired(): void
}

export function stateOf(ctx: Pick<Context, 'state'>): BankState {
  return ctx.state as BankState
}
