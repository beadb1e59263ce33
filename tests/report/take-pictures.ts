/**
 * Takes the pictures of README.md, docs/ci.md and reports/README.md: `npx tsx tests/report/take-pictures.ts`. Two nights at the
 * reference bank; in the second one it has three faults.
 */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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

/** Who signs. */
const KEY = join(folder, 'signer.pem')
const pair = generateKeyPairSync('ed25519')
writeFileSync(KEY, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
writeFileSync(join(folder, 'public.pem'), pair.publicKey.export({ type: 'spki', format: 'pem' }))

/** One night: a run into a folder of its own. */
async function night(name: string, faults: string[], baseline?: string): Promise<string> {
  const known = await loadFaults()
  const bank = await startBank({ alterations: known.filter(({ id }) => faults.includes(id)) })
  const document = { ...(structuredClone(bank.target) as TargetDocument), name: 'staging' }
  const out = join(folder, name)
  const compared = baseline === undefined ? [] : ['--baseline', baseline]
  const words = ['--target', targetFile(folder, document), '--out', out, ...compared]
  const kept = ['--history', join(folder, 'history.jsonl'), '--sign', KEY]
  const { code } = await assay(['run', ...words, ...kept]).ended
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
  await page.screenshot({ path: join(pictures, `${name}.png`) })
  await context.close()
}

await night('first', [])
const second = await night('second', FAULTS, join(folder, 'first'))
const browser = await launch()
const phone = { viewport: { width: 390, height: 780 }, isMobile: true }
const to = (selector: string) => async (page: Page) => {
  await page.evaluate(`document.querySelector('${selector}').scrollIntoView()`)
}

await picture(browser, 'report-verdict', second, {})
// The first screen, small.
for (const [width, height] of [
  [1280, 900],
  [390, 844],
] as const) {
  const options = { viewport: { width, height }, deviceScaleFactor: width > 1000 ? 0.6 : 0.75 }
  await picture(browser, `report-first-screen-${width}`, second, options)
}
await picture(browser, 'report-dark', second, { colorScheme: 'dark' }, to('#changes'))
await picture(
  browser,
  'report-failure',
  second,
  { viewport: { width: 1080, height: 1000 } },
  to('[data-check="TXN-17/to-alone"]'),
)
await picture(browser, 'report-phone', second, { ...phone, colorScheme: 'dark' })
await picture(browser, 'report-filter', second, {}, async (page) => {
  await to('#requirements')(page)
})
await picture(browser, 'report-timeline', second, {}, to('#timeline'))
await picture(browser, 'report-exchanges', second, phone, to('#exchanges'))
await picture(
  browser,
  'report-print',
  second,
  { viewport: { width: 800, height: 1000 } },
  async (page) => {
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`)
  },
)
// What is made of both nights, and of the one that is conformant.
const first = join(folder, 'first')
await assay(['certificate', first, '--key', join(folder, 'public.pem')]).ended
await assay(['overview', folder]).ended
const certificate = `${first}-certificate.html`
const overview = join(folder, 'overview.html')
for (const [name, file] of Object.entries({ certificate, overview })) {
  const scheme = { colorScheme: 'dark' as const }
  const size = { viewport: { width: 1280, height: 1000 }, deviceScaleFactor: 0.6 }
  await picture(browser, name, file, size)
  await picture(browser, `${name}-phone`, file, { ...phone, ...scheme, deviceScaleFactor: 0.75 })
}
await browser.close()
rmSync(folder, { recursive: true, force: true })
