import { beforeAll, describe, expect, test } from 'vitest'
import {
  mustFigures,
  scopeWords,
  testedMusts,
  verdictSentence,
} from '../../engine/report/counts.ts'
import { type BankName, type Recording, recorded } from '../report/recorded.ts'

const NAMES: BankName[] = ['correct', 'faulty', 'known', 'selected', 'core']
const runs = new Map<BankName, Recording>()
const run = (name: BankName) => runs.get(name) as Recording

beforeAll(async () => {
  for (const name of NAMES) runs.set(name, await recorded(name))
}, 300_000)

describe.each(NAMES)('%s', (name) => {
  test('every must in scope is counted once', () => {
    const { report } = run(name)
    const musts = report.requirements.filter(({ level }) => level === 'must')
    const figures = mustFigures(report)
    expect(figures.reduce((sum, { n }) => sum + n, 0)).toBe(musts.length)
    expect(testedMusts(report) + report.musts.notTested).toBe(musts.length)
  })

  test('every check and rule is counted once, and stands in one requirement', () => {
    const { report } = run(name)
    const total = Object.values(report.summary).reduce((sum, n) => sum + n, 0)
    expect(total).toBe(report.checks.length)
    expect(report.scope.checks).toBe(report.checks.length)
    expect(report.scope.requirements).toBe(report.requirements.length)
    const listed = report.requirements.flatMap(({ checks }) => checks)
    expect(listed.sort()).toEqual(report.checks.map(({ id }) => id).sort())
  })

  test('what a selection leaves out is counted in one place, and nowhere else', () => {
    const { report } = run(name)
    const { report: whole } = run('correct')
    expect(report.scope.checks + report.scope.leftOut).toBe(whole.checks.length)
    expect(report.summary.notRun).toBe(0)
    expect(report.musts.notRun).toBe(0)
  })

  test('every finding has one cause, and so has everything that is blocked', () => {
    const { checks, causes } = run(name).report
    const of = (...outcomes: string[]) =>
      checks.flatMap(({ id, outcome }) => (outcomes.includes(outcome) ? [id] : [])).sort()
    expect(causes.flatMap(({ findings }) => findings).sort()).toEqual(of('fail', 'warn', 'error'))
    expect(causes.flatMap(({ blocks }) => blocks).sort()).toEqual(of('blocked'))
  })
})

test('words, verdict and exit code of a selection agree', () => {
  const { report } = run('selected')
  expect([report.verdict, report.exitCode]).toEqual(['conformant', 0])
  expect(verdictSentence(report)).toMatch(/^(\d+) musts with a test: \1 passed\.$/)
  const all = run('correct').report.checks.length
  expect(scopeWords(report)).toMatch(/^full, only TXN-17\/to-alone ACC-05: \d+ of /)
  expect(scopeWords(report)).toContain(`${report.checks.length} of ${all} checks`)
  const many = { ...report, scope: { ...report.scope, only: [...'abcdefgh'] } }
  expect(scopeWords(many)).toMatch(/^full, only a b c and 5 more: /)
})

test('a bank whose every failure is known conforms, also where a failure keeps others from being judged', () => {
  const { report } = run('known')
  expect(report.musts.known).toBeGreaterThan(0)
  expect(report.summary.blocked).toBeGreaterThan(0)
  expect([report.verdict, report.exitCode]).toEqual(['conformant', 0])
})

test('one gateway without mutual TLS is one cause', () => {
  const { causes } = run('faulty').report
  const cause = causes.find(({ findings }) => findings.includes('SEC-01/no-certificate'))
  expect(cause).toMatchObject({
    whose: 'bank',
    findings: ['REG-01/no-certificate', 'SEC-01/no-certificate', 'SEC-02/no-certificate'],
  })
})
