import { verdictSentence, verdictWord } from './counts.ts'
import { brief } from './escape.ts'
import { durationOf, grouped, indexed, untestedMusts } from './queries.ts'
import type { CheckResult, ExchangeRecord, Report } from './report.ts'
import { machineDetail, machineMessage, machineStatus, placeOf } from './status-map.ts'
import { type Xml, xml, xmlText } from './xml.ts'

/**
 * JUnit XML: one suite per chapter, one case per check, named by its id and its sentence. The first case, `assay /
 * verdict`, passes only when the run's exit code is 0, so that a run that judged nothing, was cut short or has an
 * expired deviation is never green.
 */
export function junit(whole: Report, exchanges: ExchangeRecord[]): string {
  const run = indexed(whole, exchanges)
  const { report } = run
  const suites = grouped(report.checks, (check) => {
    const { document, chapter } = placeOf(run, check)
    return `assay.${document}.${chapter}`
  })
  const verdict = verdictCase(report)
  const body = [
    suite(report, 'assay', [verdict.status], 0, [...properties(report), verdict.written]),
    ...[...suites].map(([name, checks]) => {
      const seconds = checks.reduce((sum, check) => sum + check.durationMs, 0) / 1000
      const cases = checks.map((check) => {
        const title = brief(`${check.id} ${check.title}`, 250)
        const message = machineMessage(check)
        const detail = machineDetail(check, run.exchanges)
        const time = decimal(check.durationMs / 1000)
        const status = machineStatus(check)
        return testcase(name, title, time, status, check.outcome, message, detail, check.source)
      })
      return suite(report, name, checks.map(machineStatus), seconds, cases)
    }),
  ]
  const statuses = [verdict.status, ...report.checks.map(machineStatus)]
  return xmlText(xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${`assay ${report.target.name}`}" ${tally(statuses)} time="${decimal(durationOf(report) / 1000)}">
${body}</testsuites>
`)
}

function tally(statuses: string[]): Xml {
  const n = (status: string) => statuses.filter((s) => s === status).length
  return xml`tests="${statuses.length}" failures="${n('failed')}" errors="${n('broken')}" skipped="${n('skipped')}"`
}

function suite(
  report: Report,
  name: string,
  statuses: string[],
  seconds: number,
  cases: Xml[],
): Xml {
  return xml`  <testsuite name="${name}" ${tally(statuses)} time="${decimal(seconds)}" timestamp="${report.startedAt}">
${cases}  </testsuite>
`
}

/** Musts that no check tests, with the reasons: as cases they would count as skipped. */
function properties(report: Report): Xml[] {
  const lines = untestedMusts(report).map(({ id, text, notTested }) => {
    const value = brief(`${text} ${notTested}`, 1000)
    return xml`      <property name="${`not tested: ${id}`}" value="${value}"/>\n`
  })
  return lines.length === 0 ? [] : [xml`    <properties>\n${lines}    </properties>\n`]
}

function testcase(
  classname: string,
  name: string,
  time: string,
  status: ReturnType<typeof machineStatus>,
  type: string,
  words: string,
  more: string,
  source?: CheckResult['source'],
): Xml {
  const place = source && xml` file="${source.file}" line="${source.line}"`
  const open = xml`    <testcase classname="${classname}" name="${name}"${place} time="${time}">`
  if (status === 'failed' || status === 'broken') {
    const element = status === 'failed' ? 'failure' : 'error'
    return xml`${open}<${element} type="${type}" message="${words}">${more}</${element}></testcase>\n`
  }
  const skipped = status === 'skipped' && xml`<skipped message="${words}"/>`
  return xml`${open}${skipped}<system-out>${more}</system-out></testcase>\n`
}

function verdictCase(report: Report) {
  const { exitCode, partial, problems } = report
  const verdict = report.recording ? verdictWord(report) : report.verdict
  const words = `${verdict}: ${verdictSentence(report)}${partial && !report.recording ? ` Partial: ${partial}` : ''}`
  const detail = [words, `exit code ${exitCode}`, ...problems].join('\n').slice(0, 8000)
  const status = exitCode === 0 ? 'passed' : exitCode === 1 ? 'failed' : 'broken'
  const message = words.slice(0, 2000)
  const written = testcase('assay', 'verdict', '0', status, verdict, message, detail)
  return { status, written }
}

function decimal(seconds: number): string {
  return Number.isFinite(seconds) ? seconds.toFixed(3) : '0'
}
