import type { Situation } from './situation.ts'

/** Defects of the bank: the id of the fault, and the check or rule that must be named. */
const DEFECTS: readonly [fault: string, id: string][] = [
  ['any-password', 'AUTHZ-22'],
  ['jwts-in-rs256', 'RS256'],
  ['period-end-needs-a-start', 'CONS'],
  ['single-filters-unsupported', 'TXN'],
  ['access-token-outlives-its-consent', 'CLC'],
  ['revocation-forgets-the-code', 'CLC'],
  ['secrets-not-compared', 'TOK'],
  ['create-with-any-token', 'SEC-03'],
  ['later-clients-need-no-permission', 'ACC|BAL|TXN'],
  ['empty-scheme-means-the-usual-one', 'FCC'],
]

export const DEFECT_SITUATIONS: readonly Situation[] = DEFECTS.map(([fault, id]) => ({
  id: `defect-${fault}`,
  kind: 'defect',
  story: `The bank has the defect ${fault}.`,
  fault,
  expects: { exit: [1], whose: ['bank'], words: new RegExp(id), doctor: [0, 2, 3] },
}))
