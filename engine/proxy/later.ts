/** Milliseconds without anything new after which what waits is done, and for which it waits at most. */
const QUIET = 25
const LONGEST = 500

/**
 * Does things one after the other, in their order, once nothing new has come for a moment: whoever waits for an answer is
 * served first.
 *
 * @param onTrouble told of what throws; what waits behind it is done all the same
 */
export function openLater<Thing>(
  work: (thing: Thing) => Promise<void>,
  onTrouble: (error: Error) => void,
) {
  let waiting: Thing[] = []
  let since = 0
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> = Promise.resolve()

  const doAll = async () => {
    const due = waiting
    waiting = []
    for (const thing of due) {
      await work(thing).catch(onTrouble)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const begin = () => {
    clearTimeout(timer)
    timer = undefined
    working = working.then(doAll)
  }

  return {
    add(thing: Thing): void {
      if (waiting.length === 0) since = performance.now()
      waiting.push(thing)
      clearTimeout(timer)
      const left = LONGEST - (performance.now() - since)
      timer = setTimeout(begin, Math.max(0, Math.min(QUIET, left)))
    },
    /** Does all that waits. */
    async finish(): Promise<void> {
      begin()
      await working
    },
  }
}
