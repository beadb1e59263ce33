import { existsSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allureReport, quietAllure } from '../../engine/report/allure-report.ts'
import { writeReports } from '../../engine/report/write-reports.ts'
import { fixtureExchanges, fixtureReport } from './fixture.ts'

/** The package `allure`, or the command line that ALLURE_CLI names. */
const cli = process.env.ALLURE_CLI ?? installed()
const reason = cli ? '' : ' (skipped: allure is not installed and ALLURE_CLI names none)'

function installed(): string | undefined {
  try {
    const path = join(createRequire(import.meta.url).resolve('allure/package.json'), '..', 'cli.js')
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}

describe('the call to an analytics host', () => {
  const page = (call: string) =>
    `<head>\n<meta charset="utf-8">\n</head>${call}<script>data()</script>`
  const tag =
    '<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>\n    <script>\n        window.dataLayer = []; gtag()\n</script>'

  test('is taken out, the rest stays, and a policy forbids others', () => {
    const quiet = quietAllure(page(tag))
    expect(quiet).not.toContain('gtag')
    expect(quiet).toContain('<script>data()</script>')
    expect(quiet).toContain("default-src 'none'")
  })

  test('in a shape that is not known is an error, not a page', () => {
    expect(() =>
      quietAllure(page('<script>load("https://www.googletagmanager.com")</script>')),
    ).toThrow('use 3.18')
    expect(() => quietAllure('<head></head>')).toThrow('use 3.18')
  })
})

describe.skipIf(!cli)(`allure-report.html${reason}`, () => {
  test('is one file made from allure-results, and keeps a history', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'assay-'))
    await writeFile(join(dir, 'report.json'), JSON.stringify(fixtureReport()))
    await writeFile(
      join(dir, 'exchanges.jsonl'),
      fixtureExchanges(40)
        .map((e) => `${JSON.stringify(e)}\n`)
        .join(''),
    )
    await writeReports(dir)
    const history = join(dir, 'history.jsonl')
    const { file, bytes } = await allureReport(dir, { history, cli })
    const html = await readFile(join(dir, file), 'utf8')
    expect(bytes).toBeGreaterThan(1_000_000)
    expect(html).not.toContain('googletagmanager')
    expect((await readFile(history, 'utf8')).trim().split('\n')).toHaveLength(1)
  }, 60_000)
})
