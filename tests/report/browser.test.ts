import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diffReports } from '../../engine/report/diff.ts'
import { html } from '../../engine/report/html/page.ts'
import type { ExchangeRecord, Report } from '../../engine/report/report.ts'
import { hasBrowser, launch, openAll, reason, type Watched, watched } from './chromium.ts'
import { fixtureExchanges, fixtureReport } from './fixture.ts'
import { hostileRun } from './hostile.ts'

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
  await writeFile(
    file,
    html(report, exchanges, { diff: diffReports(fixtureReport({ checks: [] }), report) }),
  )
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
    const { report, exchanges } = hostileRun()
    const { page, requests, troubles } = await open(report, exchanges)
    await openAll(page)
    await page.fill('.filters input[type=search]', 'script')
    await page.emulateMedia({ media: 'print' })
    expect(await page.evaluate('window.pwned')).toBeUndefined()
    expect(await count(page, '.view')).toBeGreaterThan(40)
    expect(await count(page, 'img, iframe, link, main script:not([type="application/json"])')).toBe(
      0,
    )
    expect({ requests, troubles }).toEqual({ requests: [], troubles: [] })
  })

  test('even a script that got into the page would not run', async () => {
    const { page } = await open(fixtureReport(), fixtureExchanges(40))
    await page.evaluate(`{
      const script = document.createElement('script')
      script.append('window.pwned = 1')
      try { document.body.append(script) } catch {}
      try { document.body.innerHTML += '<img src=x onerror="window.pwned = 2">' } catch {}
    }`)
    await page.waitForTimeout(100)
    expect(await page.evaluate('window.pwned')).toBeUndefined()
  })

  test('a failure shows its exchange with the offending place marked, its control, curl', async () => {
    const { page, troubles } = await open(fixtureReport(), fixtureExchanges(40))
    const card = page.locator('[data-check="ACC-05/gbp"]')
    await card.scrollIntoViewIfNeeded()
    await card.locator('.line.mark').first().waitFor()
    expect(await card.locator('.line.mark').allTextContents()).toEqual([
      '        "Currency": "EUR",',
    ])
    expect(await card.locator('.view').first().textContent()).toContain(
      'TLSv1.3 TLS_AES_256_GCM_SHA384',
    )
    const filter = page.locator('[data-check="TXN-17/to-alone"]')
    await filter.locator('summary', { hasText: 'control' }).click()
    expect(await filter.locator('.view').last().textContent()).toContain('2025-11-14T00:00:00Z')
    await filter.locator('summary', { hasText: 'curl' }).click()
    expect(await filter.locator('.curl code').textContent()).toContain('$ACCESS_TOKEN')
    expect(troubles).toEqual([])
  })

  test('marks where a member is missing, and reads a body that was cut', async () => {
    const report = fixtureReport()
    for (const check of report.checks)
      if (check.id === 'ACC-05/gbp') check.place = '/Data/Account/1/Nickname'
    for (const check of report.checks)
      if (check.id === 'ACC-09/masked') check.place = '/Data/Account/1/Currency'
    const exchanges = fixtureExchanges(40, (record) => {
      if (record.id !== 'x15' || !record.response) return record
      const body = record.response.body.slice(0, record.response.body.indexOf('EUR') + 2)
      return { ...record, response: { ...record.response, body, digest: 'a'.repeat(64) } }
    })
    const { page } = await open(report, exchanges)
    const [missing, cut] = [
      page.locator('[data-check="ACC-05/gbp"]'),
      page.locator('[data-check="ACC-09/masked"]'),
    ]
    await missing.scrollIntoViewIfNeeded()
    await missing.locator('.line.mark').first().waitFor()
    expect(await missing.locator('.view .said').textContent()).toBe(
      'Nothing stands at /Data/Account/1/Nickname; marked is what should hold it.',
    )
    await cut.scrollIntoViewIfNeeded()
    await cut.locator('.line.mark').first().waitFor()
    expect(await cut.locator('.line.mark').allTextContents()).toEqual(['        "Currency": "EU'])
  })

  test('filters by outcome, level, chapter, text and what is new, and says how many', async () => {
    const { page } = await open(fixtureReport(), fixtureExchanges(40))
    const shown = async () => (await page.locator('.filters output').textContent()) ?? ''
    expect(await shown()).toBe('17 requirements')
    await page.check('.filters [value=fail]')
    expect(await shown()).toBe('3 of 17 requirements')
    await page.fill('.filters input[type=search]', 'gbp')
    expect(await shown()).toBe('1 of 17 requirements')
    expect(await count(page, '.chapter:visible')).toBe(1)
    await page.click('.filters button[type=reset]')
    await page.selectOption('.filters [name=level]', 'should')
    expect(await shown()).toBe('2 of 17 requirements')
    await page.click('.filters button[type=reset]')
    await page.selectOption('.filters [name=chapter]', 'product-information/errors')
    expect(await shown()).toBe('1 of 17 requirements')
    await page.click('.filters button[type=reset]')
    await page.check('.filters [name=fresh]')
    expect(await shown()).toBe('4 of 17 requirements')
  })

  test('links lead to what they name, also when it is filtered away or closed', async () => {
    const { page } = await open(fixtureReport(), fixtureExchanges(300))
    await page.fill('.filters input[type=search]', 'nothing like this')
    await page.locator('#observations a', { hasText: 'TXN-31' }).click()
    expect(await page.locator('[id="TXN-31"]').getAttribute('open')).not.toBeNull()
    await page.locator('#observations a[data-show=x22]').click()
    expect(await page.locator('#exchange-list .view').textContent()).toContain('transactions')
    await page.evaluate(`location.hash = '#exchange-x250'`)
    await page.locator('#exchange-list button[aria-expanded=true]', { hasText: 'x250' }).waitFor()
    await page.evaluate(`location.hash = '#' + encodeURI('check-CON-11/foreign')`)
    expect(await page.locator('[id="check-CON-11/foreign"]').isVisible()).toBe(true)
  })

  test('works by keyboard alone', async () => {
    const { page } = await open(fixtureReport(), fixtureExchanges(40))
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the findings')
    await page.keyboard.press('Enter')
    await page.locator('.requirement > summary').first().focus()
    await page.keyboard.press('Enter')
    expect(await page.locator('.requirement').first().getAttribute('open')).not.toBeNull()
    await page.locator('#exchange-list .rows button').first().focus()
    await page.keyboard.press('Space')
    expect(await count(page, '#exchange-list .view')).toBe(1)
  })

  test('fits a phone', async () => {
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 320, height: 640 },
    ]) {
      const { page } = await open(hostileRun().report, hostileRun().exchanges, {
        viewport,
        isMobile: true,
      })
      await openAll(page)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
        viewport.width,
      )
    }
  })

  test('prints verdict, failures with their exchanges, and every requirement', async () => {
    const { page } = await open(fixtureReport(), fixtureExchanges(40))
    const paper = await page.pdf({ format: 'A4' })
    expect(paper.length).toBeGreaterThan(20_000)
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`)
    expect(await page.locator('nav, .filters, #exchanges').filter({ visible: true }).count()).toBe(
      0,
    )
    expect(await page.locator('[data-check="ACC-05/gbp"] .line.mark').isVisible()).toBe(true)
    expect(await page.locator('.requirement:visible').count()).toBe(17)
  })

  test('has enough contrast in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open(fixtureReport(), fixtureExchanges(40), { colorScheme })
      const poor = await page.evaluate(
        await readFile(new URL('./contrast.js', import.meta.url), 'utf8'),
      )
      expect(poor, colorScheme).toEqual([])
    }
  })

  test('5,000 exchanges and 400 failures stay smooth', async () => {
    const report = fixtureReport({ requests: 5000 })
    const like = report.checks.find(({ id }) => id === 'TXN-17/to-alone')
    const more = Array.from({ length: 400 }, (_, i) => ({
      ...(like as Report['checks'][number]),
      id: `TXN-17/more-${i}`,
      exchanges: [`x${i * 10 + 1}`],
    }))
    report.checks.push(...more)
    report.requirements.find(({ id }) => id === 'TXN-17')?.checks.push(...more.map(({ id }) => id))
    const { page, troubles } = await open(report, fixtureExchanges(5000))
    const loaded = Number(
      await page.evaluate(`performance.getEntriesByType('navigation')[0].loadEventEnd`),
    )
    const timed = async (script: string) => {
      const time = await page.evaluate(`(async () => {
        const start = performance.now()
        ${script}
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
        return performance.now() - start
      })()`)
      return Number(time)
    }
    const type = (
      selector: string,
      text: string,
    ) => `const input = document.querySelector('${selector}')
      input.value = '${text}'; input.dispatchEvent(new Event('input', { bubbles: true }))`
    const times = {
      loaded,
      filter: await timed(type('.filters input[type=search]', 'currency')),
      search: await timed(type('#exchange-list input', 'x49')),
      next: await timed(`document.querySelectorAll('.pager button')[1].click()`),
      open: await timed(`document.querySelector('#exchange-list .rows button').click()`),
      jump: await timed(`location.hash = '#exchange-x4990'`),
    }
    console.log(
      Object.entries(times)
        .map(([name, ms]) => `${name} ${Math.round(ms)} ms`)
        .join(', '),
    )
    expect(troubles).toEqual([])
    expect(times.loaded).toBeLessThan(5000)
    for (const name of ['filter', 'search', 'next', 'open', 'jump'] as const)
      expect(times[name], name).toBeLessThan(500)
  })
})
