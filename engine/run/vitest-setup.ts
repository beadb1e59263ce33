/**
 * Makes a vitest test from every check and rule that a suite file defines. vitest runs this before each of the files.
 * The command line does not use this: see entry.ts.
 */
import { afterAll, expect, inject } from 'vitest'
import { handRulesTo } from '../judge/rule.ts'
import { handChecksTo } from '../suite-api/check.ts'
import { addTest } from './check-test.ts'
import { finalResult, finish, isOver, judgeShared } from './shared-judging.ts'
import { tellAllure } from './tell-allure.ts'

handChecksTo((check) => {
  addTest(check, ({ signal }) => judgeShared(check.id, signal), tellAllure)
})

handRulesTo((rule) => {
  addTest(rule, () => finalResult(rule), tellAllure)
})

const file = expect.getState().testPath

afterAll(async () => {
  if (file === inject('selection').last || (await isOver())) await finish()
}, 0)
