import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createDirectory } from '../../bank/directory/directory.ts'
import { browserDriver } from '../../engine/authorisation-drivers/browser.ts'
import type { VisitRequest } from '../../engine/authorisation-drivers/driver.ts'
import variants from '../../proof/variants/authorisation.login.ts'
import { everything } from '../../suites/consents.ts'
import { openDirectory } from '../directory.ts'
import { executablePath, noBrowser, open, STEPS } from './opened.ts'

const directory = await openDirectory()
afterAll(() => directory.close())

const purpose = 'a visit: of a test'
const browser = { driver: 'browser' as const, steps: STEPS }

describe.skipIf(noBrowser)(`a customer in a browser${noBrowser}`, () => {
  test('approves, and the code is good for tokens', async () => {
    const waiting = vi.fn()
    const { session, close } = await open(browser, { directory, onWaiting: waiting })
    const approval = await session.approved(everything)
    expect(approval.visit.redirect.mode).toBe('fragment')
    expect(approval.visit.pages.map(({ status }) => status)).toEqual([200, 200])
    expect(approval.visit.pages[1]?.text).toContain('Which cards?')
    expect((await approval.get('/accounts')).response?.status).toBe(200)
    expect(waiting.mock.calls).toEqual([[expect.stringContaining('browser: everything')], []])
    await close()
  })

  test('denies; every visit begins without the cookies of the one before', async () => {
    const { session, close } = await open(browser, { directory })
    for (const decision of ['deny', 'approve', 'deny'] as const) {
      const visit = await session.visit({ decision, purpose })
      expect(visit.kind).toBe(decision === 'deny' ? 'refused' : 'granted')
      expect(visit.pages).toHaveLength(2)
      if (visit.kind === 'refused') expect(visit.redirect.error).toBe('access_denied')
    }
    await close()
  })

  test('goes on in the session of an earlier visit, where one login is enough', async () => {
    const alterations = variants.filter(({ id }) => id === 'known-browsers-need-no-login')
    const { session, close } = await open(browser, { directory, alterations })
    const seen: [number, boolean][] = []
    for (const name of ['one', 'one', undefined]) {
      const visit = await session.visit({ purpose, ...(name && { browser: name }) })
      expect(visit.kind).toBe('granted')
      seen.push([visit.pages.length, visit.sameBrowser === true])
    }
    expect(seen).toEqual([
      [2, false],
      [1, true],
      [2, false],
    ])
    await close()
  })

  test('waits on the last page while another one approves', async () => {
    const { session, close } = await open(browser, { directory })
    const { value: consent } = await session.steps.consent(everything)
    const [first, second] = await session.visitsAtOnce(
      { purpose: 'the first: waits', consentId: consent?.id },
      { purpose: 'the second: meanwhile', customer: 'second', decision: 'deny' },
    )
    expect([first.kind, second.kind]).toEqual(['granted', 'refused'])
    const ends = session.visits.map(({ name, outcome }) => `${name}, ${outcome}`)
    expect(ends).toEqual(['the second: meanwhile, refused', 'the first: waits, granted'])
    await close()
  })

  test('with a wrong password is stopped at the login page, tried once', async () => {
    const { session, close } = await open(browser, {
      directory,
      change: ({ customers }) => {
        customers.first.credentials.password = 'wrong'
      },
    })
    await expect(session.visit({ purpose })).rejects.toThrow(
      'the visit ended: the page with input[name=password] comes back: what was filled is refused; ' +
        'the steps that the target describes end there. Correct authorisation.forms; npx assay doctor',
    )
    await close()
  })

  test('is shown an error page instead of a login', async () => {
    const { session, close } = await open(browser, { directory })
    const visit = await session.visit({ purpose, deviation: { query: { client_id: 'nobody' } } })
    expect(visit).toMatchObject({
      kind: 'stopped',
      why: 'the bank shows a page with status 400',
    })
    await close()
  })

  test('meets a server that the target does not trust', async () => {
    const other = await createDirectory()
    const { session, bank, close } = await open(browser, { directory })
    const before = bank.target.trust
    await close()
    const second = await open(browser, {
      directory: other,
      change: (document) => {
        // What the API shows stays trusted; only the browser is told of another authority.
        document.trust = [...(document.trust ?? [])]
      },
    })
    const driver = browserDriver({ ...drivable(), trust: before })
    const end = await driver.visit(request(second.bank.target.addresses.auth_url ?? ''))
    expect(end).toMatchObject({ kind: 'stopped', ours: true })
    expect(end.kind === 'stopped' && end.why).toMatch(/^the certificate of https.* is not trusted/)
    await driver.close()
    await second.close()
    await other.close()
    expect(session.visits).toEqual([])
  })

  test('whose bank does not answer, and whose bank is not there', async () => {
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
    const driver = browserDriver({ ...drivable(), patience: 1500 })
    expect(await driver.visit(request(url))).toMatchObject({
      kind: 'stopped',
      ours: true,
      why: 'the visit did not end within 1.5 s',
    })
    silent.closeAllConnections()
    await new Promise((resolve) => silent.close(resolve))
    const end = await driver.visit(request(url))
    expect(end).toMatchObject({ kind: 'stopped', ours: true })
    expect(end.kind === 'stopped' && end.why).toContain('ERR_CONNECTION_REFUSED')
    await driver.close()
  })

  test('who closes the window', async () => {
    const { url, close } = await served({ '/': '<p id="there">log in</p>' })
    const launch = vi.spyOn(chromium, 'launch')
    const driver = browserDriver({ ...drivable(), steps: [{ when: '#there' }] })
    for (const closes of ['page', 'browser']) {
      const visit = driver.visit(request(url))
      await vi.waitFor(() => expect(launch).toHaveBeenCalled(), { timeout: 10_000 })
      const window = await launch.mock.results.at(-1)?.value
      await vi.waitFor(() => expect(window?.contexts()[0]?.pages()[0]?.url()).toBe(url), {
        timeout: 10_000,
      })
      await (closes === 'page' ? window?.contexts()[0]?.pages()[0]?.close() : window?.close())
      expect(await visit).toMatchObject({
        kind: 'stopped',
        ours: true,
        why: 'the window was closed',
      })
    }
    await driver.close()
    launch.mockRestore()
    await close()
  })

  test('fetches nothing from the redirect URI: by redirect, by script, in a new window', async () => {
    const tpp = await served({ '/callback': 'TPP' })
    const near = `${tpp.url}callback#code=c&state=s`
    const far = 'https://tally.example/callback#code=c&state=s'
    const bank = await served({
      '/redirect': { location: near },
      '/script': `<script>location.href = '${near}'</script>`,
      '/window': `<button onclick="window.open('${far}')">on</button>`,
    })
    const redirectUris = [`${tpp.url}callback`, 'https://tally.example/callback']
    const steps = [{ when: 'button', click: 'button' }]
    const driver = browserDriver({ ...drivable(), redirectUris, steps })
    for (const [path, url] of Object.entries({ redirect: near, script: near, window: far })) {
      const visit = { ...request(bank.url + path), redirectUris }
      expect(await driver.visit(visit)).toMatchObject({ kind: 'redirected', url })
      const seen = await driver.visit(visit)
      const status = path === 'redirect' ? 302 : undefined
      expect(seen.kind === 'redirected' && seen.status).toBe(status)
    }
    expect(tpp.seen).toEqual([])
    await driver.close()
    await bank.close()
    await tpp.close()
  })

  test('is asked for a one-time code, which a command prints', async () => {
    const { url, close, seen } = await served({
      '/': '<form method="post" action="/in"><input name="otp"><button>on</button></form>',
      '/in': { location: 'https://tally.example/callback?error=x' },
    })
    const command = [
      process.execPath,
      '-e',
      'console.log("mail for", process.argv[1]); console.log(" 123456 ")',
      '{username}',
    ]
    const steps = [{ when: '[name=otp]', code: { into: '[name=otp]', command }, click: 'button' }]
    const driver = browserDriver({ ...drivable(), steps })
    expect(await driver.visit(request(url))).toMatchObject({ kind: 'redirected' })
    expect(seen).toContain('/in otp=123456')
    const failing = [process.execPath, '-e', 'process.exit(3)']
    const other = browserDriver({
      ...drivable(),
      steps: [
        { when: '[name=otp]', code: { into: '[name=otp]', command: failing }, click: 'button' },
      ],
    })
    const end = await other.visit(request(url))
    expect(end.kind === 'stopped' && end.why).toMatch(
      /the step of the page with \[name=otp\] fails: .* ended with exit code 3/,
    )
    await driver.close()
    await other.close()
    await close()
  })

  test('chooses every option of a list, or one where only one account is to be chosen', async () => {
    const options = '<option>1<option>2<optgroup disabled><option>3</optgroup><option disabled>4'
    const { url, close, seen } = await served({
      '/': `<form method="post" action="/in"><select name="a" multiple>${options}</select><button>on</button></form>`,
      '/in': { location: 'https://tally.example/callback?error=x' },
    })
    const steps = [{ when: '[name=a]', tickAll: 'select', click: 'button' }]
    const driver = browserDriver({ ...drivable(), steps })
    expect(await driver.visit(request(url))).toMatchObject({ kind: 'redirected' })
    expect(seen).toContain('/in a=1&a=2')
    await driver.visit({ ...request(url), oneAccount: true })
    expect(seen).toContain('/in a=1')
    await driver.close()
    await close()
  })

  test('is interrupted with the run', async () => {
    const { url, close } = await served({ '/': '<p id="there">approve in the app</p>' })
    const driver = browserDriver({ ...drivable(), steps: [{ when: '#there' }] })
    const visit = driver.visit(request(url))
    setTimeout(() => driver.interrupt?.(), 1000)
    expect(await visit).toMatchObject({ ours: true, why: 'the run was interrupted' })
    expect(await driver.visit(request(url))).toMatchObject({ why: 'the run was interrupted' })
    await driver.close()
    await close()
  })

  test('reads what pictures and fields say, and nothing that is hidden', async () => {
    const hidden = '<input type="hidden" value="no"><p style="display: none">no</p>'
    const { url, close } = await served({
      '/': `<p>seen</p><img alt="Tally"><input value="Ltd">${hidden}<a href="/on">on</a>`,
      '/on': { location: 'https://tally.example/callback?error=x' },
    })
    const driver = browserDriver({ ...drivable(), steps: [{ when: 'a', click: 'a' }] })
    const { pages } = await driver.visit(request(url))
    expect(pages[0]?.text).toMatch(/^seen .*on.* Tally Ltd$/)
    await driver.close()
    await close()
  })

  test('goes on at a second server of the bank, whose key the browser was not told of', async () => {
    const first = await open(browser, { directory })
    const { authority } = directory
    const hop = await served({ '/': { location: 'PLACE' } })
    const driver = browserDriver({ ...drivable(), trust: [authority] })
    // The first page is without TLS, the second is the bank's: learnt on the way.
    const { id } = (await first.session.steps.consent(everything)).value ?? { id: '' }
    const { tpp } = await first.session.caller()
    const { url } = await tpp.authorisation({ consentId: id })
    hop.pages['/'] = { location: url }
    const { first: customer } = first.session.target.document.customers
    const end = await driver.visit({ ...request(hop.url), customer })
    expect(end).toMatchObject({ kind: 'redirected' })
    await driver.close()
    await hop.close()
    await first.close()
  })
})

test('a target without a browser is told so, with the mend', async () => {
  const executable = '/nowhere/chromium'
  await expect(open({ ...browser, executable }, { directory })).rejects.toThrow(
    'embedded: authorisation: the executable /nowhere/chromium cannot be run. Name a Chromium, Chrome or Edge.',
  )
  await expect(open({ driver: 'command' }, { directory })).rejects.toThrow(
    'embedded: authorisation: has no command. The driver command needs a program that gets the link.',
  )
})

function drivable(): Parameters<typeof browserDriver>[0] {
  return {
    executable: executablePath ?? '',
    visible: false,
    steps: STEPS,
    base: process.cwd(),
    patience: 20_000,
    timeout: 5000,
    redirectUris: [],
    rules: { credentialProblem: () => undefined, addressProblem: async () => undefined },
  }
}

function request(url: string): VisitRequest {
  return {
    url,
    redirectUris: ['https://tally.example/callback'],
    decision: 'approve',
    customer: { credentials: { username: 'anna', password: 'secret' } },
    customerName: 'first',
    purpose,
    about: {},
  }
}

type Served = Record<string, string | { location: string }>

/** Pages by path, on loopback, and which of them were asked for. */
async function served(pages: Served) {
  const seen: string[] = []
  const server = createServer((asked, response) => {
    const path = (asked.url ?? '').split('?')[0] ?? ''
    let line = asked.url ?? ''
    asked.on('data', (chunk) => {
      line += ` ${chunk}`
    })
    asked.on('end', () => {
      if (path !== '/favicon.ico') seen.push(line)
    })
    const page = pages[path]
    if (typeof page === 'object') response.writeHead(302, page)
    else response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' })
    response.end(typeof page === 'string' ? page : '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url, seen, pages, close }
}
