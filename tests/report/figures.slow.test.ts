import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { SaxesParser } from 'saxes'
import { beforeAll, describe, expect, test } from 'vitest'
import { consoleSummary } from '../../engine/report/console-summary.ts'
import { ctrf } from '../../engine/report/ctrf.ts'
import { stepSummary } from '../../engine/report/github.ts'
import { html } from '../../engine/report/html/page.ts'
import { junit } from '../../engine/report/junit.ts'
import type { CheckResult, Outcome } from '../../engine/report/report.ts'
import { type BankName, type Recording, recorded } from './recorded.ts'

const NAMES: BankName[] = [
  'correct',
  'faulty',
  'known',
  'selected',
  'core',
  'quick',
  'interrupted',
  'every',
]
const runs = new Map<BankName, Recording>()
beforeAll(async () => {
  for (const name of NAMES) runs.set(name, await recorded(name))
}, 300_000)

/** What one output says of a run. */
interface Said {
  /** “212 musts with a test: 212 passed; 10 more have no test.” */
  musts?: string
  /** How many checks and rules ended so. */
  outcomes?: Record<string, number>
  checks?: number
  requests?: number
  visits?: number
  approvals?: number
}

const number = (text: string | undefined) => Number(text?.replaceAll(',', ''))

/** `528 pass · 39 observed`. */
function outcomesIn(text: string): Record<string, number> {
  const words = text.matchAll(
    /([\d,]+) (pass|error|fail|blocked|not-run|warn|observed|not-applicable)\b/g,
  )
  return Object.fromEntries([...words].map(([, n, word = '']) => [word, number(n)]))
}

function terminal({ report, exchanges }: Recording): Said {
  const text = consoleSummary(report, exchanges, { width: 10_000 })
  const [, outcomes = '', checks] = /^(.*) of ([\d,]+) checks and rules$/m.exec(text) ?? []
  const [, requests, visits, approvals] =
    /^([\d,]+) requests?, ([\d,]+) visits? at .*, ([\d,]+) approvals?, /m.exec(text) ?? []
  return {
    musts: /^.* with a test: .*$/m.exec(text)?.[0],
    outcomes: outcomesIn(outcomes),
    checks: number(checks),
    requests: number(requests),
    visits: number(visits),
    approvals: number(approvals),
  }
}

function words(node: DefaultTreeAdapterTypes.Node): string {
  if (node.nodeName === '#text') return (node as DefaultTreeAdapterTypes.TextNode).value
  if (node.nodeName === 'style' || node.nodeName === 'script') return ''
  return 'childNodes' in node ? node.childNodes.map(words).join(' ') : ''
}

function page({ report, exchanges }: Recording): Said {
  const text = words(parse(html(report, exchanges))).replace(/\s+/g, ' ')
  const [, checks, list = ''] = /All ([\d,]+) checks and rules: (.*?) (?=[A-Z])/.exec(text) ?? []
  const turned = list.replace(/([a-z][a-z -]*?) +([\d,]+)/g, (_, word: string, n: string) => {
    return `${n} ${word.trim().replaceAll(' ', '-')}`
  })
  const [, visits, approvals] = /Visits ([\d,]+), at .*?, ([\d,]+) approvals?/.exec(text) ?? []
  return {
    musts: /[\d,]+ musts? with a test: [^.]*\./.exec(text)?.[0],
    outcomes: outcomesIn(turned),
    checks: number(checks),
    requests: number(/Requests ([\d,]+), sent to the bank/.exec(text)?.[1]),
    visits: number(visits),
    approvals: number(approvals),
  }
}

function summary({ report, exchanges }: Recording): Said {
  const text = stepSummary(report, exchanges)
  const [, names = '', counts = ''] = /^\| (.*) \|\n\|[ -:|]*\|\n\| (.*) \|$/m.exec(text) ?? []
  const numbers = counts.split(' | ').map(number)
  const [, requests, visits, approvals] =
    /^([\d,]+) requests?, ([\d,]+) visits? at .*, ([\d,]+) approvals?, /m.exec(text) ?? []
  return {
    musts: text.split('\n').find((line) => line.includes(' with a test: ')),
    outcomes: Object.fromEntries(names.split(' | ').map((name, i) => [name, numbers[i] ?? 0])),
    requests: number(requests),
    visits: number(visits),
    approvals: number(approvals),
  }
}

interface Machine {
  passed: number
  failed: number
  broken: number
  skipped: number
}

/** What a dashboard is told, as the table of reports/README.md has it. */
function machine(checks: CheckResult[]): Machine {
  const column = table()
  const told = checks.map((check) => {
    const known = check.outcome === 'fail' && check.deviation ? '`fail`, known deviation' : ''
    const cell = column.get(known || `\`${check.outcome}\``) ?? ''
    const [must = '', others = must] = cell.split('·').map((part) => part.replace(/^.*: /, ''))
    return (check.level === 'must' ? must : others).trim().split(',')[0]
  })
  const n = (word: string) => told.filter((each) => each === word).length
  return { passed: n('passed'), failed: n('failure'), broken: n('error'), skipped: n('skipped') }
}

/** Outcome → what JUnit is told. */
function table(): Map<string, string> {
  const file = resolve(import.meta.dirname, '..', '..', 'reports', 'README.md')
  const rows = readFileSync(file, 'utf8').matchAll(/^\| (`[a-z-]+`[^|]*?) \|[^|]*\|([^|]*)\|/gm)
  return new Map([...rows].map(([, outcome = '', cell = '']) => [outcome, cell.trim()]))
}

describe.each(NAMES)('%s: every output has the same figures', (name) => {
  test('for people: the terminal, the page, the step summary', () => {
    const run = runs.get(name) as Recording
    const { report } = run
    const found = (outcome: Outcome) => report.checks.filter((c) => c.outcome === outcome).length
    const outcomes = Object.fromEntries(
      [...new Set(report.checks.map(({ outcome }) => outcome))].map((each) => [each, found(each)]),
    )
    const shared = report.approvals.filter((v) => v.outcome === 'granted' && v.shared)
    const all: Said = {
      musts: terminal(run).musts,
      outcomes,
      checks: report.checks.length,
      requests: run.exchanges.length,
      visits: report.approvals.length,
      approvals: shared.length,
    }
    expect(all.musts).toMatch(/^\d+ musts? with a test: \d+ passed/)
    expect(terminal(run)).toEqual(all)
    expect(page(run)).toEqual(all)
    const { checks: _, ...without } = all
    expect(summary(run)).toEqual(without)
  })

  test('for machines: JUnit and CTRF, by the table of reports/README.md', () => {
    const run = runs.get(name) as Recording
    const { report, exchanges } = run
    const expected = machine(report.checks)
    const whole = Object.values(expected).reduce((sum, n) => sum + n, 0)
    expect(whole).toBe(report.checks.length)

    const xml = junit(report, exchanges)
    const attributes: Record<string, string>[] = []
    let verdict = ''
    const parser = new SaxesParser()
    parser.on('opentag', ({ name: tag, attributes: own }) => {
      if (tag === 'testsuites') attributes.push(own)
    })
    parser.on('text', (text) => {
      if (text.includes(' with a test: ')) verdict ||= text
    })
    parser.write(xml).close()
    const [{ tests, failures, errors, skipped } = {}] = attributes
    // One case more: the verdict itself.
    const own = { failed: report.exitCode === 1 ? 1 : 0, broken: report.exitCode > 1 ? 1 : 0 }
    expect([tests, failures, errors, skipped].map(Number)).toEqual([
      whole + 1,
      expected.failed + own.failed,
      expected.broken + own.broken,
      expected.skipped,
    ])
    expect(verdict).toContain(terminal(run).musts)

    const { results } = JSON.parse(ctrf(report, exchanges))
    expect(results.summary).toMatchObject({
      tests: whole,
      passed: expected.passed,
      failed: expected.failed,
      other: expected.broken,
    })
    expect(results.summary.skipped + results.summary.pending).toBe(expected.skipped)
    expect(results.environment.extra.restsOn).toBe(terminal(run).musts)
    expect(results.environment.extra.outcomes).toEqual(terminal(run).outcomes)
  })
})

test('README.md prints how a run of the reference bank ends', () => {
  const run = runs.get('correct') as Recording
  const readme = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')
  const report = { ...run.report, leftBehind: [] }
  const text = consoleSummary(report, run.exchanges, { width: 100 }).replace('staging', 'embedded')
  const [, sample = ''] = /^…\n([\s\S]*?)^```$/m.exec(readme) ?? []
  expect(sample.trim().split('\n').length).toBeGreaterThan(2)
  expect(text).toContain(sample.trim())
})
