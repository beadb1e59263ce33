import { Blocked } from '../judge/outcome.ts'

/** When a run asks nothing more of a bank; waiting for a person does not count. */
export interface Deadline {
  /** @throws Blocked once the time is over. */
  admit(): void
  /** Told before a wait with what is waited for, and without it after. */
  waiting(what?: string): void
  /** What is left at the bank may be removed after the end. */
  lift(): void
}

/** @param minutes absent: there is no end. */
export function createDeadline(minutes = Number.POSITIVE_INFINITY): Deadline {
  /** Milliseconds, on the clock of performance.now(): other clocks may jump. */
  let end = performance.now() + minutes * 60_000
  let since: number | undefined
  return {
    admit() {
      if (since !== undefined || performance.now() < end) return
      const what = `the ${minutes} minutes of the run are over (--deadline)`
      throw new Blocked({ kind: 'environment', what }, what)
    },
    waiting(what) {
      const now = performance.now()
      if (what !== undefined) since ??= now
      else if (since !== undefined) {
        end += now - since
        since = undefined
      }
    },
    lift() {
      end = Number.POSITIVE_INFINITY
    },
  }
}
