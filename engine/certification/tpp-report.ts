import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTransitions } from '../model/transitions.ts'
import { now } from '../record/clock.ts'
import { createEvidence } from '../report/evidence-index.ts'
import type { Report, ReportedCause } from '../report/report.ts'
import { NO_DATA } from '../report/whose.ts'
import { composeReport, type RunFacts } from '../run/compose.ts'
import { createLatency } from '../run/latency.ts'
import type { Exchange } from '../wire/exchange.ts'
import { openExchangeLog } from '../wire/exchange-log.ts'
import type { Redactor } from '../wire/redaction.ts'

/**
 * Writes the records of a TPP: exchanges.jsonl as exchanges arrive, report.json at the end.
 *
 * @param out folder of the reports.
 * @param redactor knows the values that must never leave the process.
 */
export function openTppReport(out: string, redactor: Redactor) {
  const startedAt = new Date(now())
  const log = openExchangeLog(join(out, 'exchanges.jsonl'), redactor)
  const { redact } = log
  const latency = createLatency()
  const transitions = createTransitions()
  const evidence = createEvidence()
  return {
    redact,
    /** @param isKept whether it is written to the log; it is counted in any case */
    note(exchange: Exchange, isKept = true) {
      latency.note(exchange)
      transitions.note(exchange)
      if (!isKept) return
      evidence.note(exchange)
      log.append(exchange)
    },
    /** Writes the report, and closes the log. */
    finish(
      facts: Pick<RunFacts, 'version' | 'target' | 'catalogue' | 'results' | 'requests'> &
        Partial<RunFacts> & { only: string[]; exitCode?: number },
    ): Report {
      const { only, exitCode, ...rest } = facts
      const composed = composeReport({
        ...{ scope: { profile: 'full', only }, startedAt, finishedAt: new Date(now()) },
        ...{ latency: latency.summary(), states: transitions.result(), evidence, redact },
        ...rest,
      })
      const report = { ...ofTpp(composed), ...(exitCode !== undefined && { exitCode }) }
      writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
      log.close()
      return report
    },
  }
}

/** A fault is the TPP's to fix, where the report of a bank would name the bank. */
function ofTpp(report: Report): Report {
  const mended = ({ mend: _, ...cause }: ReportedCause): ReportedCause => ({
    ...cause,
    title: cause.title.replace(NO_DATA, ''),
    whose: cause.whose === 'bank' ? 'TPP' : cause.whose,
  })
  const target = { ...report.target, side: 'TPP' as const }
  return { ...report, target, causes: report.causes.map(mended) }
}
