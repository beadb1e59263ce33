import { now, onClockStep } from '../record/clock.ts'
import { span } from '../report/escape.ts'

/** Milliseconds. */
const BETWEEN = 1000

/** Has each step of the wall clock told as a note while a run goes on, and those that came before it. */
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
