import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from 'koa'

const storage = new AsyncLocalStorage<Context>()

/** Runs `work` as part of the request. */
export function within<Result>(ctx: Context, work: () => Result): Result {
  return storage.run(ctx, work)
}

/** The current request, for policies that do not get it as a parameter, such as `stored`. */
export function currentRequest(): Context | undefined {
  return storage.getStore()
}
