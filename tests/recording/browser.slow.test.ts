import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { openProofContext } from '../../proof/run/judge-bank.ts'
import { openDirectory } from '../directory.ts'
import { hasBrowser, launch, reason } from '../report/chromium.ts'
import { brokenIn, judgedText } from './recorded-bank.ts'
import { ACCOUNTS, BANK } from './small-bank.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-browser-har-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.skipIf(!hasBrowser)(`a HAR file that Chromium writes is judged${reason}`, async () => {
  const server = createServer((request, response) => {
    const isPage = request.url === '/'
    response.setHeader('content-type', isPage ? 'text/html' : 'application/json')
    const changed = JSON.stringify(ACCOUNTS).replace('GBP', 'EUR')
    response.end(isPage ? '<h1>an application</h1>' : changed)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const path = join(folder, 'browser.har')
  const browser = await launch()
  try {
    const context = await browser.newContext({ recordHar: { path, content: 'embed' } })
    const page = await context.newPage()
    await page.goto(base)
    await page.evaluate(async () => {
      const headers = { authorization: 'Bearer a-token' }
      const answer = await fetch('/open-banking/v3.1/aisp/accounts', { headers })
      return answer.text()
    })
    await context.close()
  } finally {
    await browser.close()
    server.close()
  }
  const bank: TargetDocument = { ...BANK, addresses: { ...BANK.addresses, base_url: base } }
  const context = await openProofContext(openDirectory())
  const text = readFileSync(path, 'utf8')
  const report = await judgedText(context, bank, 'a.har', text)
  expect(brokenIn(report)).toContain('ACC-05/gbp')
  expect(report.checks.find(({ id }) => id === 'ACC-01/answers-200')?.outcome).toBe('pass')
  expect(report).toMatchObject({ requests: 1 })
  expect(report.recording?.elsewhere[0]?.name).toMatch(/^GET \/(favicon.ico)? at /)
})
