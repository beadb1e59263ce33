import { boundedReport } from './bounded-report.ts'
import { verdictSentence } from './counts.ts'
import { clip, visible } from './escape.ts'
import { summaryKey, untestedMusts } from './queries.ts'
import type { CheckResult, ExchangeRecord, Report } from './report.ts'
import { stableUuid } from './stable-uuid.ts'
import {
  chapterOf,
  machineDetail,
  machineMessage,
  machineStatus,
  machineSuite,
} from './status-map.ts'

/**
 * CTRF (ctrf.io, specification 0.0.0): `broken` is CTRF's `other`, and `rawStatus` holds the outcome
 * in Assay's own word. Ids are derived from the run and the check, so that the same run gives the
 * same file.
 */
export function ctrf(whole: Report, exchanges: ExchangeRecord[]): string {
  const report = boundedReport(whole)
  const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]))
  const chapter = chapterOf(report)
  const tests = report.checks.map((check) => {
    const suite = machineSuite(chapter(check))
    const passed = machineStatus(check) === 'passed' && check.outcome === 'pass'
    return {
      id: stableUuid(`${report.startedAt} ${check.id}`),
      testId: visible(check.id),
      name: visible(check.id),
      status: status(check),
      rawStatus: check.outcome,
      duration: Math.round(check.durationMs),
      suite: suite.split('.'),
      type: check.kind,
      tags: [check.level, ...(check.deviation ? ['known-deviation'] : [])],
      ...(passed
        ? {}
        : { message: machineMessage(check), trace: visible(machineDetail(check, byId)) }),
      extra: {
        title: clip(visible(check.title), 1000),
        requirement: check.requirement,
        exchanges: check.exchanges.slice(0, 50),
      },
    }
  })
  const n = (wanted: string) => tests.filter(({ status }) => status === wanted).length
  const start = Date.parse(report.startedAt)
  const stop = Date.parse(report.finishedAt)
  const document = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    reportId: stableUuid(`${report.target.name} ${report.startedAt}`),
    timestamp: report.finishedAt,
    generatedBy: `assay ${report.assay.version}`,
    results: {
      tool: { name: 'assay', version: report.assay.version },
      summary: {
        tests: tests.length,
        passed: n('passed'),
        failed: n('failed'),
        skipped: n('skipped'),
        pending: n('pending'),
        other: n('other'),
        start,
        stop,
        duration: Math.max(0, stop - start),
      },
      tests,
      environment: {
        testEnvironment: visible(report.target.name),
        extra: {
          verdict: report.verdict,
          exitCode: report.exitCode,
          restsOn: verdictSentence(report),
          ...(report.partial ? { partial: visible(report.partial) } : {}),
          notTested: untestedMusts(report).map(({ id, text, notTested }) => ({
            requirement: id,
            text: visible(text),
            reason: visible(notTested),
          })),
          outcomes: Object.fromEntries(
            [...new Set(report.checks.map(({ outcome }) => outcome))].map((outcome) => [
              outcome,
              report.summary[summaryKey(outcome)],
            ]),
          ),
        },
      },
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function status(check: CheckResult): 'passed' | 'failed' | 'skipped' | 'pending' | 'other' {
  if (check.outcome === 'not-run') return 'pending'
  const machine = machineStatus(check)
  return machine === 'broken' ? 'other' : machine
}
