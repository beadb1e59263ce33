import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHAIN_START, chainedLine } from '../../engine/record/chain.ts'
import type { CheckResult, Report } from '../../engine/report/report.ts'

const AT = '2026-03-02T02:00:00.000Z'

const check = (id: string, over: Partial<CheckResult> = {}): CheckResult => ({
  id,
  requirement: id.split('/')[0] ?? '',
  level: 'must',
  kind: 'check',
  title: `${id} holds`,
  outcome: 'pass',
  message: '',
  exchanges: ['x1'],
  durationMs: 3,
  ...over,
})

const requirement = (id: string, over: Partial<Report['requirements'][number]> = {}) => ({
  id,
  level: 'must' as const,
  chapter: 'account-information/transactions',
  text: 'toBookingDateTime restricts the answer.',
  source: 'Data endpoints 5',
  quote: ['| a | row |', 'a sentence'],
  outcome: 'pass' as const,
  checks: [`${id}/alone`],
  ...over,
})

/** A report of few checks with every member that a report may have. */
export const smallReport: Report = {
  assay: {
    version: '0.1.0',
    specsDigest: 'a'.repeat(64),
    node: 'v22.0.0',
    environment: [{ name: 'NODE_EXTRA_CA_CERTS', effect: 'more authorities', weakens: true }],
  },
  target: {
    name: 'staging',
    host: 'bank.example:443',
    environment: 'sandbox',
    configurationDigest: 'b'.repeat(64),
    members: { addresses: 'c'.repeat(12) },
    file: '/nowhere/staging.yaml',
    certificates: [{ client: 'first', notAfter: '2026-03-20T00:00:00.000Z' }],
  },
  scope: { profile: 'full', only: [], seed: 1, requirements: 3, checks: 4, leftOut: 0 },
  startedAt: AT,
  finishedAt: '2026-03-02T02:03:20.000Z',
  verdict: 'nonconformant',
  exitCode: 1,
  partial: 'the run was interrupted',
  preflight: [{ name: 'clock', level: 'wrong', text: 'late', whose: 'network', mend: 'set it' }],
  resumed: { since: AT, checks: 1, approvals: 1, requests: 1 },
  summary: {
    ...{ pass: 1, fail: 1, warn: 0, observed: 0, blocked: 1 },
    ...{ notApplicable: 0, notRun: 0, error: 1 },
  },
  musts: {
    ...{ judged: 2, passed: 1, failed: 1, known: 0, blocked: 1, excused: 0 },
    ...{ notApplicable: 0, notRun: 0, notTested: 1, error: 0 },
  },
  earlier: [{ day: '2026-03-01', musts: 1 }],
  causes: [
    {
      ...{ title: 'the filter is ignored', whose: 'bank', evidence: 'the same exchange' },
      ...{ where: 'GET /transactions', findings: ['TXN-17/alone'], blocks: ['TXN-18/alone'] },
    },
    { title: 'known', whose: 'suite', findings: ['TXN-19/alone'], blocks: [], known: true },
  ],
  requirements: [
    requirement('TXN-17', { outcome: 'fail', decision: { id: 'AMB-1', text: 'both pass' } }),
    requirement('TXN-18', { outcome: 'blocked', open: 'the boundary', leftOut: ['TXN-18/more'] }),
    requirement('TXN-19', { level: 'should', checks: [], notTested: 'outside the interface' }),
  ],
  checks: [
    check('TXN-17/alone', {
      ...{ outcome: 'fail', message: 'a row is too many', expected: '1', actual: '2' },
      ...{ place: '/Data/Transaction/0', source: { file: 'suites/a.ts', line: 3 } },
      control: { exchange: 'x1', summary: '200' },
      cells: { of: 3, asked: ['other-case at accounts'], broken: ['other-case at accounts'] },
    }),
    check('TXN-18/alone', { outcome: 'blocked', blockedBy: 'TXN-17/alone', exchanges: [] }),
    check('TXN-19/alone', {
      ...{ outcome: 'error', message: 'ours\n    at place', exchanges: ['x2'] },
      deviation: { reason: 'known', ticket: 'PAY-1', owner: 'me', expires: '2026-03-31' },
    }),
    check('TXN-17/rule', { kind: 'rule' }),
  ],
  observations: [{ requirement: 'TXN-18', what: 'boundary', value: 'inclusive', exchange: 'x1' }],
  approvals: [
    {
      ...{ name: 'everything', customer: 'first', client: 'first', outcome: 'granted' },
      ...{ shared: true, used: ['TXN-17/alone'], at: AT, resumed: true },
    },
  ],
  requests: 2,
  cells: { asked: 1, of: 3 },
  latency: [{ endpoint: 'accounts', count: 2, p50: 3, p95: 4 }],
  leftBehind: [{ kind: 'consent', id: 'c1', why: 'the bank refused' }],
  problems: ['a problem'],
}

const head = { about: { client: 'first' }, startedAt: AT, durationMs: 3 }
const records = [
  {
    ...{ id: 'x1', endpoint: 'transactions', ...head },
    request: {
      method: 'GET',
      url: 'https://bank.example/transactions?a=b',
      headers: [['Accept', 'application/json']],
    },
    response: {
      ...{ status: 200, headers: [['Content-Type', 'application/json']], bytes: 11 },
      body: '{"Data":{"Transaction":[{}]}}',
    },
    connection: { protocol: 'TLSv1.3', cipher: 'TLS_AES_256', identity: 'first' },
  },
  {
    ...{ id: 'x2', endpoint: 'accounts', ...head },
    request: { method: 'POST', url: 'https://bank.example/', headers: [], body: 'a=b' },
    failure: { kind: 'timeout', code: 'TIMEOUT', message: 'no answer' },
    connection: { identity: 'none' },
  },
]

/** Its exchanges, as they stand in exchanges.jsonl. */
export const smallExchanges = (() => {
  let previous = CHAIN_START
  return records.map((record) => {
    const { hash, line } = chainedLine(previous, record)
    previous = hash
    return line
  })
})()

/** A folder with this run. */
export function smallRun(report: unknown = smallReport, exchanges = smallExchanges.join('')) {
  const dir = mkdtempSync(join(tmpdir(), 'assay-doors-'))
  writeFileSync(join(dir, 'report.json'), JSON.stringify(report))
  writeFileSync(join(dir, 'exchanges.jsonl'), exchanges)
  return dir
}
