import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { diffReports } from '../../engine/report/diff.ts'
import { diffMarkdown, diffText } from '../../engine/report/diff-text.ts'
import { appendHistory, readHistory } from '../../engine/report/history.ts'
import { observationProfile } from '../../engine/report/observation-profile.ts'
import type { Outcome, Report } from '../../engine/report/report.ts'
import { fixtureReport } from './fixture.ts'
import { hostileRun } from './hostile.ts'

function withOutcomes(outcomes: Record<string, Outcome>, change: Partial<Report> = {}): Report {
  const report = fixtureReport(change)
  for (const check of report.checks) check.outcome = outcomes[check.id] ?? check.outcome
  return report
}

const ids = (changes: { id: string }[]) => changes.map(({ id }) => id)

describe('diffReports', () => {
  const later = withOutcomes(
    {
      'PRD-02/total': 'fail',
      'TXN-17/to-alone': 'pass',
      'TXN-17/both': 'pass',
      'BAL-01/bulk': 'blocked',
    },
    { startedAt: '2026-03-03T02:00:00.000Z' },
  )
  const diff = diffReports(fixtureReport(), later)

  test('tells new, fixed, still, lost and otherwise changed apart', () => {
    expect(ids(diff.new)).toEqual(['PRD-02/total'])
    expect(ids(diff.fixed)).toEqual(['TXN-17/to-alone'])
    expect(ids(diff.still)).toEqual(['ACC-05/gbp', 'ACC-09/masked'])
    expect(ids(diff.lost)).toEqual(['BAL-01/bulk'])
    expect(ids(diff.changed)).toEqual(['TXN-17/both'])
    expect(diff.caveats).toEqual([])
  })

  test('finds nothing between a run and itself', () => {
    const same = diffReports(fixtureReport(), fixtureReport())
    expect(same.still).toHaveLength(4)
    expect([same.new, same.fixed, same.lost, same.changed, same.appeared, same.vanished]).toEqual([
      [],
      [],
      [],
      [],
      [],
      [],
    ])
    expect(diffText(same)).toContain('Nothing changed.')
    expect(diffMarkdown(same)).toContain('Nothing changed.')
  })

  test('a failing check that is new is both', () => {
    const before = fixtureReport()
    before.checks = before.checks.filter(({ id }) => id !== 'ACC-05/gbp')
    const grown = diffReports(before, fixtureReport())
    expect([ids(grown.new), ids(grown.appeared)]).toEqual([['ACC-05/gbp'], ['ACC-05/gbp']])
    expect(ids(diffReports(fixtureReport(), before).vanished)).toEqual(['ACC-05/gbp'])
  })

  test('calls flaky what went to and fro', () => {
    const failed = withOutcomes({ 'PRD-02/total': 'fail' })
    expect(ids(diffReports(failed, fixtureReport(), [fixtureReport()]).flaky)).toEqual([
      'PRD-02/total',
    ])
    expect(diffReports(failed, fixtureReport()).flaky).toEqual([])
  })

  test('shows changed observations by value, not by order or exchange', () => {
    const other = fixtureReport()
    other.observations = [
      {
        requirement: 'CON-03',
        what: 'status of a rejected permission',
        value: '422',
        exchange: 'x99',
      },
      { requirement: 'TXN-31', what: 'values of Status', value: 'Booked, Pending', exchange: 'x1' },
    ]
    expect(diffReports(fixtureReport(), other).observations).toEqual([
      {
        requirement: 'CON-03',
        what: 'status of a rejected permission',
        before: ['400'],
        after: ['422'],
      },
    ])
  })

  test('warns when the runs are not alike', () => {
    const other = fixtureReport({
      partial: 'Interrupted.',
      scope: { profile: 'core', only: ['TXN-*'], requirements: 1, checks: 1 },
    })
    expect(diffReports(fixtureReport(), other).caveats).toEqual([
      'The scope differs: full → core TXN-*',
      'The later run is partial: Interrupted.',
    ])
  })

  test('as text and Markdown', () => {
    expect(diffText(diff)).toMatchInlineSnapshot(`
      "staging 2026-03-02T02:00:00.000Z nonconformant
      staging 2026-03-03T02:00:00.000Z nonconformant

      1 new failure
        PRD-02/total  pass → fail  TotalResults counts data

      1 failure without a verdict now
        BAL-01/bulk  error → blocked  GET /balances answers for the consent: Our own error: Cannot read properties of undefined.

      2 still failing
        ACC-05/gbp  fail  Currency is GBP in every account: Currency of the second account is "EUR".
        ACC-09/masked  fail (known deviation)  no account shows a whole card number: Identification holds 16 digits.

      1 fixed
        TXN-17/to-alone  fail → pass  toBookingDateTime alone drops what was booked later: 8 transactions that were booked later are in the answer.

      1 otherwise changed
        TXN-17/both  blocked → pass  both filters together cut on both sides: The filter toBookingDateTime does nothing alone.
      "
    `)
    expect(diffMarkdown(diff)).toContain(
      '### 1 new failure\n\n- <code>PRD-02/total</code> pass → fail',
    )
    const hostile = diffReports(fixtureReport(), hostileRun().report)
    expect(
      diffMarkdown(hostile)
        .replaceAll(/<\/?code>/g, '')
        .replaceAll(/^> /gm, ''),
    ).not.toMatch(/[<>[\]`]/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the point
    expect(diffText(hostile)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })
})

describe('the observation profile', () => {
  test('is the same text for the same behaviour, in whatever order it was seen', () => {
    const report = fixtureReport()
    const turned = fixtureReport({
      observations: [...report.observations, ...report.observations].reverse(),
    })
    expect(observationProfile(turned)).toBe(observationProfile(report))
    expect(JSON.parse(observationProfile(report))).toEqual({
      'CON-03': { 'status of a rejected permission': ['400'] },
      'TXN-31': { 'values of Status': ['Booked, Pending'] },
    })
  })
})

describe('the history file', () => {
  test('takes a run once, in order, and says which line is none', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'assay-')), 'history.jsonl')
    expect(await readHistory(file)).toEqual([])
    const second = fixtureReport({ startedAt: '2026-03-03T02:00:00.000Z' })
    await appendHistory(file, second)
    await appendHistory(file, fixtureReport())
    const runs = await appendHistory(file, second)
    expect(runs.map(({ startedAt }) => startedAt)).toEqual([
      '2026-03-02T02:00:00.000Z',
      '2026-03-03T02:00:00.000Z',
    ])
    expect(await readHistory(file)).toEqual(runs)
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(3)
    await (await import('node:fs/promises')).appendFile(file, 'torn')
    await expect(readHistory(file)).rejects.toThrow(`${file}:3: not a run of a history file`)
  })
})
