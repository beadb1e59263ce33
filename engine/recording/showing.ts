import type { RuleState } from '../judge/rule-engine.ts'

/**
 * Selects the exchanges that are kept: the first that a rule could judge, and those that broke a rule.
 *
 * @returns whether the exchange that was just judged, and broke `broken`, is one of them
 */
export function createShowing(states: readonly RuleState[]) {
  const byId = new Map(states.map((state) => [state.id, state]))
  let pending = [...states]
  return (exchange: string, broken: readonly string[]): boolean => {
    const before = pending.length
    pending = pending.filter((state) => state.first === undefined)
    if (pending.length < before) return true
    return broken.some((rule) => byId.get(rule)?.violations.at(-1)?.exchange === exchange)
  }
}
