import { blockByEnvironment } from '../judge/outcome.ts'

export type Deadline = ReturnType<typeof createDeadline>

/**
 * The time after which a run sends nothing more to a bank; waiting for a person does not count.
 *
 * @param minutes absent: no limit.
 */
export function createDeadline(minutes = Number.POSITIVE_INFINITY) {
  /** In milliseconds of performance.now(), because other clocks may jump. */
  let end = performance.now() + minutes * 60_000
  let since: number | undefined
  return {
    /** @throws Blocked after the deadline. */
    admit() {
      if (since !== undefined || performance.now() < end) return
      blockByEnvironment(`the ${minutes} minutes of the run are over (--deadline)`)
    },
    /** Called with what is waited for before a wait, and without an argument after it. */
    waiting(what?: string) {
      const now = performance.now()
      if (what !== undefined) since ??= now
      else if (since !== undefined) {
        end += now - since
        since = undefined
      }
    },
    /** Removes the limit, so that what is left at the bank can be removed after the end. */
    lift() {
      end = Number.POSITIVE_INFINITY
    },
  }
}
