import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBank } from '../../bank/bank.ts'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { caseText, readCase } from '../../engine/explore/case-file.ts'
import type { Finding } from '../../engine/explore/explore.ts'
import type { History } from '../../engine/model/moves.ts'
import { root } from '../../engine/record/root.ts'
import { openJudging } from '../../engine/run/judging-process.ts'
import { loadHistoryParts } from '../../engine/run/suites.ts'
import { conditionedFaults } from '../../proof/explore/conditioned.ts'
import { exploreBank } from '../../proof/explore/explore-bank.ts'
import { openProofContext, type ProofContext } from '../../proof/run/judge-bank.ts'
import { loadFaults } from '../../proof/run/load.ts'
import { openDirectory } from '../directory.ts'

/** Milliseconds: some hundred moves at a bank. */
const PATIENCE = 240_000

const folder = mkdtempSync(join(tmpdir(), 'assay-explore-'))
afterAll(() => rmSync(folder, { recursive: true }))

let context: ProofContext
let parts: Awaited<ReturnType<typeof loadHistoryParts>>
beforeAll(async () => {
  context = await openProofContext(openDirectory())
  parts = await loadHistoryParts(join(import.meta.dirname, '..', '..', 'suites'))
})

test(
  'nothing is found at the correct bank, which sees every kind of move',
  async () => {
    const { findings, steps, stopped, coverage } = await exploreBank(context, parts, [], {
      ...{ seed: 7, steps: 250 },
    })
    expect(findings).toEqual([])
    expect([...stopped]).toEqual([])
    expect(steps).toBeGreaterThanOrEqual(250)
    const kinds = new Set(coverage.events().map(({ name }) => name.split(' ')[0]))
    expect([...kinds]).toEqual(
      expect.arrayContaining([
        ...['create', 'create-funds', 'query', 'delete', 'approve', 'deny'],
        ...['exchange', 'refresh', 'read', 'customer-revokes'],
      ]),
    )
  },
  PATIENCE,
)

test(
  'a defect is told with the shortest history, which repeats it',
  async () => {
    const faults = (await loadFaults()).filter(
      ({ id }) => id === 'deleted-once-authorised-still-queried',
    )
    expect(faults).toHaveLength(1)
    const stop = new AbortController()
    const { findings } = await exploreBank(
      ...[context, parts, faults],
      { seed: 1, steps: 2000, signal: stop.signal },
      () => stop.abort(),
    )
    const [finding] = findings as [Finding]
    expect(finding).toMatchObject({ found: { id: 'CLC-03' }, level: 'must', repeats: true })
    expect(finding.history.map((move) => move.do)).toEqual(['create', 'approve', 'delete', 'query'])

    const file = join(folder, 'case.yaml')
    writeFileSync(file, caseText({ found: 'CLC-03', moves: finding.history }))
    expect(readCase(file, context.catalogue)).toEqual({ found: 'CLC-03', moves: finding.history })
    expect(readFileSync(file, 'utf8')).toMatch(/^# 1\. the (first|second) client creates c\d: /)
  },
  PATIENCE,
)

test(
  'a defect behind two events and a call is found, and its history is short',
  async () => {
    const [fault] = conditionedFaults(40, 7).filter(
      ({ effect, at, nth }) => effect === 'refused' && at === 'transactions' && nth === 2,
    )
    const stop = new AbortController()
    const { findings } = await exploreBank(
      ...[context, parts, [fault as Alteration]],
      { seed: 7, steps: 4000, signal: stop.signal },
      ({ repeats }) => {
        if (repeats) stop.abort()
      },
    )
    const [finding] = findings.filter(({ repeats }) => repeats)
    expect(finding?.found.message).toMatch(/^refused: 403/)
    expect(finding?.history.length).toBeLessThanOrEqual(9)
  },
  PATIENCE,
)

test.each([
  ['no YAML', 'moves: [', /case\.yaml:1:\d+: /],
  ['no moves', 'found: CLC-03', /case\.yaml:1:1: .*moves/],
  ['nothing that was found', 'moves: [{ do: look, at: jwks }]', /case\.yaml:1:1: .*found/],
  ['an unknown move', 'found: CLC-03\nmoves: [{ do: dance }]', /case\.yaml:2:\d+: /],
  [
    'a name that nothing gave',
    'found: CLC-03\nmoves: [{ do: query, consent: c1, client: first }]',
    /move 1 names/,
  ],
  [
    'a requirement that nobody knows',
    'found: XYZ-99\nmoves: [{ do: look, at: jwks }]',
    /found is XYZ-99/,
  ],
])('a case that is wrong is told with its line: %s', (_, text, words) => {
  const file = join(folder, 'case.yaml')
  writeFileSync(file, text)
  expect(() => readCase(file, context.catalogue)).toThrow(words)
})

test(
  'a run judges kept cases as checks of their requirements',
  async () => {
    const bank = await startBank({
      directory: context.directory,
      alterations: (await loadFaults()).filter(
        ({ id }) => id === 'deleted-once-authorised-still-queried',
      ),
    })
    try {
      const out = join(folder, 'run')
      mkdirSync(out)
      const cases = [
        { id: 'CLC-03/case-deleted', found: 'CLC-03', file: 'deleted.yaml', moves: DELETED },
        { id: 'TOK-22/case-refresh', found: 'TOK-22', file: 'refresh.yaml', moves: NOT_EXCHANGED },
        { id: 'ACC-01/case-read', found: 'ACC-01', file: 'read.yaml', moves: READ },
      ]
      const judging = await openJudging({
        ...{
          target: bank.target as TargetDocument,
          targetFile: 'bank.yaml',
          base: folder,
          out,
          cases,
        },
        ...{ configurationDigest: '', version: '0', suites: join(root, 'suites') },
        scope: { profile: 'core', only: ['DISC-01/served'] },
      })
      for (const check of judging.checks) await judging.judge(check)
      const report = await judging.finish()
      expect(report.checks.filter(({ id }) => id.includes('/case-'))).toMatchObject([
        { id: 'CLC-03/case-deleted', outcome: 'fail', case: 'deleted.yaml', actual: '200' },
        {
          id: 'TOK-22/case-refresh',
          outcome: 'blocked',
          message: expect.stringMatching(/^needs what this move is made of/),
        },
        { id: 'ACC-01/case-read', outcome: 'pass' },
      ])
      expect(report.verdict).toBe('nonconformant')
    } finally {
      await bank.close()
    }
  },
  PATIENCE,
)

const START: History = [
  { do: 'create', consent: 'c1', client: 'first', permissions: ['ReadAccountsBasic'] },
  { do: 'approve', consent: 'c1', client: 'first', customer: 'first', code: 'a1' },
]
const DELETED: History = [
  ...START,
  { do: 'delete', consent: 'c1', client: 'first' },
  { do: 'query', consent: 'c1', client: 'first' },
]
const NOT_EXCHANGED: History = [...START, { do: 'refresh', consent: 'c1', client: 'first' }]
const READ: History = [
  ...START,
  { do: 'exchange', code: 'a1', client: 'first' },
  { do: 'read', what: 'accounts', consent: 'c1', present: true },
]
