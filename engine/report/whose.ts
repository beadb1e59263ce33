import { count } from './escape.ts'
import type { Report, ReportedCause, Whose } from './report.ts'

/** Who can mend something, in words. */
export const WHOSE: Record<Whose, string> = {
  bank: 'the bank',
  TPP: 'the TPP',
  configuration: 'your configuration',
  network: 'the network',
  suite: 'Assay itself',
}

/** Whose a cause is, where it shows, what it explains and keeps from being judged. */
export function causeFacts({ whose, where, findings, blocks }: ReportedCause): string[] {
  const facts = [
    WHOSE[whose],
    where,
    findings.length > 1 && `explains ${count(findings.length)} findings`,
    blocks.length > 0 && `keeps ${count(blocks.length)} from being judged`,
  ]
  return facts.filter((fact) => typeof fact === 'string')
}

/** What a run judged, in words. */
export function judgedParty({ target }: Pick<Report, 'target'>): string {
  return target.side === 'TPP' ? 'the client' : 'the bank'
}
