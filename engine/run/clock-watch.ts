import { now, onClockStep } from '../record/clock.ts'
import { span } from '../report/escape.ts'

/** Milliseconds. */
const BETWEEN = 1000

/** Has each step of the wall clock told as a note while a run goes on, and those that came before it. */
export function watchClock(note: (text: string) => void): { stop(): void } {
  onClockStep((step) => {
    const seconds = Math.round(Math.abs(step) / 1000)
    const words = `${span(seconds * 1000)} ${step > 0 ? 'forward' : 'back'}`
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
