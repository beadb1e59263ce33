import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Directory } from '../../bank/directory/directory.ts'
import { createAuthority } from '../../bank/listeners/certificates.ts'
import { enrolmentOf } from '../../cli/tpp-client.ts'
import { findBrowser } from '../../engine/authorisation-drivers/find-browser.ts'
import { askClient } from '../../engine/certification/ask-client.ts'
import { browserClient } from '../../engine/certification/browser-client.ts'
import { certify } from '../../engine/certification/certify.ts'
import type { ClientDriver } from '../../engine/certification/client.ts'
import { commandClient } from '../../engine/certification/command-client.ts'
import { openCustomers } from '../../engine/certification/customer.ts'
import { createBankHost } from '../../proof/tpp/bank-host.ts'
import { conductWith, right } from '../../proof/tpp/conduct.ts'
import { inProcess } from '../../proof/tpp/in-process.ts'
import { openDirectory } from '../directory.ts'
import { freePort } from '../free-ports.ts'
import { configurationOf } from './configuration.ts'
import { certified, root, tppCatalogue, tppSuites } from './opened.ts'
import { openWebApp } from './web-app.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-clients-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('a program', () => {
  const program = (text: string, patience = 10_000) => {
    const file = join(folder, `${Math.random()}.mjs`)
    writeFileSync(file, text)
    return commandClient({ command: [process.execPath, file], base: root, patience })
  }
  const only = (id: string) => id === 'TGEN-01/reads-everything'

  test('that says it has the data, and got none, is told so', async () => {
    const { results } = await certified(program(''), { selected: only })
    expect(results.get('TGEN-01/reads-everything')).toMatchObject({
      outcome: 'warn',
      message: expect.stringContaining('client and bank disagree'),
    })
  })

  test('that refuses says why on its last line; a crash names its error', async () => {
    const refusing = program('console.error("first"); console.error("no reason"); process.exit(3)')
    const { results } = await certified(refusing, { selected: only })
    expect(results.get('TGEN-01/reads-everything')?.actual).toContain('no reason')
    const crashing = await certified(program('null.x'), { selected: only })
    expect(crashing.results.get('TGEN-01/reads-everything')?.actual).toMatch(
      /it seems to have crashed \(exit code 1\): TypeError/,
    )
    const wordy = program('console.error("Node.js v20 is what I am"); process.exit(10)')
    const { results: refused } = await certified(wordy, { selected: only })
    expect(refused.get('TGEN-01/reads-everything')?.actual).not.toContain('crashed')
  })

  test.each([
    [[process.execPath, 'no-such-program.mjs'], /node could not load .*Cannot find module '/],
    [[process.execPath, '-e', 'const a = ;'], /could not load .*SyntaxError: /],
    [[process.execPath, '-e', 'require("no-such-module")'], /could not load .*Cannot find module/],
    [['sh', '-c', 'no-such-command'], /sh could not load the program \(exit code 127\)/],
    [['sh', 'no-such-script.sh'], /sh could not load the program/],
  ])('that cannot be loaded judges nobody: %j', async (command, says) => {
    const unloaded = commandClient({ command, base: root, patience: 10_000 })
    const { results } = await certified(unloaded, { selected: only })
    expect(results.get('TGEN-01/reads-everything')).toMatchObject({
      outcome: 'blocked',
      because: { kind: 'environment' },
      message: expect.stringMatching(says),
    })
  })

  test('that refuses in the words of a parser is judged', async () => {
    const text = 'try { JSON.parse("<") } catch (error) { console.error(error); process.exit(1) }'
    const { results } = await certified(program(text), { selected: only })
    expect(results.get('TGEN-01/reads-everything')?.outcome).toBe('warn')
    const uncaught = await certified(program('JSON.parse("<")'), { selected: only })
    expect(uncaught.results.get('TGEN-01/reads-everything')?.actual).toContain('SyntaxError')
  })

  test('that cannot be started judges nobody', async () => {
    const missing = commandClient({ command: ['no-such-program'], base: root, patience: 1000 })
    const { results } = await certified(missing, { selected: only })
    expect(results.get('TGEN-01/reads-everything')).toMatchObject({
      outcome: 'blocked',
      because: { kind: 'environment' },
    })
  })

  test('that never gives up is ended, and told so', async () => {
    const text = `import { readFileSync } from 'node:fs'
      const { bank } = JSON.parse(readFileSync(process.env.ASSAY_BRIEFING))
      const ask = () => fetch(bank.products, { headers: { accept: 'application/json' } })
      // Several at once: 200 also on a slow machine.
      for (;;) await Promise.all(Array.from({ length: 25 }, ask))`
    const selected = (id: string) => id === 'TPRD-02/unavailable'
    const { results, requests } = await certified(program(text, 6000), { selected })
    expect(results.get('TPRD-02/unavailable')).toMatchObject({
      outcome: 'warn',
      message: 'the client keeps asking',
      actual: expect.stringContaining('200 or more attempts of GET'),
    })
    expect(requests).toBeGreaterThan(200)
  })

  test('that hangs is ended', async () => {
    const hanging = program('setInterval(() => {}, 1000)', 1000)
    const { results } = await certified(hanging, { selected: only })
    expect(results.get('TGEN-01/reads-everything')?.message).toContain('did not end within')
  })

  test('that waits as the bank says, and for longer than it has, is told of the 429', async () => {
    const waits = inProcess({
      ...right,
      customerAddress: () => undefined,
      reads: Array(70).fill('/balances'),
      waitBeforeRetry: () => 0,
      endedAfter: 80,
    })
    const rateLimit = { threshold: 60, window: 10, retryAfter: true }
    const host = await createBankHost({ settings: { rateLimit } })
    const { results } = await certified(waits, { selected: only, host })
    await host.close()
    expect(results.get('TGEN-01/reads-everything')).toMatchObject({
      outcome: 'blocked',
      message: expect.stringMatching(/did not end .*429 with Retry-After: 10$/),
    })
  })

  const control = async (text: string, patience = 10_000) => {
    const { results } = await certified(program(text, patience), { selected: only })
    return results.get('TGEN-01/reads-everything')
  }
  const child = (options: string, text: string) => `import { spawn } from 'node:child_process'
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(text)}], ${options})
    child.unref()`
  // Longer than anybody waits for it, and no longer.
  const forever = 'process.on("SIGTERM", () => {}); setTimeout(() => {}, 150_000)'

  test.each([
    ['leaves a child running', child("{ stdio: 'inherit' }", forever)],
    ['forks a daemon', child("{ stdio: 'inherit', detached: true }", forever)],
    [
      'prints without end of use',
      'for (let i = 0; i < 3000; i += 1) console.error("x".repeat(99))',
    ],
  ])('that %s keeps nobody waiting, and is judged by what it says', async (_, text) => {
    const result = await control(
      `${text}\nconsole.log('no, thank you'); process.exitCode = 1`,
      60_000,
    )
    expect(result).toMatchObject({
      outcome: 'warn',
      actual: expect.stringContaining('no, thank you'),
    })
  })

  test('that ignores every signal is ended all the same', async () => {
    const result = await control(
      `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`,
      2000,
    )
    expect(result).toMatchObject({ outcome: 'blocked', because: { kind: 'environment' } })
    expect(result?.message).toContain('did not end within 2 s')
  })

  test('that prints no reason, or goes before the customer is back, is told what the bank saw', async () => {
    const silent = await control('process.exitCode = 1')
    expect(silent?.actual).toContain('says: nothing')
    const hasty = await control(
      `fetch(process.env.ASSAY_CUSTOMER + 'x').catch(() => {}); process.exit(0)`,
    )
    expect(hasty?.message).toContain('client and bank disagree')
  })

  test('with keys of its own is not given others', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'own', use: 'sig', alg: 'PS256' }
    const host = await createBankHost({ enrol: { jwks: { first: { keys: [jwk] } } } })
    const seen = join(folder, 'seen.json')
    const client = program(
      `import { copyFileSync } from 'node:fs'; copyFileSync(process.env.ASSAY_BRIEFING, ${JSON.stringify(seen)}); process.exit(1)`,
    )
    await certified(client, { host, selected: only })
    expect(JSON.parse(readFileSync(seen, 'utf8')).client.signing).toBeUndefined()
    await host.close()
  })
})

describe('a transport certificate of the TPP’s own', () => {
  test('is registered by its file, used, and not handed out', async () => {
    const authority = await createAuthority('CN=Another directory')
    const own = await authority.issueClient('CN=tpp.example')
    const file = join(folder, 'own.pem')
    writeFileSync(file, `${own.certificate}${authority.certificate}`)
    const document = { name: 'own', client: { driver: 'ask' as const }, transport: 'own.pem' }
    const host = await createBankHost({ enrol: await enrolmentOf(document, folder) })
    const told: unknown[] = []
    const reference = inProcess(right)
    const client: ClientDriver = {
      pursue(briefing) {
        told.push(briefing.client.transport)
        return reference.pursue({ ...briefing, client: { ...briefing.client, transport: own } })
      },
      close: reference.close,
    }
    const selected = (id: string) => /^(TGEN-01|TGEN-02)/.test(id)
    const { results } = await certified(client, { host, selected })
    // Scenarios are played at the same time: which ends first is open.
    expect([...results].map(([id, { outcome }]) => `${id} ${outcome}`).sort()).toEqual([
      'TGEN-01/reads-again pass',
      'TGEN-01/reads-everything pass',
      'TGEN-02/certificate pass',
      'TGEN-02/renewed not-applicable',
    ])
    expect(told.filter(Boolean)).toEqual([])
  })

  test('without the authority that vouches for it is one line', async () => {
    const authority = await createAuthority('CN=Another directory')
    writeFileSync(join(folder, 'alone.pem'), (await authority.issueClient('CN=x')).certificate)
    const document = { name: 'own', client: { driver: 'ask' as const }, transport: 'alone.pem' }
    await expect(enrolmentOf(document, folder)).rejects.toThrow(
      'transport alone.pem: append the certificate of CN=Another directory',
    )
  })
})

test('of a client that does nothing, everything waits for the correct bank', async () => {
  const idle: ClientDriver = {
    pursue: async () => ({ end: 'refused', words: 'not today' }),
    close: async () => {},
  }
  const { results } = await certified(idle, { goals: ['connect', 'read'] })
  const waiting = [...results.values()].filter(({ outcome }) => outcome === 'blocked')
  const causes = new Set(waiting.map(({ because }) => because?.kind === 'check' && because.id))
  expect([...causes]).toEqual(['TGEN-01/reads-everything'])
  expect(results.get('GEN-04/accept')?.outcome).toBe('blocked')
  expect(results.get('TGEN-01/reads-everything')?.message).toContain('not today')
})

test('a person says how each goal ended, on a page of this machine', async () => {
  let url = ''
  const client = await askClient({ patience: 20_000, tell: (address) => (url = address) })
  const judging = certified(client, { selected: (id) => id === 'TPRD-01/read' })
  let page = ''
  while (!page.includes('TPRD-01/read')) page = await (await fetch(url)).text()
  expect(page).toContain('a client reads the list of products')
  const id = Number(/\bid: (\d+)/.exec(page)?.[1])
  const say = (origin: string) =>
    fetch(`${url}said`, {
      method: 'POST',
      body: JSON.stringify({ id, end: 'refused', words: 'not <built>' }),
      headers: { origin, 'content-type': 'application/json' },
    })
  expect((await say('https://elsewhere.example')).status).toBe(403)
  expect((await say(new URL(url).origin)).status).toBe(200)
  const { results } = await judging
  expect(results.get('TPRD-01/read')).toMatchObject({
    outcome: 'warn',
    actual: 'it says: not <built>',
  })
})

test('a person who went away is asked once, and no more', async () => {
  const client = await askClient({ patience: 300, tell: () => {} })
  const selected = (id: string) => id.startsWith('TPRD-')
  const { results } = await certified(client, { selected, parallel: 1 })
  expect(results.get('TPRD-01/read')).toMatchObject({
    outcome: 'blocked',
    message: 'nobody answered TPRD-01/read within 0.3 s',
    because: { kind: 'environment' },
  })
  expect(results.get('TPRD-02/unavailable')?.message).toContain('nothing more is asked')
})

test('a client that keeps the keys of the bank from before is not blamed for new ones', async () => {
  const reference = inProcess(conductWith({ refetchesKeys: false }))
  let keys: unknown
  const client: ClientDriver = {
    async pursue(briefing) {
      const file = join(briefing.folder, 'memory.json')
      if (keys) writeFileSync(file, JSON.stringify({ bank: { keys }, rows: {} }))
      const said = await reference.pursue(briefing)
      keys ??= JSON.parse(readFileSync(file, 'utf8')).bank.keys
      return said
    },
    close: reference.close,
  }
  const ids = ['TIDT-14/no-kid', 'TIDT-14/several-keys', 'TIDT-01/unknown-kid']
  const selected = (id: string) => ids.includes(id)
  const { results } = await certified(client, { selected, parallel: 1 })
  expect(ids.map((id) => results.get(id)?.outcome)).toEqual(['pass', 'not-applicable', 'pass'])
})

test('a client that a customer uses whenever it reads may say so', async () => {
  const saysSo = inProcess(conductWith({ customerAddress: () => '203.0.113.7' }))
  const selected = (id: string) => ['TDAT-03/absent', 'TRES-01/customer-away'].includes(id)
  const outcomes = async (client: ClientDriver) => {
    const { results } = await certified(client, { selected })
    return ['TDAT-03/absent', 'TRES-01/customer-away'].map((id) => results.get(id)?.outcome)
  }
  const attended = { ...saysSo, attended: () => true }
  expect(await outcomes(attended)).toEqual(['not-applicable', 'not-applicable'])
  expect(await outcomes(saysSo)).toEqual(['fail', 'blocked'])
  const page = { open: 'https://app.example', done: 'x', refused: 'y' }
  const { attended: isThere } = browserClient({
    pages: { read: page, products: { ...page, absent: true } },
    executable: '',
    patience: 1,
  })
  expect([isThere?.('read'), isThere?.('products')]).toEqual([true, false])
})

describe('a web application in a real browser', () => {
  const executable = findBrowser()
  let directory: Directory
  beforeAll(async () => {
    directory = await openDirectory()
  })
  afterAll(() => directory.close())

  const browser = (pages: Parameters<typeof browserClient>[0]['pages'], patience = 4000) =>
    browserClient({ pages, executable: executable ?? '', trust: directory.authority, patience })

  const pageServer = async (html: string) => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}/`, close: () => server.close() }
  }

  const popup = `<a id="go" href="about:blank" target="_blank" rel="opener">Go</a><script>
    document.querySelector('#go').onclick = () => { open('about:blank').document.write('<body>Your accounts') ; return false }
  </script>`

  test.runIf(executable).each([
    ['shows neither text', '<body>Please wait', 'says: Please wait', undefined],
    ['goes nowhere', '<body><script>while (false);close()</script>', 'within 4 s', undefined],
    ['shows its end in a popup', `<body>${popup}`, 'the bank gave it none', 'warn'],
  ])(
    'that %s is waited for a bounded time, and told',
    async (_, html, words, outcome = 'blocked') => {
      const app = await pageServer(html)
      const described = {
        open: app.url,
        steps: [{ when: '#go', click: '#go' }],
        done: 'Your accounts',
        refused: 'We could not connect',
      }
      const selected = (id: string) => id === 'TGEN-01/reads-everything'
      const client = browser({ connect: described })
      const { results } = await certified(client, { directory, goals: ['connect'], selected })
      const result = results.get('TGEN-01/reads-everything')
      expect(result).toMatchObject({ outcome, message: expect.stringContaining(words) })
      app.close()
    },
    60_000,
  )

  test.runIf(executable)(
    'connects once it is configured, refuses a wrong ID token; one that does not look is caught',
    async () => {
      const outcomes: Record<string, string | undefined>[] = []
      const unchecked = { idTokenChecks: { ...right.idTokenChecks, iss: false } }
      for (const conduct of [{}, unchecked]) {
        const app = await openWebApp(directory.server, conduct)
        const own = await openDirectory({
          redirectUris: { first: [`${app.origin}/callback`] },
        })
        const port = await freePort()
        const host = await createBankHost({ directory: own, once: { port } })
        const bank = await host.open({ onSighting() {} })
        app.configure(configurationOf(bank.document, bank.issuer))
        await bank.close()
        const customers = await openCustomers()
        const pages = {
          connect: {
            open: `${app.origin}/`,
            steps: [{ when: '#bank', click: '#bank' }],
            done: 'Your accounts',
            refused: 'We could not connect',
          },
        }
        const trust = directory.authority
        const client = browserClient({
          pages,
          executable: executable ?? '',
          trust,
          patience: 30_000,
        })
        const { results } = await certify({
          suites: await tppSuites(),
          catalogue: tppCatalogue(),
          host,
          client,
          customers,
          goals: ['connect'],
          parallel: 1,
          patience: 200,
          selected: (id) =>
            [
              'TGEN-01/reads-everything',
              'TIDT-03/issuer',
              'TAUT-13/denied',
              'TGEN-05/renewed-meanwhile',
            ].includes(id),
        })
        outcomes.push(Object.fromEntries([...results].map(([id, { outcome }]) => [id, outcome])))
        await client.close()
        await customers.close()
        await own.close()
        await app.close()
      }
      const all = {
        'TGEN-01/reads-everything': 'pass',
        'TAUT-13/denied': 'pass',
        'TGEN-05/renewed-meanwhile': 'pass',
      }
      expect(outcomes[0]).toMatchObject({ ...all, 'TIDT-03/issuer': 'pass' })
      expect(outcomes[1]).toMatchObject({ ...all, 'TIDT-03/issuer': 'warn' })
    },
    120_000,
  )
})
