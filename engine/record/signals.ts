/** Signals that ask a program to end: Ctrl-C, a process manager (a pipeline, a container), a lost terminal. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Milliseconds in which further signals are part of the first: a container or a session may send several to all. */
const AT_ONCE = 1000

/**
 * Calls a function when the program is asked to end, and another one each time it is asked again; by default that ends
 * it at once. A second Ctrl-C always counts, because a person presses it.
 *
 * @returns a function that stops listening
 */
export function onEnd(first: () => void, again: () => void = () => process.exit(130)): () => void {
  let since: number | undefined
  const listener = (signal: NodeJS.Signals) => {
    if (since === undefined) {
      since = performance.now()
      return first()
    }
    if (signal === 'SIGINT' || performance.now() - since > AT_ONCE) again()
  }
  for (const signal of SIGNALS) process.on(signal, listener)
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener)
  }
}
