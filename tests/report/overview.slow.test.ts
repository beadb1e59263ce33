import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findRuns } from '../../engine/report/find-runs.ts'
import { overviewPage } from '../../engine/report/html/overview.ts'
import { type Overview, overviewOf } from '../../engine/report/overview.ts'
import type { Report } from '../../engine/report/report.ts'
import { main } from '../built.ts'
import { hasBrowser, launch } from './chromium.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-overview-'))
const at = (...parts: string[]) => join(folder, ...parts)
const assay = (...args: string[]) =>
  spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
const overviewIn = (name: string): Overview =>
  JSON.parse(readFileSync(at(name, 'overview.json'), 'utf8'))

let many: ReturnType<typeof assay>

beforeAll(() => {
  writeFileSync(at('north.yaml'), 'bank: embedded\nname: North\n')
  writeFileSync(at('south.yaml'), 'bank: embedded\nname: South\n')
  const targets = ['--target', at('north.yaml'), '--target', at('south.yaml')]
  many = assay('run', ...targets, '--only', 'products', '--parallel', '2', '--out', at('runs'))
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('several targets in one call', () => {
  test('each has its folder, each line its name, and an overview stands at the end', () => {
    expect([many.status, many.stderr]).toEqual([0, ''])
    expect(many.stdout).toMatch(/^\[north\] CONFORMANT/m)
    expect(many.stdout).toMatch(/^\[south\] CONFORMANT/m)
    const { banks, chapters } = overviewIn('runs')
    expect(banks.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['North', 'conformant'],
      ['South', 'conformant'],
    ])
    expect(chapters).toEqual(['product-information/products'])
    expect(readFileSync(at('runs', 'overview.html'), 'utf8')).toContain('South')
  })

  test.each([
    [['--baseline', 'x'], '--baseline is for one run: name one --target'],
    [['--list'], '--list is for one run'],
    [['--parallel', '0'], '--parallel takes a whole number from 1 to 64'],
  ])('%j cannot be shared', (more, words) => {
    const said = assay('run', '--target', at('north.yaml'), '--target', at('south.yaml'), ...more)
    expect([said.status, said.stdout]).toEqual([2, ''])
    expect(said.stderr).toContain(words)
  })

  test('a file that is not there is told before anything is sent', () => {
    const said = assay('run', '--target', at('north.yaml'), '--target', at('east.yaml'))
    expect(said.status).toBe(2)
    expect(said.stderr).toContain('east.yaml: there is no such file')
  })
})

describe('runs that other machines made', () => {
  /** A night later one check fails, which the real run passed. */
  const later = (name: string, change: (report: Report) => void) => {
    cpSync(at('runs', 'north'), at('more', name), { recursive: true })
    const file = at('more', name, 'report.json')
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report
    change(report)
    writeFileSync(file, JSON.stringify(report))
    return report
  }
  const broken = (report: Report, day: string) => {
    report.startedAt = `${day}T01:00:00.000Z`
    report.finishedAt = `${day}T01:01:00.000Z`
    report.verdict = 'nonconformant'
    const check = report.checks.find(({ outcome }) => outcome === 'pass')
    if (check) Object.assign(check, { outcome: 'fail', message: 'no <b> product came' })
    return check?.id
  }

  test('what is new since the night before, and the strip of each check', async () => {
    let id: string | undefined
    later('b', (report) => {
      id = broken(report, '2027-01-02')
    })
    const { runs } = await findRuns([at('runs'), at('more'), at('runs')])
    expect(runs).toHaveLength(5)
    const { banks } = overviewOf(runs, Date.parse('2027-01-02T02:00:00Z'))
    const [north, south] = banks
    expect(north?.name).toBe('North')
    expect(north?.runs.map(({ verdict }) => verdict)).toEqual(['conformant', 'nonconformant'])
    expect(north?.changes?.new.map((change) => change.id)).toEqual([id])
    expect(north?.history).toEqual([{ id, title: expect.any(String), outcomes: ['pass', 'fail'] }])
    expect(north?.chapters['product-information/products']?.worst).toBe('fail')
    expect(south?.chapters['product-information/products']?.worst).toBe('pass')
    expect(overviewPage(overviewOf(runs, 0), [])).toContain('no &#60;b&#62; product came')
  })

  test('a check that goes to and fro is flaky, a run that judged nothing has no verdict, reports are linked', async () => {
    const { runs } = await findRuns([at('runs', 'north')])
    const [{ report, folder: where } = runs[0] as (typeof runs)[number]] = runs
    const nights = ['pass', 'fail', 'pass', 'fail'].map((outcome, day) => {
      const night = structuredClone(report)
      night.startedAt = `2027-02-0${day + 1}T01:00:00.000Z`
      Object.assign(night.checks[0] as object, { outcome })
      return { folder: `${where}${day}`, report: night }
    })
    const last = structuredClone(report)
    last.startedAt = '2027-02-09T01:00:00.000Z'
    last.verdict = 'incomplete'
    for (const check of last.checks) check.outcome = 'not-run'
    const all = overviewOf([...nights, { folder: where, report: last }], 0)
    expect(all.banks[0]?.verdict).toBe('not judged')
    expect(all.banks[0]?.history.find(({ flaky }) => flaky)?.id).toBe(report.checks[0]?.id)
    const page = overviewPage(all, [], (of) => `${of === where ? 'last' : 'other'}/report.html`)
    expect(page).toContain('<span class="badge flaky">flaky</span>')
    expect(page.match(/href="other\/report\.html"/g)).toHaveLength(4)
    expect(page).toContain('<i class="not-judged"')
  })

  test('a run that judged nothing says nothing of a check, and nothing has changed since', async () => {
    const { runs } = await findRuns([at('runs', 'north')])
    const [{ report, folder: where } = runs[0] as (typeof runs)[number]] = runs
    const nothing = structuredClone(report)
    nothing.startedAt = '2027-02-09T01:00:00.000Z'
    for (const check of nothing.checks) check.outcome = 'not-run'
    const after = structuredClone(report)
    after.startedAt = '2027-02-10T01:00:00.000Z'
    const found = [report, nothing, after].map((each, n) => {
      return { folder: `${where}${n}`, report: each }
    })
    const [still] = overviewOf(found.slice(0, 2), 0).banks
    expect([still?.verdict, still?.changes, still?.history]).toEqual(['not judged', undefined, []])
    const [again] = overviewOf(found, 0).banks
    expect(again?.changes?.since).toBe(report.startedAt)
  })

  test.runIf(hasBrowser)(
    'the page is no wider than its window, on a phone too',
    async () => {
      const { runs } = await findRuns([at('runs')])
      const [{ report } = runs[0] as (typeof runs)[number]] = runs
      const wide = structuredClone(report)
      wide.target.name = 'A bank with a rather long name of its staging stage'
      const first = wide.requirements[0] as Report['requirements'][number]
      for (let n = 0; n < 22; n += 1) {
        const id = `ZZZ-${n + 10}`
        wide.requirements.push({ ...first, id, chapter: `account-information/chapter-${n}` })
        const check = structuredClone(wide.checks[0] as Report['checks'][number])
        wide.checks.push({ ...check, id: `${id}/check`, requirement: id })
      }
      writeFileSync(
        at('wide.html'),
        overviewPage(overviewOf([{ folder: 'w', report: wide }], 0), []),
      )
      const browser = await launch()
      try {
        for (const width of [390, 1280]) {
          const shown = await browser.newPage({ viewport: { width, height: 800 } })
          await shown.goto(`file://${at('wide.html')}`)
          expect(await shown.evaluate('document.documentElement.scrollWidth')).toBe(width)
        }
      } finally {
        await browser.close()
      }
    },
    60_000,
  )

  test('links to reports are relative', () => {
    const page = readFileSync(at('runs', 'overview.html'), 'utf8')
    expect(page).toContain('href="north/report.html"')
  })

  test('a TPP is no bank, though they have one name', async () => {
    const tpp = later('tpp', ({ target }) => {
      target.side = 'TPP'
    })
    const { runs } = await findRuns([at('runs', 'north'), at('more', 'tpp')])
    const all = overviewOf(runs, Date.parse(tpp.finishedAt))
    expect(all.banks.map(({ name, side, runs }) => [name, side, runs.length])).toEqual([
      ['North', undefined, 1],
      ['North', 'TPP', 1],
    ])
    const page = overviewPage(all, [])
    expect(page).toContain('<h1>1 bank, 1 TPP</h1>')
    expect(page).toContain('TPP, conformant')
  })

  test('certificates and known deviations that end soon, the soonest first', async () => {
    const { runs } = await findRuns([at('runs', 'north')])
    const { report, folder: where } = runs[0] as (typeof runs)[number]
    const [certificate] = report.target.certificates ?? []
    expect(certificate?.client).toBe('first')
    const end = Date.parse(certificate?.notAfter ?? '')
    const known = structuredClone(report)
    Object.assign(known.checks[0] as object, {
      deviation: {
        reason: 'BANK-1',
        expires: new Date(end - 86_400_000).toISOString().slice(0, 10),
      },
    })
    const { ending } = overviewOf([{ folder: where, report: known }], end - 10 * 86_400_000)
    expect(ending[0]?.what).toBe(`known deviation ${known.checks[0]?.id}`)
    expect(ending.map(({ what }) => what)).toContain('transport certificate of the first client')
    expect(overviewOf([{ folder: where, report }], end - 90 * 86_400_000).ending).toEqual([])
  })

  test('a report that cannot be read is told beside the others; none at all is a mistake', async () => {
    cpSync(at('runs', 'north'), at('torn', 'a'), { recursive: true })
    cpSync(at('runs', 'north'), at('torn', 'b'), { recursive: true })
    writeFileSync(at('torn', 'b', 'report.json'), '{"verdict":')
    const { runs, problems } = await findRuns([at('torn')])
    expect([runs.length, problems.length]).toEqual([1, 1])
    expect(problems[0]).toContain(at('torn', 'b', 'report.json'))
    await expect(findRuns([at('nowhere')])).rejects.toThrow('no run is in')
  })
})
