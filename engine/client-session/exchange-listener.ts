import type { RuleEngine } from '../judge/rule-engine.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { createCleanup } from './cleanup.ts'
import type { IssuedTokens } from './issued-tokens.ts'
import type { ResumableRun } from './resume-run.ts'
import { currentTrace, noteBroken } from './trace.ts'

/** What becomes of each exchange of a session, once it is there. */
export function createExchangeListener(parts: {
  ruleEngine: RuleEngine
  leftovers: ReturnType<typeof createCleanup>
  issued: IssuedTokens
  resumable?: ResumableRun
  /** Sees every exchange, once it has been judged. */
  onExchange?: (exchange: Exchange) => void
}) {
  const { ruleEngine, leftovers, issued, resumable, onExchange } = parts
  return {
    /** Notes who sent it, and has the rules judge it. */
    heed(exchange: Exchange): void {
      const trace = currentTrace()
      if (trace) {
        exchange.about.check ??= trace.check
        trace.exchanges.push(exchange)
      }
      leftovers.note(exchange)
      issued.note(exchange)
      const broken = ruleEngine.judge(exchange)
      noteBroken(exchange, broken)
      trace?.broken.push(...broken)
      resumable?.exchange(exchange)
      onExchange?.(exchange)
    },
    /** The rules judge what an interrupted run sent as they judge the rest. */
    heedEarlier(exchange: Exchange): void {
      leftovers.note(exchange)
      issued.note(exchange)
      noteBroken(exchange, ruleEngine.judge(exchange))
      onExchange?.(exchange)
    },
  }
}
