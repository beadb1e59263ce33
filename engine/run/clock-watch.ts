import { now, onClockStep } from '../record/clock.ts'
import { span } from '../report/escape.ts'

/** Interval in milliseconds. */
const BETWEEN = 1000

/** Reports each step of the wall clock as a note during a run, including earlier steps. */
export function watchClock(note: (text: string) => void): { stop(): void } {
  onClockStep(({ milliseconds, followed }) => {
    if (followed) {
      note('The time of the bank agrees with the clock as it was set: the run goes on by it.')
      return
    }
    const seconds = Math.round(Math.abs(milliseconds) / 1000)
    const words = `${span(seconds * 1000)} ${milliseconds > 0 ? 'forward' : 'back'}`
    note(`The clock of this machine was set ${words}: the run goes on by the time of before.`)
  })
  const timer = setInterval(now, BETWEEN).unref()
  return {
    stop() {
      now()
      clearInterval(timer)
    },
  }
}
