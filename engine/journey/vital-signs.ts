import { Blocked } from '../judge/outcome.ts'
import type { Exchange } from '../wire/exchange.ts'

/** Requests in a row without any sign of the bank, after which it is asked whether it is there. */
const DOUBT = 3

/**
 * Notices that the bank is gone, so that a run ends soon instead of waiting for every time-out.
 * A single endpoint that hangs is no such thing: discovery still answers.
 */
export function createVitalSigns(probe: () => Promise<Exchange>) {
  let silent = 0
  let gone: string | undefined
  return {
    get gone(): boolean {
      return gone !== undefined
    },
    note({ response, failure }: Exchange): void {
      const nothing = failure?.kind === 'unreachable' || failure?.kind === 'timeout'
      silent = response || !nothing ? 0 : silent + 1
    },
    /**
     * Ends the check as blocked by the environment when the bank is gone. `suspected`: something just
     * had no answer, and whether that is the bank's doing shows in whether it answers anything.
     */
    async check(suspected = false): Promise<void> {
      let why = gone
      if (why === undefined && (suspected || silent >= DOUBT)) {
        const { response, failure } = await probe()
        if (response) silent = 0
        else why = failure?.message ?? 'no response'
        if (silent >= DOUBT) gone = why
      }
      if (why === undefined) return
      const what = `the bank does not answer any more: ${why}`
      throw new Blocked({ kind: 'environment', what }, what)
    },
  }
}
