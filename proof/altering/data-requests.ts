import type { Context, Middleware, Next } from 'koa'
import { aispPath } from '../../bank/listeners/endpoints.ts'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import type { DataEndpoint } from '../../bank/policies/data.ts'
import { stateOf } from '../../bank/state/state.ts'

type Json = Record<string, unknown>

const PATHS: [RegExp, DataEndpoint][] = [
  [/^\/accounts$/, 'accounts'],
  [/^\/accounts\/[^/]+$/, 'account'],
  [/^\/balances$/, 'balances'],
  [/^\/accounts\/[^/]+\/balances$/, 'account-balances'],
  [/^\/transactions$/, 'transactions'],
  [/^\/accounts\/[^/]+\/transactions$/, 'account-transactions'],
]

/** The data endpoint that a request calls; by default of the current request. */
export function endpointOf(ctx = currentRequest()): DataEndpoint | undefined {
  if (ctx?.method !== 'GET' || !ctx.path.startsWith(`${aispPath}/`)) return undefined
  const path = ctx.path.slice(aispPath.length)
  return PATHS.find(([pattern]) => pattern.test(path))?.[1]
}

/** The AccountId in the path; by default of the current request. */
export function askedAccount(ctx = currentRequest()): string | undefined {
  return ctx?.path.slice(aispPath.length).split('/')[2]
}

/** Does the current request have this date filter? */
export function filteredBy(name: 'fromBookingDateTime' | 'toBookingDateTime'): boolean {
  return currentRequest()?.query[name] !== undefined
}

/** Is it an endpoint of a single account? */
export function isSingle(endpoint: DataEndpoint | undefined): boolean {
  return endpoint?.startsWith('account-') === true || endpoint === 'account'
}

/** Changes the rows in successful answers of endpoints; undefined leaves them unchanged. */
export function rowsOf(
  endpoint: DataEndpoint | DataEndpoint[],
  change: (rows: Json[], ctx: Context) => Json[] | undefined,
): Middleware {
  return afterSuccess(endpoint, (ctx) => {
    const body = ctx.body as { Data: Record<string, Json[]> }
    const [name = '', rows = []] = Object.entries(body.Data)[0] ?? []
    const changed = change(rows, ctx)
    if (!changed) return false
    ctx.body = { ...body, Data: { [name]: changed } }
    return true
  })
}

/** Calls `act` for successful answers of endpoints; it returns false when it changed nothing. */
export function afterSuccess(
  endpoint: DataEndpoint | DataEndpoint[],
  act: (ctx: Context) => boolean,
): Middleware {
  const wanted: (DataEndpoint | undefined)[] = [endpoint].flat()
  return async (ctx: Context, next: Next) => {
    await next()
    if (!wanted.includes(endpointOf(ctx)) || ctx.status !== 200) return
    if (act(ctx)) stateOf(ctx).fired()
  }
}

/** Replaces the status of successful answers of endpoints. */
export function answersWith(endpoint: DataEndpoint | DataEndpoint[], status: number): Middleware {
  return afterSuccess(endpoint, (ctx) => {
    ctx.status = status
    return true
  })
}
