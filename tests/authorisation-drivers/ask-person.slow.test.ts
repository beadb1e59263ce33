import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Directory } from '../../bank/directory/directory.ts'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { everything } from '../../suites/consents.ts'
import { decide, logIn } from '../bank-pages.ts'
import { openDirectory } from '../directory.ts'
import { freePort } from '../free-ports.ts'
import { authority, type Issued } from '../wire/certificates.ts'
import { executablePath, noBrowser, open } from './opened.ts'

const port = await freePort()
const catcher = `https://127.0.0.1:${port}/callback`

/** A bank that lets clients come back to loopback over https, as some sandboxes do. */
const loopback: Alteration = {
  id: 'loopback-redirects',
  story: 'A sandbox takes redirect URIs on loopback besides those that were registered.',
  policies: (correct) => ({
    stored(model, id, record) {
      const seen = correct.stored(model, id, record)
      if (model !== 'Client' || !seen) return seen
      return { ...seen, redirect_uris: [...(seen.redirect_uris as string[]), catcher] }
    },
  }),
}

describe.skipIf(noBrowser)(`a person with a browser${noBrowser}`, () => {
  let directory: Directory
  let certificate: Issued
  let browser: Browser
  beforeAll(async () => {
    directory = await openDirectory()
    certificate = await (await authority('this machine')).issue('127.0.0.1')
    const args = ['--no-sandbox', '--disable-background-networking', '--no-first-run']
    browser = await chromium.launch({ executablePath, args })
  })
  afterAll(async () => {
    await browser.close()
    await directory.close()
  })

  /** A bank whose approvals a person gives, and that person at the page of approvals. */
  async function attended(patience?: number) {
    const said: string[] = []
    const opened = await open(
      { driver: 'ask', catcher: certificate, ...(patience !== undefined && { patience }) },
      {
        directory,
        alterations: [loopback],
        say: (line) => void said.push(line),
        change({ clients: { first } }) {
          first.registrationClaims = { redirect_uris: [...first.redirectUris] }
          first.redirectUris.push(catcher)
        },
      },
    )
    onTestFinished(opened.close)
    const { credentials } = opened.bank.target.customers.first
    const atThePage = async () => {
      await expect.poll(() => said.length, { timeout: 20_000 }).toBeGreaterThan(1)
      const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
      await page.goto(said[0]?.split(' at ')[1] ?? '')
      return page
    }
    return { session: opened.session, credentials, atThePage }
  }

  const toTheBank = async (page: Page) => {
    const [bank] = await Promise.all([page.waitForEvent('popup'), page.click('#bank')])
    return bank
  }

  test('comes back over https, to a catcher with a certificate of its own', async () => {
    const { session, credentials, atThePage } = await attended()
    const visited = session.visit({ purpose: 'everything: all', redirectUri: catcher })
    const page = await atThePage()
    expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:/)
    const bank = await toTheBank(page)
    await logIn(bank, credentials)
    await decide(bank, 'approve')
    expect(await visited).toMatchObject({ kind: 'granted', redirect: { address: catcher } })
    await expect.poll(() => bank.textContent('body'), { timeout: 10_000 }).toContain('Accepted.')
    expect(bank.url()).toBe(catcher)
  })

  test('mistypes the password, and then does not: one visit', async () => {
    const { session, credentials, atThePage } = await attended()
    const visited = session.visit({ purpose: 'everything: all', redirectUri: catcher })
    const page = await atThePage()
    const bank = await toTheBank(page)
    await logIn(bank, { ...credentials, password: 'wrong' })
    await bank.waitForSelector('input[name=password]')
    expect(await page.textContent('body')).toContain('0 of 1 done')
    await logIn(bank, credentials)
    await decide(bank, 'approve')
    expect(await visited).toMatchObject({ kind: 'granted' })
    expect(session.visits).toHaveLength(1)
  })

  test('closes the window of the bank, and opens it once more', async () => {
    const { session, credentials, atThePage } = await attended()
    const visited = session.visit({ purpose: 'everything: all', redirectUri: catcher })
    const page = await atThePage()
    const first = await toTheBank(page)
    await logIn(first, credentials)
    await first.close()
    const second = await toTheBank(page)
    // The bank may know the customer still.
    const shown = await second.waitForSelector('input[name=password], button[value=approve]')
    if ((await shown.getAttribute('name')) === 'password') await logIn(second, credentials)
    await decide(second, 'approve')
    expect(await visited).toMatchObject({ kind: 'granted' })
  })

  test('does not come back in time: trouble of ours, and the next approval is asked for', async () => {
    const { session, atThePage } = await attended(4)
    const approval = session.approved(everything).catch((error: Error) => error)
    const page = await atThePage()
    await toTheBank(page)
    expect(String(await approval)).toContain('nobody answered within 4 s')
    await expect
      .poll(() => page.textContent('body'), { timeout: 10_000 })
      .toContain('Nothing to do at this moment')
    expect(await page.textContent('tr.not-done')).toContain('everything')
    const skipped = session.visit({ purpose: 'another', redirectUri: catcher })
    const next = expect(skipped).rejects.toThrow('skipped it')
    await page.waitForSelector('#bank')
    await page.click('#stuck summary')
    await page.click('button[data-do=skip]')
    await next
  })
})
