import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { commandDriver } from '../../engine/authorisation-drivers/command.ts'
import type { VisitRequest } from '../../engine/authorisation-drivers/driver.ts'
import { everything } from '../../suites/consents.ts'
import { openDirectory } from '../directory.ts'
import { open } from './opened.ts'

const directory = await openDirectory()
afterAll(() => directory.close())

const request: VisitRequest = {
  url: 'https://bank.example/auth?request=x',
  redirectUris: ['https://tally.example/callback'],
  decision: 'deny',
  customer: { credentials: {} },
  customerName: 'second',
  purpose: 'a visit: of a test',
  about: {},
}

const node = (script: string, ...more: string[]) => [process.execPath, '-e', script, ...more]

function driver(command: string[], patience = 10_000) {
  const redact = (text: string) => text.replaceAll('hunter2', '<secret>')
  return commandDriver({ command, base: process.cwd(), patience, redact })
}

test('a program gets the link and what to do with it, and prints the final redirect', async () => {
  const script = `
    const { ASSAY_URL, ASSAY_DECISION, ASSAY_CUSTOMER, ASSAY_PURPOSE } = process.env
    const words = [process.argv.at(-1) === ASSAY_URL, ASSAY_DECISION, ASSAY_CUSTOMER, ASSAY_PURPOSE]
    console.log('opening the page')
    console.log('https://tally.example/callback#' + new URLSearchParams({ code: words }) + '\\n')`
  const end = await driver(node(script, 'an argument of its own')).visit(request)
  expect(end).toMatchObject({ kind: 'redirected' })
  const { hash } = new URL(end.kind === 'redirected' ? end.url : '')
  const code = new URLSearchParams(hash.slice(1)).get('code')
  expect(code).toBe('true,deny,second,a visit: of a test')
})

test('two visits at once are nothing for a driver that takes one customer after the other', async () => {
  const { session, close } = await open({ driver: 'command', command: node('') }, { directory })
  const atOnce = session.visitsAtOnce({ purpose: 'one' }, { purpose: 'other' })
  await expect(atOnce).rejects.toThrow('the driver takes one customer after the other')
  expect(session.visits).toEqual([])
  await close()
})

test.each<[ends: string, script: string, why: RegExp, patience?: number]>([
  [
    'an exit code',
    'console.error("no login for hunter2"); process.exit(7)',
    / ended with exit code 7: no login for <secret>$/,
  ],
  ['nothing on its output', '', / printed nothing: its last line is the final redirect$/],
  ['no address', 'console.log("done")', / is not an address: print the final redirect$/],
  ['the link itself', 'console.log(process.env.ASSAY_URL)', / printed the link that it was given/],
  ['an endless output', 'for (;;) console.log("x".repeat(999))', / printed more than 64 KiB$/],
  ['no end', 'setInterval(() => {}, 1000)', / did not end within 1.5 s$/, 1500],
])(
  'a program that ends with %s says nothing of the bank',
  async (_, script, why, patience = 30_000) => {
    const end = await driver(node(script), patience).visit(request)
    expect(end).toMatchObject({ kind: 'stopped', ours: true })
    expect(end.kind === 'stopped' && end.why).toMatch(why)
  },
)

test('a program that is not there says nothing of the bank', async () => {
  const end = await driver(['/nowhere/approve']).visit(request)
  expect(end).toMatchObject({ ours: true, why: '/nowhere/approve cannot be started: ENOENT' })
})

test.each([
  [
    'edited on Windows',
    '#!/bin/sh\r\necho\r\n',
    0o755,
    'its first line ends in CR, as Windows writes lines',
  ],
  ['of another machine', '#!/opt/py\n', 0o755, 'its first line names /opt/py, which is not there'],
  ['without the right to run', '#!/bin/sh\n', 0o644, 'it is not executable'],
])('a script %s says nothing of the bank', async (_, text, mode, why) => {
  const file = join(mkdtempSync(join(tmpdir(), 'assay-command-')), 'approve.sh')
  writeFileSync(file, text, { mode })
  const end = await driver([file]).visit(request)
  expect(end).toMatchObject({ ours: true, why: `${file} cannot be started: ${why}` })
})

test("a program can say that the bank's pages end without a redirect", async () => {
  const end = await driver(node('console.log("stopped: this card is blocked")')).visit(request)
  expect(end).toEqual({ kind: 'stopped', why: 'this card is blocked', pages: [] })
})

test('what a program started ends with it, and with the run', async () => {
  const started = join(mkdtempSync(join(tmpdir(), 'assay-command-')), 'started')
  const script = `
    const { spawn } = require('node:child_process')
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    console.error(child.pid)
    require('node:fs').writeFileSync(${JSON.stringify(started)}, '')
    setInterval(() => {}, 1000)`
  const program = driver(node(script), 60_000)
  const visit = program.visit(request)
  await expect.poll(() => existsSync(started), { timeout: 30_000 }).toBe(true)
  program.interrupt?.()
  const end = await visit
  expect(end).toMatchObject({ ours: true })
  const why = end.kind === 'stopped' ? end.why : ''
  expect(why).toMatch(/ was ended: the run was interrupted: \d+$/)
  const child = Number(/\d+$/.exec(why)?.[0])
  const isThere = () => {
    try {
      process.kill(child, 0)
      return true
    } catch {
      return false
    }
  }
  await expect.poll(isThere, { timeout: 5000 }).toBe(false)
  expect(await program.visit(request)).toMatchObject({ ours: true })
})

test('a run whose program fails is blocked by the environment, not by the bank', async () => {
  const command = node('process.exit(1)')
  const { session, close } = await open({ driver: 'command', command }, { directory })
  await expect(session.approved(everything)).rejects.toMatchObject({
    name: 'Blocked',
    because: { kind: 'environment', what: expect.stringContaining('ended with exit code 1') },
  })
  expect(session.visits).toMatchObject([{ outcome: 'stopped' }])
  await close()
})
