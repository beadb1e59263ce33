import { type Browser, chromium, type Page } from 'playwright-core'
import { findBrowser } from '../../engine/authorisation-drivers/find-browser.ts'

const executablePath = findBrowser()

/** Whether pages can be opened here; where not, a test that needs it is skipped and says so. */
export const hasBrowser = executablePath !== undefined
export const reason = hasBrowser
  ? ''
  : ' (skipped: no Chromium, Chrome or Edge on the PATH or where installers put it)'

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--no-first-run',
    ],
  })
}

/** Everything that a page must not do, as it does it. */
export interface Watched {
  page: Page
  requests: string[]
  troubles: string[]
}

export function watched(page: Page): Watched {
  const requests: string[] = []
  const troubles: string[] = []
  page.on(
    'request',
    (request) => void (request.url() !== page.url() && requests.push(request.url())),
  )
  page.on('console', (message) => void troubles.push(message.text()))
  page.on('pageerror', (error) => void troubles.push(String(error)))
  page.on('dialog', (dialog) => void troubles.push(dialog.message()))
  page.on('popup', (popup) => void troubles.push(popup.url()))
  page.on('framenavigated', (frame) => void (frame.parentFrame() && troubles.push(frame.url())))
  return { page, requests, troubles }
}

/** Opens whatever can be opened. */
export async function openAll(page: Page): Promise<void> {
  await page.evaluate(
    `for (const details of document.querySelectorAll('details')) details.open = true`,
  )
  await page.waitForTimeout(300)
  await page.evaluate(
    `for (const b of document.querySelectorAll('#exchange-list .rows button')) b.click()`,
  )
  await page.evaluate(`for (const b of document.querySelectorAll('.view button')) b.click()`)
}
