/** Work begins after this many milliseconds without anything new (QUIET), but never later than LONGEST. */
const QUIET = 25
const LONGEST = 500

/**
 * Does work in order, when nothing new has arrived for a moment, so that answers to clients come first.
 *
 * @param onTrouble called with an error; the work after it is still done
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
    /** Does all waiting work. */
    async finish(): Promise<void> {
      begin()
      await working
    },
  }
}
