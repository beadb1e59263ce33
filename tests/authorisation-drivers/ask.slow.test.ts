import { createServer, type IncomingHttpHeaders, request as send } from 'node:http'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { askDriver } from '../../engine/authorisation-drivers/ask.ts'
import type { Announced, VisitRequest } from '../../engine/authorisation-drivers/driver.ts'
import { everything } from '../../suites/consents.ts'
import { decide, logIn } from '../bank-pages.ts'
import { openDirectory } from '../directory.ts'
import { freePort } from '../free-ports.ts'
import { executablePath, noBrowser, open } from './opened.ts'

const port = await freePort()
const catcher = `http://127.0.0.1:${port}/callback`

const announced: Announced[] = [
  entry('everything', 'choose <every> account', 'approve', 40),
  entry('denied', 'to be denied', 'deny', 2),
]

function entry(name: string, purpose: string, decision: 'approve' | 'deny', serves: number) {
  return { name, purpose, customer: 'first', client: 'first', decision, serves }
}

function visit(name: string, more: Partial<VisitRequest> = {}): VisitRequest {
  return {
    url: 'https://bank.example/auth?request=x',
    redirectUris: [catcher, 'https://tally.example/callback'],
    decision: 'approve',
    customer: { credentials: { username: 'anna', password: 'secret' } },
    customerName: 'first',
    purpose: `${name}: a purpose`,
    about: { visit: { clientId: 'c', redirectUri: catcher, nonce: 'n', state: 's 1' } },
    ...more,
  }
}

/** A driver, and where its page is. */
function asking(options: { redirectUris?: string[]; patience?: number } = {}) {
  const said: string[] = []
  const driver = askDriver({
    redirectUris: options.redirectUris ?? [catcher],
    announced,
    patience: options.patience ?? 20_000,
    port: 0,
    base: process.cwd(),
    say: (line) => said.push(line),
    probe: {
      async visit() {
        return { kind: 'stopped', why: 'a page', pages: [] }
      },
      async close() {},
    },
  })
  const home = async () => {
    await expect.poll(() => said.length, { timeout: 5000 }).toBeGreaterThan(1)
    return said[0]?.split(' at ')[1] ?? ''
  }
  return { driver, said, home }
}

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** A request with headers exactly as given: what no browser would send, an attacker may. */
function http(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = options.body === undefined ? 'GET' : 'POST', headers, body } = options
    const asked = send(url, { method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      )
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const { origin } = new URL(url)
  const own = { origin, 'content-type': 'application/json' }
  return http(url, { headers: { ...own, ...headers }, body: JSON.stringify(body) })
}

const good = `${catcher}#code=abc&state=s+1`

describe('by plain HTTP', () => {
  test('where another program has the port of the redirect URI, the answer is pasted', async () => {
    const other = createServer().listen(port, '127.0.0.1')
    onTestFinished(() => void other.close())
    const { driver, said } = asking()
    const first = driver.visit(visit('everything'))
    await expect.poll(() => said.length, { timeout: 5000 }).toBeGreaterThan(2)
    const why =
      'cannot be served here (EADDRINUSE): copy the final address to the page of approvals.'
    expect(said[0]).toBe(`${catcher} ${why}`)
    const home = said[1]?.split(' at ')[1] ?? ''
    expect((await http(home)).text).not.toContain('The answer arrives here by itself.')
    await post(`${home}answer`, { visit: 1, do: 'paste', address: good })
    expect(await first).toMatchObject({ kind: 'redirected', url: good })
    await driver.close()
  })

  test('the page lists what is needed, what is done, and who must choose what', async () => {
    const { driver, home } = asking()
    const first = driver.visit(visit('everything'))
    const page = await http(await home())
    expect(page.status).toBe(200)
    expect(page.text).toContain('0 of 2 done.')
    expect(page.text).toContain('the first customer, anna')
    expect(page.text).toContain('choose &lt;every&gt; account <small>40 checks</small>')
    expect(page.text).toContain('<strong>approve</strong>')
    expect(page.text).toContain('https://bank.example/auth?request=x')
    expect(page.text).not.toContain('secret')
    expect((await post(catcher, { address: good })).status).toBe(200)
    expect(await first).toEqual({ kind: 'redirected', url: good, pages: [] })
    expect((await http(await home())).text).toContain('1 of 2 done.')
    const second = driver.visit(visit('denied', { decision: 'deny' }))
    const next = (await http(await home())).text
    expect(next).toContain('<strong>deny</strong>')
    await post(catcher, { address: `${catcher}?error=access_denied&state=s%201` })
    expect(await second).toMatchObject({ kind: 'redirected' })
    await driver.close()
  })

  test('pages are neither kept nor referred to, and run no script but their own', async () => {
    const { driver, home } = asking()
    const open = driver.visit(visit('everything'))
    const policies = new Set<string>()
    for (const url of [await home(), catcher, await home()]) {
      const { headers, text } = await http(url)
      const policy = String(headers['content-security-policy'])
      const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1]
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(text).toContain(`<script nonce="${nonce}">`)
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['referrer-policy']).toBe('no-referrer')
      policies.add(policy)
    }
    expect(policies.size).toBe(3)
    await driver.close()
    expect(await open).toMatchObject({ ours: true, why: 'the run ended' })
  })

  test.each([
    ['of another origin', { origin: 'https://evil.example' }, 403],
    ['of a page without origin', { origin: 'null' }, 403],
    ['of the same site', { 'sec-fetch-site': 'same-site' }, 403],
    ['as a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['under a name that resolves to loopback', { host: `rebound.example:${port}` }, 421],
    ['under another port', { host: '127.0.0.1:1' }, 421],
  ])('a POST %s is turned away', async (_, headers, status) => {
    const { driver, home } = asking()
    const open = driver.visit(visit('everything'))
    const page = await home()
    for (const url of [catcher, `${page}answer`]) {
      const answer = await post(url, { visit: 1, do: 'paste', address: good }, headers)
      expect(answer.status).toBe(status)
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
    expect((await http(page)).text).toContain('0 of 2 done.')
    await driver.close()
    await open
  })

  test('bodies that are too large, or no JSON, or of nobody who knows the page', async () => {
    const { driver, home } = asking()
    const open = driver.visit(visit('everything'))
    const page = await home()
    const large = { address: `${good}&x=${'x'.repeat(64 * 1024)}` }
    expect((await post(catcher, large)).status).toBe(413)
    const chunked = { 'transfer-encoding': 'chunked' }
    expect((await post(catcher, large, chunked)).status).toBe(413)
    const own = { origin: new URL(catcher).origin, 'content-type': 'application/json' }
    for (const body of ['', '[]', 'null', '{']) {
      expect((await http(catcher, { method: 'POST', headers: own, body })).status).toBe(400)
    }
    expect((await post(catcher, {})).status).toBe(400)
    const { origin } = new URL(page)
    for (const path of ['/', '/answer', '/00/', `/${'0'.repeat(32)}/answer`]) {
      expect((await http(origin + path)).status).toBe(404)
      expect((await post(origin + path, { visit: 1, do: 'skip' })).status).toBe(404)
    }
    expect((await http(catcher, { method: 'OPTIONS' })).status).toBe(405)
    expect((await post(`${page}answer`, { visit: 2, do: 'skip' })).status).toBe(409)
    expect((await http(page)).text).toContain('0 of 2 done.')
    await driver.close()
    await open
  })

  test.each([
    ['another state', `${catcher}#code=abc&state=other`, 'its state is not the one that was sent'],
    ['no state', `${catcher}#code=abc`, 'it carries no state, and one was sent'],
    ['no answer', catcher, 'it carries neither a code nor an error'],
    ['another address', 'https://evil.example/#code=abc&state=s+1', 'it is not at a redirect URI'],
    ['no address', 'abc', 'it is not an address'],
  ])('an answer with %s is taken only when the person says so', async (_, address, why) => {
    const { driver, home } = asking()
    const open = driver.visit(visit('everything'))
    const page = await home()
    const answer = await post(catcher, { address })
    expect(answer.status).toBe(409)
    expect(answer.text).toContain(why)
    expect((await http(page)).text).toContain(why)
    await post(`${page}answer`, { visit: 1, do: 'drop' })
    expect((await http(page)).text).not.toContain(why)
    const paste = () => post(`${page}answer`, { visit: 1, do: 'paste', address })
    // Of an address that was cut off the person is told first, and then believed.
    if (address === catcher) expect((await paste()).text).toContain('ends before its # part')
    await paste()
    await post(`${page}answer`, { visit: 1, do: 'judge' })
    expect(await open).toMatchObject({ kind: 'redirected', url: address })
    await driver.close()
  })

  test('nothing is taken when no approval is open; the same answer is taken once', async () => {
    const { driver } = asking()
    const first = driver.visit(visit('everything'))
    await expect
      .poll(() =>
        post(catcher, { address: good }).then(
          (a) => a.status,
          () => 0,
        ),
      )
      .toBe(200)
    await first
    const again = await post(catcher, { address: good })
    expect(again.status).toBe(409)
    expect(again.text).toContain('No approval is open now')
    await driver.close()
  })

  test('where nobody ever opens the page, one visit is waited for', async () => {
    const { driver } = asking({ patience: 300 })
    const why = 'nobody answered within 0.3 s'
    expect(await driver.visit(visit('everything'))).toMatchObject({ ours: true, why })
    const none = `${why} or opened the page of approvals: nobody is asked until somebody opens it`
    expect(await driver.visit(visit('denied'))).toMatchObject({ ours: true, why: none })
    expect(await driver.question('customer-revokes', 'Revoke it.')).toBe(none)
    await driver.close()
  })

  test('a visit ends by the page of the bank, by the person, by time, by the run', async () => {
    const { driver, home } = asking({ patience: 1500 })
    const stopped = driver.visit(visit('everything'))
    const page = await home()
    await post(`${page}answer`, { visit: 1, do: 'stopped', why: 'unknown client' })
    const end = await stopped
    expect(end).toMatchObject({ kind: 'stopped', why: "the bank's page: unknown client" })
    expect(end).not.toHaveProperty('ours')
    const skipped = driver.visit(visit('denied'))
    await post(`${page}answer`, { visit: 2, do: 'skip' })
    expect(await skipped).toMatchObject({ ours: true })
    expect(await driver.visit(visit('more'))).toMatchObject({
      ours: true,
      why: 'nobody answered within 1.5 s',
    })
    const left = driver.visit(visit('even more'))
    driver.interrupt?.()
    expect(await left).toMatchObject({ ours: true, why: 'the run was interrupted' })
    expect(await driver.visit(visit('too late'))).toMatchObject({ ours: true })
    await driver.close()
  })
})

test('an address without its end is told at once, and is no doubtful answer', async () => {
  const { driver, home } = asking()
  const open = driver.visit(visit('everything'))
  const page = await home()
  const answer = await post(`${page}answer`, { visit: 1, do: 'paste', address: `${catcher}?x=1` })
  expect(answer.status).toBe(409)
  expect(answer.text).toContain('select all of it')
  expect((await http(page)).text).not.toContain('class="doubt"')
  await post(`${page}answer`, { visit: 1, do: 'paste', address: good })
  expect(await open).toMatchObject({ kind: 'redirected', url: good })
  await driver.close()
})

test('a short link leads to the bank, and nowhere when no approval is open', async () => {
  const { driver, home } = asking()
  const open = driver.visit(visit('everything'))
  const page = await home()
  const { status, headers } = await http(`${page}open`)
  expect([status, headers.location]).toEqual([302, 'https://bank.example/auth?request=x'])
  await post(catcher, { address: good })
  await open
  expect((await http(`${page}open`)).status).toBe(404)
  await driver.close()
})

test('whoever looks at the page is told how the run ended', async () => {
  const { driver, home } = asking()
  const open = driver.visit(visit('everything'))
  const ended = http(`${await home()}ended`)
  await http(await home())
  await driver.close('Conformant. 3 musts with a test: 3 passed.')
  expect(JSON.parse((await ended).text).words).toBe('Conformant. 3 musts with a test: 3 passed.')
  await open
})

test('a long address has a QR code, one beyond every code is to be copied', async () => {
  const { driver, home } = asking()
  const long = `https://bank.example/auth?request=${'x'.repeat(2400)}`
  const first = driver.visit(visit('everything', { url: long }))
  const { text } = await http(await home())
  expect(text).toContain('<svg class="qr" role="img"')
  expect(text).toContain('send it to this machine')
  await post(catcher, { address: good })
  await first
  const second = driver.visit(visit('denied', { url: `${long}${'y'.repeat(600)}` }))
  const next = (await http(await home())).text
  expect(next).not.toContain('<svg')
  expect(next).toContain('too long for a QR code')
  await driver.close()
  await second
})

test('what was given before an interruption is not asked for again, and stands as done', async () => {
  const { driver, home } = asking()
  driver.done?.(['everything', 'something else'])
  const open = driver.visit(visit('denied', { decision: 'deny' }))
  const { text } = await http(await home())
  expect(text).toContain('1 of 2 done.')
  expect(text).toContain('<tr class="answered"><td data-column="Approval">everything</td>')
  await driver.close()
  await open
})

describe('what somebody at the bank is asked to do', () => {
  test('stands on the page until it is done, or cannot be done', async () => {
    const { driver, said, home } = asking()
    const done = driver.question('customer-revokes', 'Revoke <urn:1> in the app.')
    const page = await home()
    expect(said.join()).not.toContain('urn:1')
    const text = (await http(page)).text
    expect(text).toContain('Revoke &lt;urn:1&gt; in the app.')
    expect((await post(`${page}answer`, { visit: 1, do: 'stopped' })).status).toBe(400)
    expect((await post(`${page}answer`, { visit: 2, do: 'done' })).status).toBe(409)
    expect((await post(`${page}answer`, { visit: 1, do: 'done' })).status).toBe(200)
    expect(await done).toBeUndefined()
    expect((await http(page)).text).not.toContain('urn:1')
    const not = driver.question('customer-revokes', 'Once more.')
    await post(`${page}answer`, { visit: 2, do: 'cannot' })
    expect(await not).toBe('the person who was asked cannot do it')
    const left = driver.question('customer-revokes', 'And again.')
    driver.interrupt?.()
    expect(await left).toBe('the run was interrupted')
    await driver.close()
  })
})

describe.skipIf(noBrowser)(`a person with a browser${noBrowser}`, async () => {
  const directory = await openDirectory()
  const launched: Browser[] = []
  afterAll(async () => {
    await Promise.all(launched.map((one) => one.close()))
    await directory.close()
  })

  /** A person at the page of approvals, in a browser of their own. */
  async function person(said: string[]): Promise<Page> {
    await expect.poll(() => said.length, { timeout: 20_000 }).toBeGreaterThan(1)
    const args = ['--no-sandbox', '--disable-background-networking', '--no-first-run']
    const far = '--host-resolver-rules=MAP tally.example ~NOTFOUND'
    const browser = await chromium.launch({ executablePath, args: [...args, far] })
    launched.push(browser)
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const page = await context.newPage()
    await page.goto(said[0]?.split(' at ')[1] ?? '')
    return page
  }

  async function atTheBank(page: Page, decision: 'approve' | 'deny'): Promise<Page> {
    const [bank] = await Promise.all([page.waitForEvent('popup'), page.click('#bank')])
    await logIn(bank, credentials)
    await decide(bank, decision)
    return bank
  }

  let credentials: Record<string, string> = {}

  /** A bank that lets this client come back to loopback, as some sandboxes do. */
  const loopback: Alteration = {
    id: 'loopback-redirects',
    story: 'A sandbox takes redirect URIs on loopback besides those that were registered.',
    policies: (correct) => ({
      stored(model, id, record) {
        const seen = correct.stored(model, id, record)
        if (model !== 'Client' || !seen) return seen
        const uris = [...(seen.redirect_uris as string[]), catcher]
        return { ...seen, application_type: 'native', redirect_uris: uris }
      },
    }),
  }

  test('approves and denies: the answer arrives by itself, the code leaves no trace', async () => {
    const said: string[] = []
    const { bank, session, close } = await open(
      { driver: 'ask' },
      {
        directory,
        announced,
        alterations: [loopback],
        say: (line) => void said.push(line),
        change({ clients: { first } }) {
          first.registrationClaims = { redirect_uris: [...first.redirectUris] }
          first.redirectUris.push(catcher)
        },
      },
    )
    onTestFinished(close)
    credentials = bank.target.customers.first.credentials
    const approved = session.visit({ purpose: 'everything: all', redirectUri: catcher })
    const page = await person(said)
    const back = await atTheBank(page, 'approve')
    const visit = await approved
    expect(visit).toMatchObject({ kind: 'granted', redirect: { address: catcher } })
    expect(visit.kind === 'granted' && visit.redirect.mode).toBe('fragment')
    await expect.poll(() => back.textContent('body'), { timeout: 10_000 }).toContain('Accepted.')
    expect(back.url()).toBe(catcher)
    expect(await back.evaluate('document.referrer')).toBe('')
    await expect.poll(() => page.textContent('body'), { timeout: 10_000 }).toContain('1 of 2 done')
    const deny = { decision: 'deny', purpose: 'denied: no', redirectUri: catcher } as const
    const denied = session.visit(deny)
    await page.waitForSelector('#bank')
    await atTheBank(page, 'deny')
    expect(await denied).toMatchObject({ kind: 'refused', redirect: { error: 'access_denied' } })
    await expect.poll(() => page.textContent('body'), { timeout: 10_000 }).toContain('2 of 2 done')
    expect(bank.problems).toEqual([])
  })

  test('pastes the final address of a remote redirect URI', async () => {
    const said: string[] = []
    const say = (line: string) => void said.push(line)
    const { bank, session, close } = await open({ driver: 'ask' }, { directory, say, announced })
    onTestFinished(close)
    credentials = bank.target.customers.first.credentials
    const approval = session.approved(everything)
    approval.catch(() => {})
    const page = await person(said)
    const [, redirected] = await Promise.all([
      atTheBank(page, 'approve'),
      new Promise<string>((resolve) => {
        page.context().on('response', (answer) => {
          const { location } = answer.headers()
          if (location?.startsWith('https://tally.example/')) resolve(location)
        })
      }),
    ])
    await page.setViewportSize({ width: 390, height: 800 })
    await page.click('#phone summary')
    expect(await page.locator('svg.qr').isVisible()).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    await page.fill('#address', redirected.replace(/state=[^&]*/, 'state=x'))
    await page.click('button[data-do=paste]')
    await page.waitForSelector('.doubt')
    await page.click('button[data-do=drop]')
    await page.waitForSelector('.doubt', { state: 'detached' })
    await page.fill('#address', redirected.split('#', 1)[0] ?? '')
    expect(await page.getAttribute('#address', 'aria-invalid')).toBe('true')
    expect(await page.textContent('#words')).toContain('ends before its # part')
    await page.fill('#address', ` ${redirected} `)
    expect(await page.textContent('#words')).toBe('')
    await page.click('button[data-do=paste]')
    const { visit } = await approval
    expect(visit.redirect.address).toBe('https://tally.example/callback')
    await page.waitForSelector('text=Nothing to do at this moment')
    await session.close(
      'Incomplete. 3 musts with a test: 2 passed, 1 not run. The run was interrupted: Ctrl-C.',
    )
    await expect.poll(() => page.textContent('#now')).toContain('The run was interrupted: Ctrl-C.')
    expect(await page.title()).toBe('The run has ended')
  })

  test('is not needed for what the bank refuses outright', async () => {
    const said: string[] = []
    const say = (line: string) => void said.push(line)
    const { session, close } = await open({ driver: 'ask' }, { directory, say })
    onTestFinished(close)
    const deviation = { query: { client_id: 'nobody' } }
    const visit = await session.visit({ purpose: 'refused outright', deviation })
    expect(visit).toMatchObject({ kind: 'stopped', last: { response: { status: 400 } } })
    expect(said).toEqual([])
  })
})
