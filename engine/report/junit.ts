import { boundedReport } from './bounded-report.ts'
import { verdictSentence } from './counts.ts'
import { brief, escapeMarkup } from './escape.ts'
import { untestedMusts } from './queries.ts'
import type { CheckResult, ExchangeRecord, Report } from './report.ts'
import {
  chapterOf,
  machineDetail,
  machineMessage,
  machineStatus,
  machineSuite,
} from './status-map.ts'

/**
 * JUnit XML: one suite per chapter, one case per check, named by its id and its sentence. A first
 * case, `assay / verdict`, passes only when the run's exit code is 0, so that a run that judged
 * nothing, was cut short or has an expired deviation is never green.
 */
export function junit(whole: Report, exchanges: ExchangeRecord[]): string {
  const report = boundedReport(whole)
  const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]))
  const chapter = chapterOf(report)
  const suites = new Map<string, CheckResult[]>()
  for (const check of report.checks) {
    const name = machineSuite(chapter(check))
    const checks = suites.get(name) ?? []
    suites.set(name, checks)
    checks.push(check)
  }
  const seconds = (Date.parse(report.finishedAt) - Date.parse(report.startedAt)) / 1000
  const verdictStatus =
    report.exitCode === 0 ? 'passed' : report.exitCode === 1 ? 'failed' : 'broken'
  const statuses = [verdictStatus, ...report.checks.map(machineStatus)]
  const body = [
    suite(report, 'assay', [verdictStatus], 0, [...properties(report), verdictCase(report)]),
    ...[...suites].map(([name, checks]) =>
      suite(
        report,
        name,
        checks.map(machineStatus),
        checks.reduce((sum, check) => sum + check.durationMs, 0) / 1000,
        checks.map((check) => testcase(name, check, byId)),
      ),
    ),
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${escapeMarkup(`assay ${report.target.name}`)}" ${tally(statuses)} time="${decimal(seconds)}">
${body.join('\n')}
</testsuites>
`
}

function tally(statuses: string[]): string {
  const n = (status: string) => statuses.filter((s) => s === status).length
  return `tests="${statuses.length}" failures="${n('failed')}" errors="${n('broken')}" skipped="${n('skipped')}"`
}

function suite(
  report: Report,
  name: string,
  statuses: string[],
  seconds: number,
  cases: string[],
): string {
  const timestamp = escapeMarkup(report.startedAt)
  return `  <testsuite name="${escapeMarkup(name)}" ${tally(statuses)} time="${decimal(seconds)}" timestamp="${timestamp}">
${cases.join('\n')}
  </testsuite>`
}

/** Musts that no check tests, and why: a case of their own would count as one that was skipped. */
function properties(report: Report): string[] {
  const lines = untestedMusts(report).map(({ id, text, notTested }) => {
    const value = brief(`${text} ${notTested}`, 1000)
    return `      <property name="${escapeMarkup(`not tested: ${id}`)}" value="${escapeMarkup(value)}"/>`
  })
  return lines.length === 0 ? [] : ['    <properties>', ...lines, '    </properties>']
}

function testcase(
  classname: string,
  check: CheckResult,
  exchanges: Map<string, ExchangeRecord>,
): string {
  const open = `    <testcase classname="${escapeMarkup(classname)}" name="${escapeMarkup(brief(`${check.id} ${check.title}`, 250))}" time="${decimal(check.durationMs / 1000)}">`
  const message = escapeMarkup(machineMessage(check))
  const detail = escapeMarkup(machineDetail(check, exchanges))
  const outcome = escapeMarkup(check.outcome)
  switch (machineStatus(check)) {
    case 'failed':
      return `${open}<failure type="${outcome}" message="${message}">${detail}</failure></testcase>`
    case 'broken':
      return `${open}<error type="${outcome}" message="${message}">${detail}</error></testcase>`
    case 'skipped':
      return `${open}<skipped message="${message}"/><system-out>${detail}</system-out></testcase>`
    default:
      return `${open}<system-out>${detail}</system-out></testcase>`
  }
}

function verdictCase(report: Report): string {
  const words = `${report.verdict}: ${verdictSentence(report)}${report.partial ? ` Partial: ${report.partial}` : ''}`
  const detail = escapeMarkup(
    [words, `exit code ${report.exitCode}`, ...report.problems].join('\n').slice(0, 8000),
  )
  const open = '    <testcase classname="assay" name="verdict" time="0">'
  if (report.exitCode === 0) return `${open}<system-out>${detail}</system-out></testcase>`
  const element = report.exitCode === 1 ? 'failure' : 'error'
  return `${open}<${element} type="${escapeMarkup(report.verdict)}" message="${escapeMarkup(words.slice(0, 2000))}">${detail}</${element}></testcase>`
}

function decimal(seconds: number): string {
  return Number.isFinite(seconds) ? seconds.toFixed(3) : '0'
}
