import { readFileSync, statSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { diffReports } from '../../engine/report/diff.ts'
import { count } from '../../engine/report/escape.ts'
import { historyEntry } from '../../engine/report/history.ts'
import { html } from '../../engine/report/html/page.ts'
import { hasBrowser, launch, reason, type Watched, watched } from './chromium.ts'
import { type BankName, excerptOfRun, type Recording, recorded } from './recorded.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const DAY = 86_400_000

/** Checks of one outcome and level in an excerpt. */
const OF_A_KIND = 4

const SCREENS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
]

let browser: Browser
let folder: string
let correct: Recording
const pages = new Map<string, string>()

/** The page of a recorded run, compared with a night at the correct bank. `excerpt`: of some of its checks. */
async function pageOf(name: BankName, excerpt = false): Promise<string> {
  const title = excerpt ? `${name}-excerpt` : name
  const known = pages.get(title)
  if (known !== undefined) return known
  const run = await recorded(name)
  const { report, exchanges } = excerpt ? excerptOfRun(run, OF_A_KIND) : run
  const file = join(folder, `${title}.html`)
  const diff = diffReports(correct.report, report)
  // Whichever was recorded first.
  const before = new Date(Date.parse(report.startedAt) - DAY).toISOString()
  const history = [{ ...historyEntry(correct.report), startedAt: before }, historyEntry(report)]
  await writeFile(file, html(report, exchanges, { diff, history, folder: 'reports/tonight' }))
  pages.set(title, file)
  return file
}

async function open(
  name: BankName,
  options: BrowserContextOptions = {},
  { hash = '', excerpt = false } = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: SCREENS[0], ...options })
  const page = await context.newPage()
  const seen = watched(page)
  await page.goto(`file://${await pageOf(name, excerpt)}${hash}`)
  seen.requests.length = 0
  return seen
}

/** Everything that stands on the first screen, as a reader reads it. */
async function firstScreen(page: Page): Promise<string> {
  const { height = 0 } = page.viewportSize() ?? {}
  return String(
    await page.evaluate(`{
      const words = []
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.parentElement.closest('script, style, .skip, .visually-hidden')) continue
        const range = document.createRange()
        range.selectNodeContents(node)
        const box = range.getBoundingClientRect()
        if (box.height > 0 && box.bottom <= ${height}) words.push(node.textContent)
      }
      words.join(' ').replace(/\\s+/g, ' ')
    }`),
  )
}

const shown = (page: Page) => page.locator('form.filters output').textContent()

beforeAll(async () => {
  correct = await recorded('correct')
  for (const name of ['faulty', 'known', 'absent'] as const) await recorded(name)
  if (!hasBrowser) return
  folder = await mkdtemp(join(tmpdir(), 'assay-pages-'))
  browser = await launch()
}, 900_000)
afterAll(() => browser?.close())

describe.skipIf(!hasBrowser)(`the page of a real run, in Chromium${reason}`, () => {
  test.each(SCREENS)(
    'at $width the first screen says verdict, bank and what is wrong',
    async (viewport) => {
      const { report } = await recorded('faulty')
      const { page, requests, troubles } = await open('faulty', { viewport })
      const words = await firstScreen(page)
      expect(words).toMatch(/nonconformant/i)
      expect(words).toContain('staging')
      expect(words).toContain(report.target.host)
      const [first, second] = report.causes
      expect(words).toContain(first?.findings[0])
      expect(words).toContain(first?.title)
      expect(words).toContain('the bank')
      if (viewport.width > 1000) {
        expect(words).toContain(second?.findings[0])
        expect(words).toMatch(/explains 3 findings/)
        for (const { title } of report.causes.slice(0, 5)) expect(words).toContain(title)
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
      expect({ requests, troubles }).toEqual({ requests: [], troubles: [] })
    },
  )

  test('every cause leads to its finding, once', async () => {
    const { report } = await recorded('faulty')
    const { page } = await open('faulty')
    const links = page.locator('#wrong a')
    expect(await links.count()).toBe(report.causes.length)
    for (let i = 0; i < report.causes.length; i += 1) {
      const href = decodeURIComponent((await links.nth(i).getAttribute('href')) ?? '')
      await links.nth(i).click()
      await page.locator(`[id="${href.slice(1)}"]`).waitFor()
    }
  })

  test('a correct bank has nothing wrong', async () => {
    const { page } = await open('correct')
    const words = await firstScreen(page)
    expect(words).toMatch(/conformant/i)
    expect(words).toContain('Nothing is wrong')
    expect(await page.locator('.chapter[open]').count()).toBe(0)
  })

  test('what is known is amber and folded, with owner, ticket and date', async () => {
    const { page } = await open('known')
    expect(await firstScreen(page)).toMatch(/conformant but for known deviations/i)
    const card = page.locator('details.card.known').first()
    expect(await card.getAttribute('open')).toBeNull()
    expect(await card.locator('summary').first().textContent()).toMatch(
      /gateway team · PAY-4711 · until 2099-01-31/,
    )
    expect(await page.locator('article.card.fail').count()).toBe(0)
  })

  test('a bank that was not there is not judged, and the page says why and what to do', async () => {
    const { page } = await open('absent')
    const words = await firstScreen(page)
    expect(words).toMatch(/not judged ?: nothing listens on 127\.0\.0\.1/i)
    expect(words).toContain('the network')
    expect(words).toMatch(/First compare addresses\./)
    expect(words).not.toMatch(/nonconformant|with a test/i)
    expect(await page.locator('#requirements, #exchanges, #failures').count()).toBe(0)
  })

  test('a failure shows the sentence, what was sent and came, the marked row, its control, how to repeat it', async () => {
    const { page, troubles } = await open('faulty')
    const row = page.locator('[data-check="TXN-17/to-alone"]')
    expect(await row.locator('blockquote').textContent()).toContain('TXN-17')
    expect(await row.locator('.sent').textContent()).toMatch(
      /GET \S+\/transactions\?toBookingDateTime=\S+ → 200/,
    )
    expect(await row.locator('.excerpt .mark').allTextContents()).toContainEqual(
      expect.stringContaining('"BookingDateTime"'),
    )
    expect(await row.locator('.actual').textContent()).toMatch(/row \d+: BookingDateTime/)
    const certificate = page.locator('[data-check="REG-01/no-certificate"]')
    expect(await certificate.locator('.message').textContent()).toBe(
      'registered a client (201) in spite of a missing client certificate (client certificate none at registration)',
    )
    await certificate.locator('summary', { hasText: 'Repeat it' }).click()
    expect(await certificate.locator('.curl code').first().textContent()).toBe(
      'npx assay reproduce REG-01/no-certificate --run reports/tonight',
    )
    expect(await certificate.locator('.curl button', { hasText: 'Copy' }).count()).toBe(2)
    // A wrong registration comes before the correct one; what is sent to an endpoint has its control.
    const endpoint = page.locator('[data-check="SEC-01/no-certificate"]')
    await endpoint.locator('summary').first().click()
    await endpoint.locator('summary', { hasText: 'Its control' }).click()
    await endpoint.locator('.view .sides').first().waitFor()
    expect(await endpoint.locator('.view').first().textContent()).toMatch(/Response 200/)
    expect(troubles).toEqual([])
  })

  test('requirements begin with what is not in order; filters and what is open live in the address', async () => {
    const { report } = await recorded('faulty')
    const { page } = await open('faulty')
    const all = report.requirements.length
    expect(await shown(page)).toMatch(new RegExp(`^\\d+ of ${all} requirements$`))
    expect(await page.locator('[id="REG-01"]').isVisible()).toBe(true)
    expect(await page.locator('[id="GEN-01"]').isVisible()).toBe(false)
    await page.selectOption('.filters [name=order]', '')
    expect(await shown(page)).toBe(`${all} requirements`)
    await page.selectOption('.filters [name=level]', 'should')
    await page.check('.filters [value=warn]')
    const words = await shown(page)
    await page.locator('.requirement:visible > summary').first().click()
    const opened = await page.locator('.requirement[open]').first().getAttribute('id')
    // The page's own policy forbids what waits in it by a string.
    await expect.poll(() => page.url()).toContain('open=')
    const hash = String(await page.evaluate('location.hash'))

    const again = await open('faulty', {}, { hash })
    expect(await shown(again.page)).toBe(words)
    expect(await again.page.locator('.requirement[open]').first().getAttribute('id')).toBe(opened)
    await again.page.click('form.filters button[type=reset]')
    await expect.poll(() => shown(again.page)).toBe(`${all} requirements`)
  })

  test.each(SCREENS)(
    'at $width each exchange shows path, status, time and check, and can be filtered',
    async (viewport) => {
      const { report, exchanges } = await recorded('faulty')
      const { page } = await open('faulty', { viewport })
      const rows = page.locator('#exchange-list .exchange')
      const first = rows.first()
      await first.scrollIntoViewIfNeeded()
      for (const part of ['.path', '.number', '.check']) {
        expect(await first.locator(part).first().isVisible(), part).toBe(true)
      }
      const position = page.locator('.pager output')
      await page.selectOption('select[name=endpoint]', 'GET /accounts')
      expect(await position.textContent()).toMatch(
        new RegExp(
          `of ${count(exchanges.filter(({ endpoint }) => endpoint === 'accounts').length)}$`,
        ),
      )
      await page.selectOption('select[name=endpoint]', '')
      await page.selectOption('select[name=purpose]', 'yes')
      const wrong = exchanges.filter(({ about }) => about.deviation !== undefined).length
      expect(await position.textContent()).toMatch(new RegExp(`of ${count(wrong)}$`))
      await page.selectOption('select[name=purpose]', '')
      await page.selectOption('select[name=failure]', 'TXN-17/to-alone')
      const failed = report.checks.find(({ id }) => id === 'TXN-17/to-alone')
      expect(await first.textContent()).toMatch(/x\d+/)
      expect(await page.locator('#exchange-list .exchange th').allTextContents()).toContain(
        failed?.exchanges[0],
      )
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
    },
  )

  test('works by keyboard alone', async () => {
    const { page } = await open('faulty')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the findings')
    await page.keyboard.press('Enter')
    await page.locator('.requirement:visible > summary').first().focus()
    await page.keyboard.press('Enter')
    await page.locator('.requirement[open]').waitFor()
    expect(await page.locator('.requirement[open]').count()).toBe(1)
    await page.locator('#exchange-list .exchange th button').first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.locator('#exchange-list .view .sides').waitFor()
    expect(
      await page.locator('#exchange-list .exchange th button').nth(1).getAttribute('aria-expanded'),
    ).toBe('true')
  })

  test('the timeline has a legend, tells on hover, leads to the exchange, and no number covers another', async () => {
    const { page } = await open('faulty')
    expect(await page.locator('.legend li').count()).toBe(5)
    for (const kind of ['failed', 'refused', 'sent']) {
      expect(await page.locator(`svg.timeline .tick.${kind}`).count(), kind).toBeGreaterThan(0)
    }
    const boxes = await page
      .locator('svg.timeline rect.visit')
      .evaluateAll((marks) =>
        marks.map((mark) => [Number(mark.getAttribute('x')), Number(mark.getAttribute('width'))]),
      )
    for (const [i, [x = 0]] of boxes.entries()) {
      const [before = 0, width = 0] = boxes[i - 1] ?? []
      if (i > 0) expect(x).toBeGreaterThanOrEqual(before + width)
    }
    const tick = page.locator('svg.timeline a').last()
    const title = (await tick.locator('title').textContent()) ?? ''
    expect(title).toMatch(/^x\d+ [A-Z]+ \S+ → /)
    await tick.dispatchEvent('click')
    await page.evaluate(`location.hash = '${await tick.getAttribute('href')}'`)
    await page
      .locator('#exchange-list button[aria-expanded=true]', { hasText: title.split(' ')[0] })
      .waitFor()
  })

  test('the trend has axes and a dot for each run', async () => {
    const { page } = await open('faulty')
    const chart = page.locator('svg.trend').first()
    expect(await chart.locator('circle.point.pass').count()).toBe(2)
    expect(await chart.locator('text').allTextContents()).toContain('0')
  })

  test('verdict, causes, failures and requirements are there without scripts', async () => {
    const { report } = await recorded('faulty')
    const { page } = await open('faulty', { javaScriptEnabled: false })
    expect(await firstScreenText(page)).toMatch(/nonconformant/i)
    for (const { title } of report.causes) {
      expect(await page.locator('#wrong').textContent()).toContain(title)
    }
    const card = page.locator('[data-check="TXN-17/to-alone"]')
    expect(await card.locator('.excerpt').isVisible()).toBe(true)
    const text = await page.locator('#requirements').textContent()
    for (const requirement of report.requirements) expect(text).toContain(requirement.text)
    await page.context().close()
  })

  test('prints verdict, failures, and every requirement', async () => {
    const { report } = await recorded('faulty')
    const { page } = await open('faulty')
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`)
    const hidden = page.locator('nav, .filters, #exchanges').filter({ visible: true })
    expect(await hidden.count()).toBe(0)
    expect(await page.locator('[data-check="TXN-17/to-alone"] .excerpt').isVisible()).toBe(true)
    expect(await page.locator('.requirement:visible').count()).toBe(report.requirements.length)
  })

  test.each([
    { name: 'faulty', colorScheme: 'light' },
    { name: 'known', colorScheme: 'dark' },
    { name: 'absent', colorScheme: 'light' },
  ] as const)('$name: axe finds nothing, in $colorScheme', { timeout: 240_000 }, async (it) => {
    // The page's own policy allows no script but its own. Checks of one outcome and level look alike.
    const { colorScheme } = it
    const { page } = await open(it.name, { colorScheme, bypassCSP: true }, { excerpt: true })
    // What is folded is looked at as well: all but the hundredth exchange, which is like the first.
    await page.evaluate(`{
      for (const details of document.querySelectorAll('details')) details.open = true
      document.querySelector('#exchange-list .rows button')?.click()
    }`)
    await page.waitForTimeout(300)
    await page.evaluate(AXE)
    const found = await page.evaluate(
      `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }).then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`,
    )
    expect(found).toEqual([])
  })

  test('is at most 4 MB for a run of the reference bank, which asks 4,500 times', async () => {
    await pageOf('faulty')
    await pageOf('correct')
    for (const file of pages.values()) expect(statSync(file).size).toBeLessThan(4_000_000)
  })
})

/** Without scripts nothing can be evaluated in the page: its text in the order of reading. */
async function firstScreenText(page: Page): Promise<string> {
  return (await page.locator('header').textContent()) ?? ''
}
