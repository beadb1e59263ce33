/**
 * Takes the pictures of reports/README.md: `npx tsx tests/report/take-pictures.ts`. Two nights at the
 * reference bank; in the second one it has three faults.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { startBank } from '../../bank/bank.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { loadFaults } from '../../proof/run/load.ts'
import { assay, targetFile } from '../evidence/cli.ts'
import { launch } from './chromium.ts'

const FAULTS = ['no-certificate-needed', 'to-filter-needs-from', 'unknown-account-is-nothing']
const pictures = resolve(import.meta.dirname, '..', '..', 'docs', 'pictures')
const folder = mkdtempSync(join(tmpdir(), 'assay-pictures-'))

/** One night: a run into a folder of its own. */
async function night(name: string, faults: string[], baseline?: string): Promise<string> {
  const known = await loadFaults()
  const bank = await startBank({ alterations: known.filter(({ id }) => faults.includes(id)) })
  const document = { ...(structuredClone(bank.target) as TargetDocument), name: 'staging' }
  const out = join(folder, name)
  const compared = baseline === undefined ? [] : ['--baseline', baseline]
  const words = ['--target', targetFile(folder, document), '--out', out, ...compared]
  const { code } = await assay(['run', ...words, '--history', join(folder, 'history.jsonl')]).ended
  await bank.close()
  console.log(`${name}: exit code ${code}`)
  return join(out, 'report.html')
}

async function picture(
  browser: Browser,
  name: string,
  report: string,
  options: BrowserContextOptions,
  show: (page: Page) => Promise<void> = async () => {},
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1080, height: 720 }, ...options })
  const page = await context.newPage()
  await page.goto(`file://${report}`)
  await show(page)
  await page.waitForTimeout(500)
  await page.screenshot({ path: join(pictures, `report-${name}.png`) })
  await context.close()
}

await night('first', [])
const second = await night('second', FAULTS, join(folder, 'first'))
const browser = await launch()
const phone = { viewport: { width: 390, height: 780 }, isMobile: true }
const to = (selector: string) => async (page: Page) => {
  await page.evaluate(`document.querySelector('${selector}').scrollIntoView()`)
}

await picture(browser, 'verdict', second, {})
// The first screen, small.
for (const [width, height] of [
  [1280, 900],
  [390, 844],
] as const) {
  const options = { viewport: { width, height }, deviceScaleFactor: width > 1000 ? 0.6 : 0.75 }
  await picture(browser, `first-screen-${width}`, second, options)
}
await picture(browser, 'dark', second, { colorScheme: 'dark' }, to('#changes'))
await picture(
  browser,
  'failure',
  second,
  { viewport: { width: 1080, height: 1000 } },
  to('[data-check="TXN-17/to-alone"]'),
)
await picture(browser, 'phone', second, { ...phone, colorScheme: 'dark' })
await picture(browser, 'filter', second, {}, async (page) => {
  await to('#requirements')(page)
})
await picture(browser, 'timeline', second, {}, to('#timeline'))
await picture(browser, 'exchanges', second, phone, to('#exchanges'))
await picture(
  browser,
  'print',
  second,
  { viewport: { width: 800, height: 1000 } },
  async (page) => {
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`)
  },
)
await browser.close()
rmSync(folder, { recursive: true, force: true })
