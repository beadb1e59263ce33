import type { Finding } from '../judge/rule.ts'
import type { Seen } from '../wire/exchange.ts'

/** Tracks unknown facts of a request, and which judgements depend on them. */
export type Doubts = ReturnType<typeof createDoubts>

/**
 * If a client is judged by a party other than its bank, some of what a bank knows about a request is unknown. A
 * judgement that read such a fact does not count, whatever it is: there is no list of what each rule needs.
 */
export function createDoubts() {
  let unknown = false
  let untold = false
  const hide = (seen: Seen, name: keyof Seen, note: () => void) => {
    const get = () => {
      note()
      return undefined
    }
    // Not enumerable, so that code that writes down the known facts does not read it.
    Object.defineProperty(seen, name, { get, enumerable: false, configurable: true })
  }
  return {
    /** An unknown fact was read. */
    note: () => {
      unknown = true
    },
    /** Hides the unknown facts of a request. */
    hide(seen: Seen, names: Iterable<keyof Seen>): void {
      for (const name of names) {
        hide(seen, name, () => {
          unknown = true
        })
      }
    },
    /** The bank refused and its reason is not recorded: a rule that finds no fault might find one with the reason. */
    hideRefusal(seen: Seen): void {
      hide(seen, 'refusal', () => {
        untold = true
      })
    },
    /** Returns the judgement, or undefined if it does not count. */
    weighed(judge: () => Finding[] | undefined): Finding[] | undefined {
      unknown = false
      untold = false
      const findings = judge()
      if (unknown || (untold && findings?.length === 0)) return undefined
      return findings
    },
  }
}
