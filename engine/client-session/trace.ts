import { AsyncLocalStorage } from 'node:async_hooks'
import type { Exchange } from '../wire/exchange.ts'

/** What happens on behalf of one check or step: its id and its exchanges. */
export interface Trace {
  check: string
  exchanges: Exchange[]
  /** Approvals that were used. */
  approvals: Set<string>
}

const brokenBy = new WeakMap<Exchange, () => readonly string[]>()

/** @param rules returns the ids of the rules that the exchange broke. */
export function noteBroken(exchange: Exchange, rules: () => readonly string[]): void {
  brokenBy.set(exchange, rules)
}

/**
 * Ids of the rules that an exchange broke: a check that cannot read an answer because it breaks a rule is blocked by
 * that rule.
 */
export function rulesBrokenBy(exchange: Exchange): readonly string[] {
  return brokenBy.get(exchange)?.() ?? []
}

/** The last rule that an exchange of the trace broke. */
export function lastBroken({ exchanges }: Trace): string | undefined {
  return exchanges.flatMap(rulesBrokenBy).at(-1)
}

const storage = new AsyncLocalStorage<Trace>()

/** Runs something on behalf of a check or step; the trace records all that it sends. */
export function traced<T>(check: string, run: (trace: Trace) => Promise<T>): Promise<T> {
  const trace: Trace = { check, exchanges: [], approvals: new Set() }
  return storage.run(trace, () => run(trace))
}

export function currentTrace(): Trace | undefined {
  return storage.getStore()
}
