import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { createEvidence } from '../report/evidence-index.ts'
import type { CheckResult, Report } from '../report/report.ts'
import { checkResult, composeReport } from '../run/compose.ts'
import type { Deviation } from '../run/deviations.ts'
import { createLatency } from '../run/latency.ts'
import { openExchangeLog } from '../wire/exchange-log.ts'
import { createRedactor } from '../wire/redaction.ts'
import { type Certification, certify } from './certify.ts'
import { ofTpp } from './tpp-report.ts'

export interface Recorded {
  name: string
  configurationDigest: string
  version: string
  /** Folder of the reports. */
  out: string
  only: string[]
  /** Values that must never leave the process. */
  secrets: string[]
  deviations?: Deviation[]
  /** Is told of each result, fit to be shown. */
  onResult?(chapter: string, result: CheckResult): void
}

/** Certifies a client, and writes report.json and exchanges.jsonl of it. */
export async function recordCertification(
  certification: Certification,
  recorded: Recorded,
): Promise<Report> {
  const { catalogue } = certification
  const { out, only, name, configurationDigest, version, deviations } = recorded
  const startedAt = new Date()
  const log = openExchangeLog(join(out, 'exchanges.jsonl'), createRedactor(recorded.secrets))
  const { redact } = log
  const latency = createLatency()
  const evidence = createEvidence()
  const { results, observations, requests } = await certify({
    ...certification,
    onExchange(exchange, broken) {
      latency.note(exchange)
      evidence.note(exchange)
      log.append(exchange)
      certification.onExchange?.(exchange, broken)
    },
    onJudged(result) {
      recorded.onResult?.(chapterOf(result.id, catalogue), checkResult(result, redact))
      certification.onJudged?.(result)
    },
  })
  const interrupted = certification.signal?.aborted === true
  const report = ofTpp(
    composeReport({
      version,
      target: { name, configurationDigest },
      scope: { profile: 'full', only },
      startedAt,
      finishedAt: new Date(),
      catalogue,
      results,
      observations,
      requests,
      latency: latency.summary(),
      evidence,
      ...(interrupted && { partial: 'the certification was interrupted' }),
      deviations,
      redact,
    }),
  )
  if (interrupted) report.exitCode = 130
  writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
  log.close()
  return report
}

function chapterOf(id: string, { owners }: Catalogue): string {
  return owners.get(id)?.chapter ?? ''
}
