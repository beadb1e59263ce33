import type { Context } from 'koa'
import { Refused } from '../listeners/refusals.ts'
import type { Services } from '../state/services.ts'

/** Counts, per client, the data requests within the window that were sent without the customer present. */
export interface Limiter {
  /** Counts the request, or refuses it. */
  admit(ctx: Context, clientId: string): void
}

export function createLimiter({
  policies,
  settings,
}: Pick<Services, 'policies' | 'settings'>): Limiter {
  const seen = new Map<string, number[]>()
  return {
    admit(ctx, clientId) {
      if (policies.customerPresent(ctx.headers)) return
      const { rateLimit } = settings
      const start = Date.now() - rateLimit.window * 1000
      const recent = (seen.get(clientId) ?? []).filter((instant) => instant > start)
      if (policies.limitReached(recent.length, rateLimit)) throw new Refused('rate-limit')
      seen.set(clientId, [...recent, Date.now()])
    },
  }
}
