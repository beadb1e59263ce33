import { verdictSentence, verdictWord } from './counts.ts'
import { clip, visible } from './escape.ts'
import { durationOf, indexed, summaryKey, untestedMusts } from './queries.ts'
import type { CheckResult, ExchangeRecord, Report } from './report.ts'
import { machineDetail, machineMessage, machineStatus, placeOf, stableUuid } from './status-map.ts'

/**
 * CTRF (ctrf.io, specification 0.0.0): `broken` is CTRF's `other`, and `rawStatus` is the outcome in Assay's own word.
 * Ids are derived from the run and the check, so that the same run gives the same file.
 */
export function ctrf(whole: Report, exchanges: ExchangeRecord[]): string {
  const run = indexed(whole, exchanges)
  const { report } = run
  const tests = report.checks.map((check) => {
    const { document, chapter } = placeOf(run, check)
    return {
      id: stableUuid(`${report.startedAt} ${check.id}`),
      testId: visible(check.id),
      name: visible(check.id),
      status: status(check),
      rawStatus: check.outcome,
      duration: Math.round(check.durationMs),
      suite: `assay.${document}.${chapter}`.split('.'),
      type: check.kind,
      tags: [check.level, ...(check.deviation ? ['known-deviation'] : [])],
      ...(check.outcome !== 'pass' && {
        message: machineMessage(check),
        trace: machineDetail(check, run.exchanges),
      }),
      extra: {
        title: clip(visible(check.title), 1000),
        requirement: check.requirement,
        exchanges: check.exchanges.slice(0, 50),
      },
    }
  })
  const n = (wanted: ReturnType<typeof status>) =>
    tests.filter(({ status }) => status === wanted).length
  const outcomes = [...new Set(report.checks.map(({ outcome }) => outcome))]
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
        start: Date.parse(report.startedAt),
        stop: Date.parse(report.finishedAt),
        duration: Math.max(0, durationOf(report)),
      },
      tests,
      environment: {
        testEnvironment: visible(report.target.name),
        extra: {
          verdict: report.recording ? verdictWord(report) : report.verdict,
          exitCode: report.exitCode,
          restsOn: verdictSentence(report),
          ...(report.partial && { partial: visible(report.partial) }),
          notTested: untestedMusts(report).map(({ id, text, notTested }) => ({
            requirement: id,
            text: visible(text),
            reason: visible(notTested),
          })),
          outcomes: Object.fromEntries(
            outcomes.map((outcome) => [outcome, report.summary[summaryKey(outcome)]]),
          ),
        },
      },
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function status(check: CheckResult) {
  if (check.outcome === 'not-run') return 'pending'
  const machine = machineStatus(check)
  return machine === 'broken' ? 'other' : machine
}
