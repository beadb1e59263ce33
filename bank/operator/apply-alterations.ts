import type { Context, Middleware, Next } from 'koa'
import { correct, type Policies } from '../policies.ts'
import { stateOf } from '../state/state.ts'
import type { Alteration } from './alteration.ts'

/** Counts that an alteration took effect. */
export type Note = (id: string) => void

/** The correct policies, then those of `otherwise`, then the replacements of each alteration in order. */
export function alteredPolicies(
  alterations: Alteration[],
  note: Note,
  otherwise: Partial<Policies> = {},
): Policies {
  let policies: Policies = { ...correct, ...otherwise }
  for (const { id, policies: replace } of alterations) {
    if (!replace) continue
    policies = { ...policies, ...replace(policies, { fired: () => note(id) }) }
  }
  return policies
}

/** The middleware of every alteration; the first is the outermost. */
export function alteredMiddleware(alterations: Alteration[], note: Note): Middleware[] {
  return alterations.flatMap(({ id, middleware }) => {
    if (!middleware) return []
    const fired = () => note(id)
    return async (ctx: Context, next: Next) => {
      const state = stateOf(ctx)
      const outer = state.fired
      state.fired = fired
      try {
        await middleware(ctx, async () => {
          await next()
          state.fired = fired
        })
      } finally {
        state.fired = outer
      }
    }
  })
}
