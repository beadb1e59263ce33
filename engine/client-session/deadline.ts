import { blockByEnvironment } from '../judge/outcome.ts'

export type Deadline = ReturnType<typeof createDeadline>

/**
 * When a run asks nothing more of a bank; waiting for a person does not count.
 *
 * @param minutes absent: there is no end.
 */
export function createDeadline(minutes = Number.POSITIVE_INFINITY) {
  /** Milliseconds, on the clock of performance.now(): other clocks may jump. */
  let end = performance.now() + minutes * 60_000
  let since: number | undefined
  return {
    /** @throws Blocked once the time is over. */
    admit() {
      if (since !== undefined || performance.now() < end) return
      blockByEnvironment(`the ${minutes} minutes of the run are over (--deadline)`)
    },
    /** Told before a wait with what is waited for, and without it after. */
    waiting(what?: string) {
      const now = performance.now()
      if (what !== undefined) since ??= now
      else if (since !== undefined) {
        end += now - since
        since = undefined
      }
    },
    /** What is left at the bank may be removed after the end. */
    lift() {
      end = Number.POSITIVE_INFINITY
    },
  }
}
