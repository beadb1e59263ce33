import { expect, test } from 'vitest'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { doubts } from '../../engine/report/doubts.ts'
import type { CheckResult } from '../../engine/report/report.ts'
import { owners } from '../../suites/owners.ts'

const result = (id: string, outcome: CheckResult['outcome'], message = '') =>
  ({ id, outcome, message, exchanges: [] }) as unknown as CheckResult

const EXPIRED = 'CLC-16/data-refused'
const LATER = 'CLC-16/refresh-gives-no-data'
const hooks = {
  of: new Map([
    [EXPIRED, ['consent-expired'] as const],
    [LATER, ['consent-expired'] as const],
    ['CLC-18/data-refused', ['ninety-days-passed'] as const],
  ]),
  shownBy: owners.facts,
}
const SPELLED = 'SchemeName is "UK.OBIE.PAN": it must be spelled as literals.panScheme says'

test.each([
  ['no check has shown that the hook works', [result(EXPIRED, 'fail')], 'either'],
  [
    'one that needs it passes, which shows nothing',
    [result(EXPIRED, 'fail'), result(LATER, 'pass')],
    'either',
  ],
  ['the hook works', [result(LATER, 'fail'), result(EXPIRED, 'pass')], undefined],
  [
    'another hook works',
    [result('CLC-18/data-refused', 'fail'), result(EXPIRED, 'pass')],
    'either',
  ],
  ['no hook is needed', [result('ACC-01/answers-200', 'fail', '404')], undefined],
  ['a literal of the target file', [result('ACC-08/pan-scheme', 'fail', SPELLED)], 'either'],
  [
    'one of two findings stands without it',
    [result('ACC-08/pan-scheme', 'fail', SPELLED), result('ACC-01/answers-200', 'fail')],
    undefined,
  ],
])('%s', (_words, checks, whose) => {
  const findings = checks.filter(({ outcome }) => outcome === 'fail')
  expect(doubts(checks, hooks)(findings)?.whose).toBe(whose)
})

test('each hook is shown by checks of the suites', () => {
  const known = loadCatalogue().owners
  for (const checks of Object.values(owners.facts)) {
    expect(checks.length).toBeGreaterThan(0)
    expect(checks.filter((id) => !known.has(id))).toEqual([])
  }
})
