/**
 * The only file that vitest runs for `assay run`: every check in scope becomes one of its tests, in the order of the
 * run. The judging code does not depend on vitest.
 */
import { afterAll, describe, inject } from 'vitest'
import { CHAPTERS } from '../catalogue/catalogue.ts'
import { restartClock } from '../record/clock.ts'
import { SIGNALS } from '../record/signals.ts'
import { addTest } from './check-test.ts'
import { type Assignment, openJudging } from './judging-process.ts'

declare module 'vitest' {
  interface ProvidedContext {
    assignment: string
  }
}

// Ctrl-C reaches every process of the terminal, and SIGTERM every process of a container; the supervising process
// decides what follows.
const deaf = () => {}
for (const signal of SIGNALS) process.on(signal, deaf)
// The parent is gone and nobody waits for a result: what is saved of the run is for the next one.
process.once('disconnect', () => process.exit(5))

const assignment: Assignment = JSON.parse(inject('assignment'))
restartClock(assignment.clock)
const judging = await openJudging(assignment)
const chapterOf = (id: string) => judging.catalogue.owners.get(id)?.chapter ?? CHAPTERS[0] ?? ''
let cancelled: string | undefined

for (const check of judging.checks) {
  describe(chapterOf(check.id), () => {
    addTest(check, (context) => {
      context.signal.addEventListener('abort', () => {
        cancelled ??= 'the run was interrupted'
        judging.interrupt()
      })
      return judging.judge(check)
    })
  })
}

afterAll(async () => {
  await judging.finish(cancelled)
  process.off('SIGTERM', deaf)
}, 0)
