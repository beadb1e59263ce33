import type { Report, Whose } from './report.ts'

/** Who can mend something, in words. */
export const WHOSE: Record<Whose, string> = {
  bank: 'the bank',
  TPP: 'the TPP',
  configuration: 'your configuration',
  network: 'the network',
  suite: 'Assay itself',
}

/** What a run judged, in words. */
export function judgedParty({ target }: Pick<Report, 'target'>): string {
  return target.side === 'TPP' ? 'the client' : 'the bank'
}
