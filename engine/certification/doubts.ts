import type { Finding } from '../judge/rule.ts'
import type { Seen } from '../wire/exchange.ts'

/** Facts of a request that nobody told, and what judgements rest on them. */
export type Doubts = ReturnType<typeof createDoubts>

/**
 * Where a client is judged by somebody who is not its bank, some of what a bank knows of a request is unknown. A judgement
 * that read such a fact does not count, whatever it says: no list says what each rule needs.
 */
export function createDoubts() {
  let unknown = false
  let untold = false
  const hide = (seen: Seen, name: keyof Seen, note: () => void) => {
    const get = () => {
      note()
      return undefined
    }
    // Not enumerable: who writes down what is known reads nothing of it.
    Object.defineProperty(seen, name, { get, enumerable: false, configurable: true })
  }
  return {
    /** Something that nobody told was read. */
    note: () => {
      unknown = true
    },
    /** What is unknown of a request. */
    hide(seen: Seen, names: Iterable<keyof Seen>): void {
      for (const name of names) {
        hide(seen, name, () => {
          unknown = true
        })
      }
    },
    /** The bank refused, and did not say why: a rule that finds nothing wrong might, had it been told. */
    hideRefusal(seen: Seen): void {
      hide(seen, 'refusal', () => {
        untold = true
      })
    },
    /** What a judgement is worth. */
    weighed(judge: () => Finding[] | undefined): Finding[] | undefined {
      unknown = false
      untold = false
      const findings = judge()
      if (unknown || (untold && findings?.length === 0)) return undefined
      return findings
    },
  }
}
