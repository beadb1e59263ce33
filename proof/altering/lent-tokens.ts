import type { Context } from 'koa'
import { stateOf } from '../../bank/state/state.ts'

type Stored = ReturnType<ReturnType<typeof stateOf>['bank']['services']['records']['peek']>

/** An access token that a fault puts into requests with a worse token, or without one. */
export interface Lent {
  token: string
  /** The stored record, when it is a client token. */
  record: Stored
}

/** A token that gave access, to be lent later. */
export function lendable(ctx: Context, token: string): Lent {
  const { records } = stateOf(ctx).bank.services
  return { token, record: records.peek('ClientCredentials', token) }
}

/**
 * Puts a lent token into a request. If the bank has ended a client token meanwhile, for example because of a newer one,
 * it becomes valid again: the fault must not depend on which token is lent.
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
