/**
 * Makes a vitest test of every check that a suite file defines, so that an editor can run it alone.
 * The command line does not come this way: see entry.ts.
 */
import { join } from 'node:path'
import { afterAll, inject, test } from 'vitest'
import { loadCatalogue } from '../catalogue/catalogue.ts'
import { root } from '../catalogue/root.ts'
import type { SuiteCheck } from '../journey/context.ts'
import { onCheck } from '../judge/check.ts'
import { targetFrom } from '../target/resolve.ts'
import { createRedactor } from '../wire/redaction.ts'
import { openSession } from './open.ts'
import { judgeOne } from './runner.ts'
import { loadRules } from './suites.ts'

declare module 'vitest' {
  interface ProvidedContext {
    target: string
  }
}

const { document, base } = JSON.parse(inject('target'))
const target = targetFrom(document, base)
const redactor = createRedactor(target.secrets)
const catalogue = loadCatalogue()
const session = loadRules(join(root, 'suites')).then((suites) =>
  openSession({ target, catalogue, suites }),
)

onCheck((check) => {
  test(`${check.id} ${check.title}`, async (context) => {
    const { result } = await judgeOne(check as unknown as SuiteCheck, await session, catalogue)
    const { outcome, message, expected, actual } = result
    const text = redactor.redactText(
      [message, expected && `expected ${expected}`, actual && `actual ${actual}`]
        .filter(Boolean)
        .join('\n'),
    )
    if (outcome === 'fail' || outcome === 'error') throw new Error(text)
    if (outcome === 'blocked' || outcome === 'not-applicable') context.skip(`${outcome}: ${text}`)
  })
})

afterAll(async () => {
  const opened = await session
  await opened.cleanUp()
  await opened.close()
}, 0)
