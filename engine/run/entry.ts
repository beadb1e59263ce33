/**
 * The one file that vitest runs for `assay run`: every check in scope becomes one of its tests, in
 * the order of the run. What judges knows nothing of it.
 */
import { afterAll, describe, inject, test } from 'vitest'
import { CHAPTERS } from '../catalogue/catalogue.ts'
import type { CheckResult } from '../report/report.ts'
import { openJudging } from './judging.ts'

declare module 'vitest' {
  interface ProvidedContext {
    assignment: string
  }
  interface TaskMeta {
    result?: CheckResult
  }
}

// Ctrl-C reaches every process of the terminal, and SIGTERM every one of a container; the one that
// supervises decides what follows.
const deaf = () => {}
process.on('SIGINT', deaf)
process.on('SIGTERM', deaf)
// Nobody waits for what follows: what is kept of the run is for the next one.
process.once('disconnect', () => process.exit(5))

const judging = await openJudging(JSON.parse(inject('assignment')))
const chapterOf = (id: string) => judging.catalogue.owners.get(id)?.chapter ?? CHAPTERS[0] ?? ''
let cancelled: string | undefined

for (const check of judging.checks) {
  describe(chapterOf(check.id), () => {
    test(`${check.id} ${check.title}`, { timeout: 0 }, async (context) => {
      context.signal.addEventListener('abort', () => {
        cancelled ??= 'the run was interrupted'
        judging.interrupt()
      })
      const result = await judging.judge(check)
      context.task.meta.result = result
      if (result.outcome === 'fail' || result.outcome === 'error') throw failure(result.message)
      if (result.outcome === 'blocked' || result.outcome === 'not-applicable') {
        context.skip(`${result.outcome}: ${result.message}`)
      }
    })
  })
}

afterAll(async () => {
  await judging.finish(cancelled)
  process.off('SIGTERM', deaf)
}, 0)

/** The place in our code says nothing of the bank. */
function failure(message: string): Error {
  const error = new Error(message)
  error.stack = message
  return error
}
