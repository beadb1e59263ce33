import { describe, expect, test } from 'vitest'
import {
  littleJudged,
  scopeWords,
  verdictHeadline,
  verdictSentence,
} from '../../engine/report/counts.ts'
import type { Report } from '../../engine/report/report.ts'
import { smallReport } from '../doors/small-run.ts'

const NONE = {
  ...{ judged: 0, passed: 0, failed: 0, known: 0, blocked: 0, excused: 0 },
  ...{ notRun: 0, error: 0, notApplicable: 0, notTested: 0 },
}
const { recording: _, ...run } = smallReport
const report = (musts: Partial<Report['musts']>, over: Partial<Report> = {}): Report => {
  return { ...run, ...over, musts: { ...NONE, ...musts } }
}

test.each([
  [
    { passed: 212, failed: 1, notTested: 10 },
    '213 musts with a test: 212 passed, 1 failed; 10 more have no test.',
  ],
  [{ passed: 0, failed: 1 }, '1 must with a test: 0 passed, 1 failed.'],
  [{ passed: 1, notTested: 1 }, '1 must with a test: 1 passed; 1 more has no test.'],
  [{ blocked: 15, notRun: 159 }, 'No must was judged: 15 could not be judged, 159 not run.'],
  [{}, 'No must was judged.'],
])('the parts of the sentence add up to its number: %o', (musts, sentence) => {
  expect(verdictSentence(report(musts))).toBe(sentence)
})

test('a run that was kept from judging says how little it judged', () => {
  expect(littleJudged(report({}, { checks: [] }))).toBe('Nothing was judged')
  expect(littleJudged(report({ blocked: 1 }))).toBe('No must was judged')
  expect(littleJudged(report({ passed: 1 }))).toBe('The run ended before most was judged')
})

describe('a client', () => {
  const { partial: _p, preflight: _f, ...whole } = run
  const scope = { ...run.scope, profile: 'full' as const, only: [] as string[], leftOut: 0 }
  const target = { ...run.target, side: 'TPP' as const }
  const certified: Report = { ...whole, target, scope, verdict: 'conformant', exitCode: 0 }

  test('is certified by scenarios, which have no profiles', () => {
    expect(scopeWords(certified)).toBe('every scenario')
    const some = { ...certified, scope: { ...scope, only: ['TTOK-05'], checks: 3, leftOut: 207 } }
    expect(scopeWords(some)).toBe('only TTOK-05: 3 of 210 scenarios and rules')
  })

  test('that is only watched has no verdict', () => {
    const checks = run.checks.map((check) => ({
      ...check,
      kind: 'rule' as const,
      outcome: 'pass' as const,
    }))
    const none = { ...run.musts, failed: 0 }
    const partial = 'a watch shows what was sent, and no scenario was played'
    const verdict = 'incomplete' as const
    const watched: Report = { ...certified, verdict, exitCode: 4, musts: none, checks, partial }
    expect(scopeWords(watched)).toBe('its requests, without a scenario')
    expect(verdictHeadline(watched)).toBe('nothing broken seen')
    expect(verdictHeadline({ ...watched, musts: { ...none, failed: 1 } })).toBe('1 must broken')
  })
})
