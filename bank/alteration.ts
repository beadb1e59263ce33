import type { Middleware } from 'koa'
import type { Policies } from './policies.ts'

/**
 * One way in which this bank differs from the correct default: the common shape of faults (wrong)
 * and variants (lawful). Both live in proof/; the bank only knows how to apply them.
 */
export interface Alteration {
  id: string
  /** How a real bank gets there. */
  story: string
  /**
   * Koa middleware around every listener's routes: rewrite the request before `next()`, the
   * response after it. `ctx.state.bank` is the Bank, `ctx.state.fired()` notes that the alteration
   * showed itself.
   */
  middleware?: Middleware
  /** Replaces named policies: each factory gets the correct one and the bank's own `fired`. */
  policies?: (correct: Policies, tools: AlterationTools) => Partial<Policies>
  /** Settings of the bank that are not behaviour of a single route: see bank/settings.ts. */
  settings?: Record<string, unknown>
}

export interface AlterationTools {
  /** Notes that the alteration showed itself in an exchange. */
  fired(): void
}
