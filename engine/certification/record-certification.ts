import type { CheckResult } from '../report/report.ts'
import { checkResult } from '../run/compose.ts'
import type { Deviation } from '../run/deviations.ts'
import { createRedactor } from '../wire/redaction.ts'
import { type Certification, certify } from './certify.ts'
import { openTppReport } from './tpp-report.ts'

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
  /** Called with each result after redaction. */
  onResult?(chapter: string, result: CheckResult): void
}

/** Certifies a client, and writes its report.json and exchanges.jsonl. */
export async function recordCertification(certification: Certification, recorded: Recorded) {
  const { catalogue } = certification
  const { out, only, name, configurationDigest, version, deviations } = recorded
  const report = openTppReport(out, createRedactor(recorded.secrets))
  const { unheard, ...judged } = await certify({
    ...certification,
    onExchange(exchange, broken) {
      report.note(exchange)
      certification.onExchange?.(exchange, broken)
    },
    onJudged(result) {
      const { chapter = '' } = catalogue.owners.get(result.id) ?? {}
      recorded.onResult?.(chapter, checkResult(result, report.redact))
      certification.onJudged?.(result)
    },
  })
  const interrupted = certification.signal?.aborted === true
  return report.finish({
    ...judged,
    ...(unheard && { partial: 'the client sent no request to the correct bank' }),
    ...{ version, target: { name, configurationDigest }, only, catalogue, deviations },
    ...(interrupted && { partial: 'the certification was interrupted', exitCode: 130 }),
  })
}
