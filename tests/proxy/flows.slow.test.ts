import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Directory } from '../../bank/directory/directory.ts'
import type { Goal } from '../../engine/certification/scenario.ts'
import type { Report } from '../../engine/report/report.ts'
import { createBankHost } from '../../proof/tpp/bank-host.ts'
import { noBrowser } from '../authorisation-drivers/opened.ts'
import { root } from '../certification/opened.ts'
import { openDirectory } from '../directory.ts'
import { assay, filesIn, interrupt, reportOf, targetFile, until } from '../evidence/cli.ts'
import { brokenIn } from '../recording/recorded-bank.ts'
import { type Journey, journeyAt, pursued, throughBrowser, throughForms } from './journey.ts'

/** Real clients through the proxy, at the reference bank, with and without what is wrong. */

const folder = mkdtempSync(join(tmpdir(), 'assay-proxy-flows-'))
let directory: Directory
beforeAll(async () => {
  directory = await openDirectory()
})
afterAll(async () => {
  await directory.close()
  rmSync(folder, { recursive: true, force: true })
})

const clients = join(root, 'tests', 'certification', 'clients')
const EXAMPLE = ['node', join(root, 'docs', 'example-client.mjs')]
const PYTHON = ['python3', join(clients, 'client.py')]
const GO = join(folder, 'client')

const has = (program: string, word = '--version') => spawnSync(program, [word]).status === 0

const journey = (
  command: string[],
  goals: Goal[],
  options: Omit<Parameters<typeof journeyAt>[1], 'goals' | 'command'> = {},
) => journeyAt(directory, { command, goals, ...options })

const done = ({ said }: Journey) =>
  expect(said.map(({ end, words }) => end === 'done' || words)).toEqual(said.map(() => true))

/** Rules that a report found right, and that need the whole flow. */
const right = ({ checks }: Report, ids: string[]) =>
  ids.filter((id) => checks.find((check) => check.id === id)?.outcome !== 'pass')

const OF_BANK = ['ACC-01/answers-200', 'TXN-01/answers-200', 'CONS-01/answers-201']
const OF_TPP = [
  ...['TAUT-01/client', 'TAUT-03/registered', 'TTOK-03/issuer', 'TTOK-03/audience'],
  ...['TTOK-08/redirect-uri', 'TCON-01/client-token', 'DATA-01/consent-token'],
  ...['TGEN-02/certificate', 'TREG-07/audience', 'TDAT-10/permitted'],
]

const conform = (ended: Journey) => {
  done(ended)
  const { bank, tpp } = ended
  expect({ bank: brokenIn(bank), tpp: brokenIn(tpp) }).toEqual({ bank: [], tpp: [] })
  expect({ bank: right(bank, OF_BANK), tpp: right(tpp, OF_TPP) }).toEqual({ bank: [], tpp: [] })
  expect(bank).toMatchObject({ exitCode: 0, verdict: 'incomplete' })
  expect(bank.recording?.musts.exercised).toBeGreaterThan(60)
}

test('openid-client: both parties keep their rules', { timeout: 180_000 }, async () => {
  const goals: Goal[] = ['connect', 'read', 'reconfirm', 'disconnect', 'products']
  conform(await journey(EXAMPLE, goals))
})

test.skipIf(!has('python3'))('a client in Python', { timeout: 180_000 }, async () => {
  conform(await journey(PYTHON, ['connect', 'read', 'disconnect']))
})

test.skipIf(!has('go', 'version'))('a client in Go', { timeout: 300_000 }, async () => {
  const env = { ...process.env, GOCACHE: join(folder, 'cache'), GO111MODULE: 'off' }
  const words = ['build', '-o', GO, join(clients, 'client.go')]
  expect(spawnSync('go', words, { env, encoding: 'utf8' }).stderr).toBe('')
  conform(await journey([GO], ['connect', 'read', 'disconnect']))
})

test.skipIf(noBrowser)(
  `a customer in a browser behind the proxy${noBrowser}`,
  { timeout: 180_000 },
  async () => {
    const ended = await journey(EXAMPLE, ['connect'], { visit: throughBrowser })
    conform(ended)
    expect(ended.bank.recording?.elsewhere.length).toBeGreaterThan(0)
  },
)

test('a fault of the bank is found, and held against the bank alone', {
  timeout: 180_000,
}, async () => {
  const ended = await journey(EXAMPLE, ['connect'], { alteration: 'pending-rows-without-currency' })
  expect(brokenIn(ended.bank)).toContain('TXN-31/amount')
  expect(ended.bank.exitCode).toBe(1)
  expect(brokenIn(ended.tpp)).toEqual([])
})

test('a wrong request of the TPP is found, and held against the TPP alone', {
  timeout: 180_000,
}, async () => {
  const ended = await journey(wrongPython(ANY, ONE_JTI), ['connect'])
  expect(brokenIn(ended.tpp)).toEqual(
    expect.arrayContaining(['GEN-04/accept', 'TTOK-05/jti-fresh']),
  )
  expect(brokenIn(ended.bank)).toEqual([])
})

const ANY: Change = ['named["accept"] = "application/json"', 'named["accept"] = "*/*"']
const ONE_JTI: Change = ['"jti": secrets.token_hex(16), **claims', '"jti": "one", **claims']

type Change = [right: string, wrong: string]

/** The client in Python, wrong in something. */
function wrongPython(...changes: Change[]): string[] {
  const file = join(folder, 'wrong.py')
  const text = readFileSync(join(clients, 'client.py'), 'utf8')
  for (const [right] of changes) expect(text).toContain(right)
  writeFileSync(
    file,
    changes.reduce((all, [right, wrong]) => all.replace(right, wrong), text),
  )
  return ['python3', file]
}

test('what was there before the proxy is unknown to it, and held against nobody', {
  timeout: 180_000,
}, async () => {
  const before: Goal[] = ['connect']
  const ended = await journey(EXAMPLE, ['read', 'reconfirm', 'disconnect'], { before })
  done(ended)
  const { bank, tpp } = ended
  expect({ bank: brokenIn(bank), tpp: brokenIn(tpp) }).toEqual({ bank: [], tpp: [] })
  // The client was registered before: nobody can say that it is not.
  const issuer = ended.tpp.checks.find(({ id }) => id === 'TTOK-03/issuer')
  expect(issuer?.outcome).toBeUndefined()
  expect(right(tpp, ['TTOK-03/audience', 'TGEN-03/bearer'])).toEqual([])
})

/** Whatever of a flow is secret: nothing that the proxy writes may have it. */
const secretsIn = (texts: string[]) => [
  ...new Set(
    texts.flatMap((text) => [
      ...[...text.matchAll(/"(?:access_token|refresh_token|id_token)":"([^"]+)"/g)].map(
        ([, value]) => value ?? '',
      ),
      ...[
        ...text.matchAll(/(?:[#&?]|^)(?:code|client_assertion|request|password)=([^&\s"]+)/g),
      ].map(([, value]) => value ?? ''),
    ]),
  ),
]

test('the command: no secret in what it writes, exit code 1 for a must of the TPP', {
  timeout: 180_000,
}, async () => {
  const texts: string[] = []
  const host = await createBankHost({ directory })
  const hosted = await host.open({
    onSighting: ({ request, response }) =>
      void texts.push(
        request.url,
        request.body,
        response?.body ?? '',
        ...(response?.headers ?? []).flat(),
      ),
  })
  const place = mkdtempSync(join(folder, 'command-'))
  const [out, target] = [join(place, 'out'), targetFile(place, hosted.document)]
  const words = ['--target', target, '--listen', '127.0.0.1:0', '--out', out]
  const proxy = assay(['proxy', ...words], {}, place)
  await until(() => proxy.written().includes('Ctrl-C ends it'), proxy)
  const url = /HTTPS_PROXY=(\S+)/.exec(proxy.written())?.[1] ?? ''
  const trust = readFileSync(join(place, '.assay', 'proxy', 'authority.pem'), 'utf8')
  const parts = { state: place, url, trust, visit: throughForms }
  const said = await pursued(wrongPython(ANY), ['connect'], hosted, parts)
  expect(said).toMatchObject([{ end: 'done' }])
  await until(() => proxy.written().includes('/transactions'), proxy)
  interrupt(proxy)
  const { stdout, stderr, code } = await proxy.ended
  await hosted.close()
  await host.close()

  expect([code, stderr]).toEqual([1, ''])
  expect(stdout).toContain('TPP GEN-04/accept (must)')
  expect(stdout).toMatch(/NOTHING BROKEN SEEN[\s\S]*\d MUSTS? BROKEN {2}a client/)
  expect(reportOf(join(out, 'bank'))).toMatchObject({ exitCode: 0, verdict: 'incomplete' })
  expect(reportOf(join(out, 'tpp'))).toMatchObject({ exitCode: 1, target: { side: 'TPP' } })
  const secrets = secretsIn(texts)
  expect(secrets.length).toBeGreaterThan(6)
  const { password = '' } = hosted.document.customers.first.credentials
  const key = readFileSync(join(place, '.assay', 'proxy', 'authority.key'), 'utf8').split('\n')[1]
  const written = [stdout, ...filesIn(out).map(([, text]) => text)].join('\n')
  for (const secret of [...secrets, password, key ?? '']) expect(written).not.toContain(secret)
})

test.each([
  [['--target', 'no.yaml'], /there is no such file/],
  [['--target', join(root, 'config', 'embedded.yaml')], /--target names no bank/],
  [['--target', 'x', '--listen', '9080'], /--listen takes HOST:PORT/],
  [['--target', 'x', '--pass', 'a/b'], /--pass takes a host/],
  [['--target', 'x', '--fail-on', 'new'], /--fail-on is must, should, not new/],
])('a wrong command line ends with 2: %j', async (words, says) => {
  const { code, stderr } = await assay(['proxy', ...words]).ended
  expect(stderr).toMatch(says)
  expect(stderr).not.toMatch(/\n\s+at /)
  expect(code).toBe(2)
})
