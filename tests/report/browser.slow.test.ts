import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diffReports } from '../../engine/report/diff.ts'
import { html } from '../../engine/report/html/page.ts'
import type { ExchangeRecord, Report } from '../../engine/report/report.ts'
import { hasBrowser, launch, openAll, reason, type Watched, watched } from './chromium.ts'
import { hostileRun } from './hostile.ts'
import { copied, recorded } from './recorded.ts'

const every = await recorded('every')
const hostile = await hostileRun()
const observed = every.report.observations.find(
  ({ exchange }) => exchange !== undefined,
) as Required<Report['observations'][number]>
const found = every.exchanges.find(({ id }) => id === observed.exchange) as ExchangeRecord
const empty = copied(every, { checks: [] }).report

let browser: Browser
let dir: string

beforeAll(async () => {
  if (!hasBrowser) return
  dir = await mkdtemp(join(tmpdir(), 'assay-'))
  browser = await launch()
})
afterAll(() => browser?.close())

async function open(
  report: Report,
  exchanges: ExchangeRecord[],
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const file = join(dir, `${Math.random()}.html`)
  await writeFile(file, html(report, exchanges, { diff: diffReports(empty, report) }))
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const { requests, troubles } = watched(page)
  await page.goto(`file://${file}`)
  requests.length = 0
  return { page, requests, troubles }
}

const count = (page: Page, selector: string) => page.locator(selector).count()

describe.skipIf(!hasBrowser)(`report.html in Chromium${reason}`, () => {
  test('a bank that attacks runs nothing, loads nothing, breaks nothing', async () => {
    const { report, exchanges } = hostile
    const { page, requests, troubles } = await open(report, exchanges)
    await openAll(page)
    await page.fill('.filters input[type=search]', 'script')
    await page.emulateMedia({ media: 'print' })
    expect(await page.evaluate('window.pwned')).toBeUndefined()
    expect(await count(page, '.view')).toBeGreaterThan(40)
    expect(await count(page, 'img, iframe, link, main script:not([type])')).toBe(0)
    expect({ requests, troubles }).toEqual({ requests: [], troubles: [] })
  })

  test('even a script that got into the page would not run', async () => {
    const { page } = await open(every.report, every.exchanges)
    await page.evaluate(`{
      const script = document.createElement('script')
      script.append('window.pwned = 1')
      try { document.body.append(script) } catch {}
      try { document.body.innerHTML += '<img src=x onerror="window.pwned = 2">' } catch {}
    }`)
    await page.waitForTimeout(100)
    expect(await page.evaluate('window.pwned')).toBeUndefined()
  })

  test('links lead to what they name, also when it is filtered away or closed', async () => {
    const { page } = await open(every.report, every.exchanges)
    await page.fill('.filters input[type=search]', 'nothing like this')
    const { requirement, exchange } = observed
    await page.locator('#observations summary').click()
    await page.locator('#observations a', { hasText: requirement }).first().click()
    await page.locator(`[id="${requirement}"][open]`).waitFor()
    await page.locator(`#observations a[href="#exchange-${exchange}"]`).first().click()
    const path = new URL(found.request.url).pathname
    await page.locator('#exchange-list .view', { hasText: path }).waitFor()
    await page.evaluate(`location.hash = '#exchange-x250'`)
    await page.locator('#exchange-list button[aria-expanded=true]', { hasText: 'x250' }).waitFor()
    await page.evaluate(`location.hash = '#' + encodeURI('check-TXN-17/both')`)
    await page.locator('[id="check-TXN-17/both"]').waitFor()
  })

  test('fits a phone', async () => {
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 320, height: 640 },
    ]) {
      const { page } = await open(hostile.report, hostile.exchanges, {
        viewport,
        isMobile: true,
      })
      await openAll(page)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        viewport.width,
      )
    }
  })

  test('has enough contrast in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open(every.report, every.exchanges, { colorScheme })
      const poor = await page.evaluate(
        await readFile(new URL('./contrast.js', import.meta.url), 'utf8'),
      )
      expect(poor, colorScheme).toEqual([])
    }
  })

  test('5,000 exchanges and 400 failures can be filtered, searched and opened', async () => {
    const { report } = copied(every, { requests: 5000 })
    const like = report.checks.find(({ id }) => id === 'TXN-17/to-alone')
    const more = Array.from({ length: 400 }, (_, i) => ({
      ...(like as Report['checks'][number]),
      id: `TXN-17/more-${i}`,
      exchanges: [`x${i * 10 + 1}`],
    }))
    report.checks.push(...more)
    report.requirements.find(({ id }) => id === 'TXN-17')?.checks.push(...more.map(({ id }) => id))
    const exchanges = Array.from({ length: 5000 }, (_, i) => ({
      ...(every.exchanges[i % every.exchanges.length] as ExchangeRecord),
      id: `x${i + 1}`,
    }))
    const { page, troubles } = await open(report, exchanges)
    const loaded = await page.evaluate(`performance.getEntriesByType('navigation')[0].loadEventEnd`)
    const times: Record<string, number> = { loaded: Number(loaded) }
    const timed = async (name: string, script: string) => {
      times[name] = Number(
        await page.evaluate(`(async () => {
          const start = performance.now()
          ${script}
          await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
          return performance.now() - start
        })()`),
      )
    }
    const type = (selector: string, text: string) =>
      `const input = document.querySelector('${selector}')
       input.value = '${text}'; input.dispatchEvent(new Event('input', { bubbles: true }))`
    await timed('filter', type('.filters input[type=search]', 'currency'))
    const kept = await page.locator('.requirement:visible').allTextContents()
    expect(kept.length).toBeGreaterThan(0)
    for (const words of kept) expect(words.toLowerCase()).toContain('currency')
    await timed('search', type('#exchange-list input', 'x49'))
    const rows = page.locator('#exchange-list .rows button')
    for (const words of await rows.allTextContents()) expect(words).toContain('x49')
    await timed('next', `document.querySelectorAll('.pager button')[1].click()`)
    expect(await rows.first().textContent()).toContain('x49')
    await timed('open', `document.querySelector('#exchange-list .rows button').click()`)
    expect(await page.locator('#exchange-list .view').count()).toBe(1)
    await timed('jump', `location.hash = '#exchange-x4990'`)
    await page.locator('#exchange-list button[aria-expanded=true]', { hasText: 'x4990' }).waitFor()
    // For reports/README.md; how long it takes here says as much of the machine as of the page.
    console.log(
      Object.entries(times)
        .map(([name, ms]) => `${name} ${Math.round(ms)} ms`)
        .join(', '),
    )
    expect(troubles).toEqual([])
  })
})
