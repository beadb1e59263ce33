import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { caseText, readCase } from '../../engine/explore/case-file.ts'
import type { Finding } from '../../engine/explore/explore.ts'
import { loadHistoryParts } from '../../engine/run/suites.ts'
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
    expect(readCase(file)).toEqual({ found: 'CLC-03', moves: finding.history })
    expect(readFileSync(file, 'utf8')).toMatch(/^# 1\. the (first|second) client creates c\d: /)
  },
  PATIENCE,
)

test.each([
  ['no YAML', 'moves: [', /case\.yaml:1:\d+: /],
  ['no moves', 'found: CLC-03', /case\.yaml:1:1: .*moves/],
  ['an unknown move', 'moves: [{ do: dance }]', /case\.yaml:1:\d+: /],
  [
    'a name that nothing gave',
    'moves: [{ do: query, consent: c1, client: first }]',
    /move 1 names/,
  ],
])('a case that is wrong is told with its line: %s', (_, text, words) => {
  const file = join(folder, 'case.yaml')
  writeFileSync(file, text)
  expect(() => readCase(file)).toThrow(words)
})
