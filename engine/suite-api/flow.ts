import { type Step, requireValue as valueOfStep } from '../client-session/step-owners.ts'
import { answerOf } from '../judge/answer-words.ts'
import { noteControl } from '../judge/controls.ts'

export type { CallDeviation, Caller } from '../client-session/caller.ts'
export { standsStillFor, untilTimeHasMoved } from '../client-session/status-times.ts'
export { requireExchange } from '../client-session/step-owners.ts'
export { grantsBoth, refreshed, type TokenSet, tokensOf } from '../client-session/tokens.ts'
export { type Visit, type VisitOptions, visitEnd } from '../client-session/visit.ts'

/**
 * The value of a step. The step's exchange becomes the control of a negative test that follows.
 *
 * @throws Blocked by the step's owner where there is no value.
 */
export function requireValue<T>(step: Step<T>): T {
  const value = valueOfStep(step)
  const { exchange } = step
  if (exchange) {
    const summary = `${exchange.request.method} ${exchange.endpoint}: ${answerOf(exchange)}`
    noteControl({ exchange, summary })
  }
  return value
}
