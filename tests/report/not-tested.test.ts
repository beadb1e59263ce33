import { describe, expect, test } from 'vitest'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { allureResults } from '../../engine/report/allure.ts'
import { ctrf } from '../../engine/report/ctrf.ts'
import { stepSummary } from '../../engine/report/github.ts'
import { html } from '../../engine/report/html/page.ts'
import { junit } from '../../engine/report/junit.ts'
import type { Report } from '../../engine/report/report.ts'
import { composeReport } from '../../engine/run/compose.ts'

const catalogue = loadCatalogue()

/** The report of a run that judged nothing, over the real catalogue. */
function reportOf(only: string[]): Report {
  return composeReport({
    version: '0.0.0',
    target: { name: 'nobody', configurationDigest: '' },
    scope: { profile: 'full', only },
    startedAt: new Date(0),
    finishedAt: new Date(1),
    catalogue,
    results: new Map(),
    requests: 0,
    evidence: new Map(),
    redact: (text) => text,
  })
}

const untested = [...catalogue.requirements.values()].filter(
  ({ level, notTested }) => level === 'must' && notTested !== undefined,
)

/** Letters and digits: whatever an output does to signs. */
const letters = (text: string) =>
  text
    .replace(/&#?\w+;/g, '')
    .replace(/\\u[0-9a-f]{4}/g, '')
    .replace(/[^A-Za-z0-9]/g, '')

describe('a must that no check tests is named with its reason', () => {
  const report = reportOf([])
  const environment = allureResults(report, []).get('environment.properties') ?? ''
  test.each([
    ['report.html', html(report, [])],
    ['junit.xml', junit(report, [])],
    ['ctrf.json', ctrf(report, [])],
    ['step-summary.md', stepSummary(report, [])],
    ['allure-results/', environment],
  ])('in %s', (_, content) => {
    const said = letters(content)
    const missing = untested.filter(
      ({ id, notTested = '' }) => !said.includes(letters(id)) || !said.includes(letters(notTested)),
    )
    expect(untested.length).toBeGreaterThan(5)
    expect(missing.map(({ id }) => id)).toEqual([])
  })

  test('when its chapter is in scope, and not when another one is', () => {
    const ids = (only: string[]) => reportOf(only).requirements.map(({ id }) => id)
    const one = untested.find(({ chapter }) => chapter.endsWith('/products'))
    expect(ids(['products'])).toContain(one?.id)
    expect(ids(['must'])).toContain(one?.id)
    expect(ids(['accounts'])).not.toContain(one?.id)
  })
})
