import { spawn, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decide, logIn } from '../bank-pages.ts'
import { main } from '../built.ts'
import { assay, type Command, interrupt, until } from '../evidence/cli.ts'
import { freePort } from '../free-ports.ts'
import { hasBrowser, launch, reason } from '../report/chromium.ts'

const root = resolve(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'tpp.md'), 'utf8')
const part = page.slice(page.indexOf('# Step by step with curl'))
const blocks = [...part.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block)

const tools = ['bash', 'curl', 'jq'].filter((tool) => spawnSync(tool, ['--version']).error)
const able = hasBrowser && tools.length === 0
const why = tools.length > 0 ? ` (skipped: no ${tools.join(', ')})` : reason

const folder = mkdtempSync(join(tmpdir(), 'assay-curl-'))
let bank: Command
let port: number

beforeAll(async () => {
  if (!able) return
  mkdirSync(join(folder, 'bin'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${main}" "$@"\n`
  writeFileSync(join(folder, 'bin', 'npx'), npx, { mode: 0o755 })
  port = await freePort()
  bank = assay(['bank', '--port', String(port), '--info', join(folder, 'bank.yaml')])
  await until(() => /Ctrl-C/.test(bank.written()), bank)
}, 120_000)
afterAll(async () => {
  if (able) {
    interrupt(bank)
    await bank.ended
  }
  rmSync(folder, { recursive: true, force: true })
})

/** The customer, as the page says: logs in, chooses cards, approves; the address where that ends. */
async function approved(link: string, password: string): Promise<string> {
  const browser = await launch()
  try {
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const tab = await context.newPage()
    const final = new Promise<string>((done) => {
      tab.on('request', (request) => {
        if (request.url().startsWith('https://tally.example/')) done(request.url())
      })
      // The address bar keeps what follows #, a request does not show it.
      tab.on('response', async (response) => {
        const { location = '' } = response.headers()
        if (location.startsWith('https://tally.example/')) done(location)
      })
    })
    await tab.goto(link)
    await logIn(tab, { username: 'amara.okafor', password })
    await decide(tab, 'approve')
    return await final
  } finally {
    await browser.close()
  }
}

describe.skipIf(!able)(`docs/tpp.md, step by step, typed literally${why}`, () => {
  test('a client registers, a customer approves, data are read', { timeout: 180_000 }, async () => {
    // Nothing is changed but the ports, which others may have.
    const typed = blocks.join('\n').replace(/127\.0\.0\.1:844(\d)/g, (_, n: string) => {
      return `127.0.0.1:${port + Number(n) - 3}`
    })
    const child = spawn('bash', ['-e', '-c', typed], {
      cwd: folder,
      env: { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` },
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString()
      })
    }
    const ended = new Promise<number | null>((done) => child.on('close', done))
    const link = await new Promise<string>((done, fail) => {
      child.stdout.on('data', () => {
        const [found] = /^https:\/\/127\.0\.0\.1:\d+\/authorize\?\S+$/m.exec(said) ?? []
        if (found) done(found)
      })
      child.on('close', () => fail(new Error(said)))
    })
    const password = /amara\.okafor\W+(\S+)/.exec(bank.written())?.[1] ?? ''
    child.stdin.end(`${await approved(link, password)}\n`)
    expect(await ended, said).toBe(0)
    const rows = said.split('\n').filter((line) => /^\[\d+,\{/.test(line))
    expect(rows, said).toHaveLength(3)
    for (const row of rows) expect(Number(/^\[(\d+)/.exec(row)?.[1]), row).toBeGreaterThan(0)
    expect(statSync(join(folder, 'tpp', 'first.signing.pem')).mode & 0o777).toBe(0o600)
  })
})
