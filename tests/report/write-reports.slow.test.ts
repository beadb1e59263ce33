import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { writeReports } from '../../engine/report/write-reports.ts'
import { copied, recorded } from './recorded.ts'

const night = await recorded('faulty')

let dir: string

async function run(
  name: string,
  startedAt = night.report.startedAt,
  exchanges = 40,
): Promise<string> {
  const folder = join(dir, name)
  await mkdir(folder)
  const { report } = copied(night, { startedAt, requests: exchanges })
  await writeFile(join(folder, 'report.json'), JSON.stringify(report))
  await writeFile(
    join(folder, 'exchanges.jsonl'),
    night.exchanges
      .slice(0, exchanges)
      .map((e) => `${JSON.stringify(e)}\n`)
      .join(''),
  )
  return folder
}

async function contents(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files[path.slice(folder.length + 1)] = await readFile(path, 'utf8')
  }
  return files
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-'))
})

describe('writeReports', () => {
  test('makes each report, and the same ones again', async () => {
    const folder = await run('a')
    const written = await writeReports(folder)
    expect(written.map(({ file }) => file)).toEqual([
      'report.html',
      'junit.xml',
      'ctrf.json',
      'step-summary.md',
      'observations.json',
      'assay.prom',
      'test-result.intoto.json',
      'allure-results/',
    ])
    const first = await contents(folder)
    await writeFile(join(folder, 'allure-results', 'stale-result.json'), '{}')
    await rm(join(folder, 'report.html'))
    await writeReports(folder)
    expect(await contents(folder)).toEqual(first)
  })

  test('compares with a baseline and keeps a history', async () => {
    const [a, b] = [await run('a', '2026-03-01T02:00:00.000Z'), await run('b')]
    const history = join(dir, 'history.jsonl')
    await writeReports(a, { history })
    await writeReports(b, { history, baseline: a })
    await writeReports(b, { history, baseline: a })
    expect((await readFile(history, 'utf8')).trim().split('\n')).toHaveLength(2)
    const { 'report.html': page, 'diff.md': markdown } = await contents(b)
    expect(page).toContain('Since the run before')
    expect(page).toContain('<h2 id="h-trend">Trend <small>2 runs</small></h2>')
    expect(markdown).toContain(`2026-03-01T02:00:00.000Z → ${night.report.startedAt}`)
  })

  test('has a report of a run that was killed, and says what is missing', async () => {
    const folder = await run('a')
    await appendFile(join(folder, 'exchanges.jsonl'), '{"id":"x41","requ')
    await writeReports(folder)
    expect((await contents(folder))['report.html']).toContain(
      'exchanges.jsonl:41: not an exchange, left out',
    )
    await rm(join(folder, 'exchanges.jsonl'))
    await writeReports(folder)
    expect((await contents(folder))['report.html']).toContain(
      'is missing: no exchange can be shown',
    )
  })

  test('leaves out a line that no recorder writes, whatever its length', async () => {
    const folder = await run('a')
    await appendFile(join(folder, 'exchanges.jsonl'), `${'x'.repeat(20 * 1024 * 1024)}\n`)
    await writeReports(folder)
    expect((await contents(folder))['report.html']).toContain(
      'exchanges.jsonl:41: longer than 16777216 bytes',
    )
  })

  test('says in one sentence when a folder is none of a run', async () => {
    await expect(writeReports(dir)).rejects.toThrow('is not the folder of a run')
    await writeFile(join(dir, 'report.json'), '{')
    await expect(writeReports(dir)).rejects.toThrow('is not JSON')
    await writeFile(join(dir, 'report.json'), '{}')
    await expect(writeReports(dir)).rejects.toThrow(
      `${join(dir, 'report.json')} must have required property 'assay'. Take the report`,
    )
  })
})
