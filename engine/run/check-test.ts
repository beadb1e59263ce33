import { type TestContext, test } from 'vitest'
import type { CheckResult } from '../report/report.ts'

declare module 'vitest' {
  interface TaskMeta {
    result?: CheckResult
  }
}

/**
 * Makes a vitest test of a check or rule: what failed fails, what could not be judged is skipped and
 * says why. Its result, redacted, goes with the test to every reporter; `tell` tells one of more.
 */
export function addTest(
  { id, title }: { id: string; title: string },
  judge: (context: TestContext) => Promise<CheckResult>,
  tell: (result: CheckResult) => Promise<void> = async () => {},
): void {
  const { stack = '' } = new Error()
  const frame = stack.split('\n').find((line) => /\.(check|rule)\.[jt]s/.test(line)) ?? ''
  // Waiting for a person must not end a check; what is sent has time-outs of its own.
  test(`${id} ${title}`, { timeout: 0 }, async (context) => {
    const result = await judge(context)
    context.task.meta.result = result
    await tell(result)
    const { outcome } = result
    if (outcome === 'fail' || outcome === 'error') throw failure(result, frame)
    if (outcome === 'blocked' || outcome === 'not-applicable' || outcome === 'not-run') {
      context.skip(`${outcome}: ${result.message}`)
    }
  })
}

/** The place to look at is that of the check: where the engine noticed says nothing of the bank. */
function failure({ outcome, message, expected, actual }: CheckResult, frame: string): Error {
  const wanted = expected === undefined ? '' : `\nexpected ${expected}`
  const found = actual === undefined ? '' : `\nactual   ${actual}`
  const error = new Error(message + wanted + found)
  // By the name reporters tell a bank that is wrong from a suite that is.
  if (outcome === 'fail') error.name = 'AssertionError'
  error.stack = `${error.name}: ${error.message}\n${frame}`
  return error
}
