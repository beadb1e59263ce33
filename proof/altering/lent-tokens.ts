import type { Context } from 'koa'
import { stateOf } from '../../bank/state/state.ts'

type Stored = ReturnType<ReturnType<typeof stateOf>['bank']['services']['records']['peek']>

/** An access token that a fault lends to requests with a worse one, or none. */
export interface Lent {
  token: string
  /** What was stored of it, where it is a client's own. */
  record: Stored
}

/** A token that has opened something, to be lent later. */
export function lendable(ctx: Context, token: string): Lent {
  const { records } = stateOf(ctx).bank.services
  return { token, record: records.peek('ClientCredentials', token) }
}

/**
 * Puts a lent token into a request. A client's own lives on where the bank has ended it meanwhile, as by a
 * newer one: what is wrong with such a bank doesn't depend on which token it lends.
 */
export async function lend(ctx: Context, { token, record }: Lent): Promise<void> {
  const { records } = stateOf(ctx).bank.services
  const now = Math.floor(Date.now() / 1000)
  const left = (records.peek('ClientCredentials', token)?.exp ?? 0) - now
  if (record && left <= 0) {
    await records.adapter('ClientCredentials').upsert(token, { ...record, exp: now + 60 }, 60)
  }
  ctx.req.headers.authorization = `Bearer ${token}`
}
