import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { diffReports } from '../../engine/report/diff.ts'
import { diffMarkdown, diffText } from '../../engine/report/diff-text.ts'
import { appendHistory, readHistory } from '../../engine/report/history.ts'
import { observationProfile } from '../../engine/report/observation-profile.ts'
import type { Outcome, Report } from '../../engine/report/report.ts'
import { hostileRun } from './hostile.ts'
import { copied, MISTAKEN, recorded } from './recorded.ts'

const every = await recorded('every')
const report = (change: Partial<Report> = {}) => copied(every, change).report

function withOutcomes(outcomes: Record<string, Outcome>, change: Partial<Report> = {}): Report {
  const changed = report(change)
  for (const check of changed.checks) check.outcome = outcomes[check.id] ?? check.outcome
  return changed
}

const ids = (changes: { id: string }[]) => changes.map(({ id }) => id)
const having = (outcome: Outcome) =>
  every.report.checks.filter((check) => check.outcome === outcome).map(({ id }) => id)
const [passed = ''] = having('pass')
const [blocked = ''] = having('blocked')
const failed = having('fail')

describe('diffReports', () => {
  const later = withOutcomes(
    { [passed]: 'fail', 'ACC-05/gbp': 'pass', [blocked]: 'pass', [MISTAKEN]: 'blocked' },
    { startedAt: '2099-03-03T02:00:00.000Z' },
  )
  const diff = diffReports(report(), later)

  test('tells new, fixed, still, lost and otherwise changed apart', () => {
    expect(ids(diff.new)).toEqual([passed])
    expect(ids(diff.fixed)).toEqual(['ACC-05/gbp'])
    expect(ids(diff.still)).toEqual(failed.filter((id) => id !== 'ACC-05/gbp'))
    expect(ids(diff.lost)).toEqual([MISTAKEN])
    expect(ids(diff.changed)).toEqual([blocked])
    // Both runs were ended before their last check.
    expect(diff.caveats).toEqual([
      'The earlier run is partial: the run was interrupted',
      'The later run is partial: the run was interrupted',
    ])
  })

  test('finds nothing between a run and itself', () => {
    const same = diffReports(report(), report())
    expect(ids(same.still).sort()).toEqual([...failed, MISTAKEN].sort())
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
    const before = report()
    before.checks = before.checks.filter(({ id }) => id !== 'ACC-05/gbp')
    const grown = diffReports(before, report())
    expect([ids(grown.new), ids(grown.appeared)]).toEqual([['ACC-05/gbp'], ['ACC-05/gbp']])
    expect(ids(diffReports(report(), before).vanished)).toEqual(['ACC-05/gbp'])
  })

  test('counts what only one of two scopes has, and lists it not', () => {
    const part = report()
    part.scope = { ...part.scope, only: ['ACC'] }
    part.checks = part.checks.filter(({ id }) => id.startsWith('ACC-'))
    part.observations = []
    const narrowed = diffReports(report(), part)
    const { length } = narrowed.vanished
    const words = `${length} vanished checks: the later run was not asked to judge them`
    expect(diffText(narrowed)).toContain(words)
    expect(diffMarkdown(narrowed)).toContain(words)
    expect(diffText(narrowed)).not.toContain('→ absent')
    expect(narrowed.observations).toEqual([])
  })

  test('calls flaky what went to and fro', () => {
    const broken = withOutcomes({ [passed]: 'fail' })
    expect(ids(diffReports(broken, report(), [report()]).flaky)).toEqual([passed])
    expect(diffReports(broken, report()).flaky).toEqual([])
  })

  test('leaves out what only one of two runs saw, if one of them alone used kept clients', () => {
    const later = report()
    later.earlier = [{ day: '2026-01-31', musts: 1 }]
    later.observations = later.observations.slice(1)
    expect(diffReports(report(), later).observations).toEqual([])
    expect(diffReports(later, later).observations).toEqual([])
  })

  test('shows changed observations by value, not by order or exchange', () => {
    const other = report()
    const [first] = other.observations
    other.observations.reverse()
    for (const each of other.observations) if (each.exchange) each.exchange = 'x1'
    expect(diffReports(report(), other).observations).toEqual([])
    if (first) first.value = '["openid"]'
    expect(diffReports(report(), other).observations).toEqual([
      {
        requirement: first?.requirement,
        what: first?.what,
        before: [every.report.observations[0]?.value],
        after: ['["openid"]'],
      },
    ])
  })

  test('warns when the runs are not alike', () => {
    const whole = report({ partial: undefined })
    const other = report({
      scope: { ...every.report.scope, profile: 'core', only: ['TXN-*'] },
    })
    expect(diffReports(whole, other).caveats).toEqual([
      'The scope differs: full → core TXN-*',
      'The later run is partial: the run was interrupted',
    ])
  })

  test('as text and Markdown', async () => {
    const text = diffText(diff)
    expect(text).toMatch(/^1 new failure\n {2}\S+ {2}pass → fail {2}\S.*$/m)
    expect(text).toMatch(/^1 failure without a verdict now\n {2}\S+ {2}error → blocked {2}/m)
    expect(text).toMatch(
      new RegExp(
        `^${failed.length - 1} still failing\n {2}\\S+ {2}fail \\(known deviation\\) {2}`,
        'm',
      ),
    )
    expect(text).toMatch(/^1 fixed\n {2}ACC-05\/gbp {2}fail → pass {2}/m)
    expect(text).toMatch(/^1 otherwise changed\n {2}\S+ {2}blocked → pass {2}/m)
    expect(diffMarkdown(diff)).toContain(
      `### 1 new failure\n\n- <code>${passed}</code> pass → fail`,
    )
    const hostile = diffReports(report(), (await hostileRun()).report)
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
    const { observations } = every.report
    const turned = report({ observations: [...observations, ...observations].reverse() })
    expect(observationProfile(turned)).toBe(observationProfile(report()))
    const profile = JSON.parse(observationProfile(report()))
    for (const { requirement, what, value } of observations) {
      expect(profile[requirement][what]).toContain(value)
    }
    expect(Object.keys(profile)).toEqual(Object.keys(profile).sort())
  })
})

describe('the history file', () => {
  test('takes a run once, in order, and says which line is none', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'assay-')), 'history.jsonl')
    expect(await readHistory(file)).toEqual([])
    const second = report({ startedAt: '2099-03-03T02:00:00.000Z' })
    await appendHistory(file, second)
    await appendHistory(file, report())
    const runs = await appendHistory(file, second)
    expect(runs.map(({ startedAt }) => startedAt)).toEqual([
      every.report.startedAt,
      '2099-03-03T02:00:00.000Z',
    ])
    expect(await readHistory(file)).toEqual(runs)
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(3)
    await (await import('node:fs/promises')).appendFile(file, 'torn')
    await expect(readHistory(file)).rejects.toThrow(`${file}:3 is not JSON`)
  })
})
