import type { RuleEngine } from '../judge/rule-engine.ts'
import type { Exchange } from '../wire/exchange.ts'
import { meanwhile } from '../wire/meanwhile.ts'

/** Maximum body size in bytes for which judging takes no time that a request would notice. */
const SMALL = 64 * 1024

/**
 * Lets the rules judge each exchange while the bank handles the next request, at the latest when a result is read. So
 * every reader sees the result of all exchanges so far.
 */
export function rulesMeanwhile(engine: RuleEngine) {
  let waiting: { exchange: Exchange; broken: string[] }[] = []
  let trouble: unknown

  const judgeWaiting = () => {
    const due = waiting
    waiting = []
    for (const each of due) {
      try {
        each.broken = engine.judge(each.exchange)
      } catch (error) {
        trouble ??= error
      }
    }
  }

  return {
    /**
     * Takes an exchange, and returns a function that gives the ids of the rules that it breaks.
     *
     * @throws what a rule threw for an earlier exchange: a fault of Assay.
     */
    judge(exchange: Exchange): () => readonly string[] {
      const one: { exchange: Exchange; broken: string[] } = { exchange, broken: [] }
      if (waiting.length === 0) meanwhile(judgeWaiting)
      waiting.push(one)
      if ((exchange.response?.bytes ?? 0) > SMALL) judgeWaiting()
      const raised = trouble
      trouble = undefined
      if (raised !== undefined) throw raised
      return () => {
        judgeWaiting()
        return one.broken
      }
    },
    /** What the bank has said about itself so far. */
    get bank() {
      judgeWaiting()
      return engine.bank
    },
    states() {
      judgeWaiting()
      return engine.states()
    },
    observations() {
      judgeWaiting()
      return engine.observations()
    },
  }
}
