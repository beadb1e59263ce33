import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { openBank } from '../directory.ts'
import { hasBrowser, launch, openAll, reason, watched } from '../report/chromium.ts'
import { ATTACK } from '../report/hostile.ts'
import { attackingBank } from './attacking-bank.ts'
import { assay, exchangesIn, reportOf, targetFile } from './cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-attack-'))
const out = join(folder, 'out')
let written: string
let browser: Browser | undefined

beforeAll(async () => {
  const bank = await openBank({ alterations: [attackingBank(ATTACK)] })
  const target = targetFile(folder, structuredClone(bank.target) as TargetDocument)
  const ended = await assay(['run', '--target', target, '--out', out, '--profile', 'core']).ended
  written = ended.stdout + ended.stderr
  await bank.close()
  if (hasBrowser) browser = await launch()
}, 180_000)

afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The report of the run, in a browser that has a network. */
async function report() {
  const page = await (await browser?.newContext())?.newPage()
  if (!page) throw new Error('there is no browser')
  const seen = watched(page)
  await page.goto(`file://${join(out, 'report.html')}`)
  seen.requests.length = 0
  return seen
}

test('the bank went through with its attack', () => {
  const { verdict } = reportOf(out)
  const exchanges = readFileSync(join(out, 'exchanges.jsonl'), 'utf8')

  expect(verdict).toBe('nonconformant')
  expect(exchangesIn(out)).toBeGreaterThan(300)
  expect(exchanges.split('window.pwned=1').length).toBeGreaterThan(1000)
})

test('a finding marks its words in report.html, escaped', () => {
  const page = readFileSync(join(out, 'report.html'), 'utf8')

  expect(page).toMatch(/<span class="line mark">[^<>]*&#60;script&#62;window\.pwned=1/)
  expect(page).not.toContain('<script>window.pwned')
})

test('the terminal shows its words and obeys none', () => {
  expect(written).toContain('window.pwned')
  expect(written).not.toMatch(/(?!\n)[\p{Cc}\u202e\u2066-\u2069]/u)
})

describe.skipIf(!hasBrowser)(`report.html of a bank that attacks${reason}`, () => {
  test('runs nothing, loads nothing, asks nothing', { timeout: 120_000 }, async () => {
    const { page, requests, troubles } = await report()
    await openAll(page)
    await page.fill('.filters input[type=search]', 'script')
    await page.fill('.filters input[type=search]', '')
    await page.evaluate(
      `for (const a of [...document.querySelectorAll('main a')].slice(0, 100)) a.click()`,
    )
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`)
    await page.waitForTimeout(500)

    expect(await page.evaluate('window.pwned')).toBeUndefined()
    expect(await page.title()).not.toBe('title')
    expect(await page.locator('.view').count()).toBeGreaterThan(40)
    expect(await page.locator('.view', { hasText: 'window.pwned' }).count()).toBeGreaterThan(40)
    const foreign = 'img, iframe, link, object, embed, [onload], [onerror], [onfocus]'
    expect(await page.locator(foreign).count()).toBe(0)
    const links = await page
      .locator('a')
      .evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''))
    expect(links.filter((href) => !href.startsWith('#'))).toEqual([])
    expect({ requests, troubles }).toEqual({ requests: [], troubles: [] })
  })

  test('has a policy that would hold', { timeout: 60_000 }, async () => {
    let arrived = 0
    const server = createServer((_, response) => {
      arrived += 1
      response.end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { page } = await report()
    const tried = await page.evaluate(`{
      const there = 'http://127.0.0.1:${port}/'
      const refused = []
      const attempt = (what) => { try { what() } catch (error) { refused.push(error.name) } }
      const add = (name, members) =>
        attempt(() => document.body.append(Object.assign(document.createElement(name), members)))
      add('script', { textContent: 'window.pwned = 1' })
      add('script', { src: there + 'x.js' })
      add('img', { src: there + 'x.png' })
      add('iframe', { src: there })
      attempt(() => { document.body.innerHTML += '<img src=x onerror="window.pwned = 2">' })
      attempt(() => void fetch(there).catch((error) => refused.push(error.name)))
      const form = document.createElement('form')
      form.action = there
      document.body.append(form)
      form.submit()
      refused
    }`)
    expect(tried).toContain('TypeError')
    await page.waitForTimeout(500)

    expect(await page.evaluate('window.pwned')).toBeUndefined()
    expect(page.url()).toMatch(/^file:/)
    expect(arrived).toBe(0)
    server.close()
  })
})
