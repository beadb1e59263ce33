/**
 * The one file that vitest runs for `assay run`: every check in scope becomes one of its tests, in
 * the order of the run. What judges knows nothing of it.
 */
import { afterAll, describe, inject } from 'vitest'
import { CHAPTERS } from '../catalogue/catalogue.ts'
import { restartClock } from '../record/clock.ts'
import { addTest } from './check-test.ts'
import { type Assignment, openJudging } from './judging-process.ts'

declare module 'vitest' {
  interface ProvidedContext {
    assignment: string
  }
}

// Ctrl-C reaches every process of the terminal, and SIGTERM every one of a container; the one that
// supervises decides what follows.
const deaf = () => {}
process.on('SIGINT', deaf)
process.on('SIGTERM', deaf)
process.on('SIGHUP', deaf)
// Nobody waits for what follows: what is kept of the run is for the next one.
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
