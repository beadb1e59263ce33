import { type TestContext, test } from 'vitest'
import type { CheckResult } from '../report/report.ts'

declare module 'vitest' {
  interface TaskMeta {
    result?: CheckResult
  }
}

/**
 * Makes a vitest test from a check or rule: a failed one fails, and one that could not be judged is skipped with the
 * reason. Its redacted result goes with the test to every reporter; `tell` informs one more.
 */
export function addTest(
  { id, title }: { id: string; title: string },
  judge: (context: TestContext) => Promise<CheckResult>,
  tell: (result: CheckResult) => Promise<void> = async () => {},
): void {
  const { stack = '' } = new Error()
  const frame = stack.split('\n').find((line) => /\.(check|rule)\.[jt]s/.test(line)) ?? ''
  // Waiting for a person must not end a check; requests have their own time-outs.
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

/** The stack points to the check: where the engine noticed the failure says nothing about the bank. */
function failure({ outcome, message, expected, actual }: CheckResult, frame: string): Error {
  const wanted = expected === undefined ? '' : `\nexpected ${expected}`
  const found = actual === undefined ? '' : `\nactual   ${actual}`
  const error = new Error(message + wanted + found)
  // Reporters use the name to tell a wrong bank from a wrong suite.
  if (outcome === 'fail') error.name = 'AssertionError'
  error.stack = `${error.name}: ${error.message}\n${frame}`
  return error
}
