import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Bank } from '../../bank/running-bank.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { ExchangeRecord } from '../../engine/report/report.ts'
import { openBank } from '../directory.ts'
import {
  assay,
  type Command,
  filesIn,
  interrupt,
  judgingProcess,
  reportOf,
  targetFile,
  until,
} from './cli.ts'
import { finder, fingerprint } from './finding.ts'
import { type LeakyBank, leakyBank } from './leaky-bank.ts'

/**
 * No secret is in anything that a command writes, by commands in processes of their own, as their terminal is among it.
 * The dearest is a run of every check, in one case of each kind: what a check says is its own, and may hold a secret.
 * Runs that end otherwise are short: what is written at such an end is the same however long the run was.
 */

/** In the configuration, and said by nobody else. */
const CANARIES = {
  passphrase: 'canary Passphrase äß & <7>',
  // Six digits stand in some hash or other by chance.
  'one-time code': '4930218857',
  'name of a customer': 'Ingrid Canary-Møller',
  'what authorises a hook': 'canary/hook+authorization=9d',
  password: 'Thistle-Harbour-61',
}

const folder = mkdtempSync(join(tmpdir(), 'assay-canaries-'))
let leaky: LeakyBank
let bank: Bank
let target: string
let signingKey: string
let publicKey: string
let configured: string[]

beforeAll(async () => {
  const told: string[] = Object.values(CANARIES)
  leaky = leakyBank(told)
  bank = await openBank({ alterations: [leaky.alteration] })
  const document = structuredClone(bank.target) as TargetDocument
  const { passphrase, 'one-time code': otp } = CANARIES
  const { signing, transport, softwareStatement = '' } = document.clients.first
  const lines = [signing.key, transport.key ?? ''].flatMap((pem) =>
    pem.trim().split('\n').slice(1, -1),
  )
  signing.key = createPrivateKey(signing.key).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase,
  }) as string
  signing.passphrase = passphrase
  lines.push(...signing.key.trim().split('\n').slice(1, -1))
  document.customers.first.credentials.otp = otp
  document.customers.first.names?.push(CANARIES['name of a customer'])
  for (const hook of Object.values(document.hooks ?? {})) {
    if (hook.http)
      hook.http.headers = { authorization: `Bearer ${CANARIES['what authorises a hook']}` }
  }
  // It repeats parts of keys and statements as well: as if a log with them had come into its hands.
  const statement = softwareStatement.split('.')[2] ?? ''
  told.push(lines[3] ?? '', statement, ...(document.customers.first.names ?? []))
  configured = [...told, ...lines.filter((line) => line.length >= 32)]
  const evidence = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  signingKey = join(folder, 'evidence.pem')
  publicKey = join(folder, 'evidence.pub.pem')
  const pem = evidence.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  writeFileSync(signingKey, pem)
  writeFileSync(publicKey, evidence.publicKey.export({ type: 'spki', format: 'pem' }))
  configured.push(...pem.split('\n').filter((line) => line.length >= 16 && !line.startsWith('-')))
  target = targetFile(folder, document)
})

afterAll(async () => {
  await bank.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Files that hold a secret, and which: by its name or a fingerprint, never itself. */
function leaks(texts: [where: string, text: string][]): string[] {
  const names = new Map(Object.entries(CANARIES).map(([name, value]) => [value, name]))
  const secretsIn = finder([...configured, ...leaky.seen])
  const found = new Map<string, string[]>()
  return texts.flatMap(([where, text]) => {
    // What lies in several places is looked through once.
    const secrets = found.get(text) ?? secretsIn(text)
    found.set(text, secrets)
    return secrets.map((secret) => {
      const what = names.get(secret) ?? `${secret.length} characters, ${fingerprint(secret)}`
      return `${where.replace(folder, '')}: ${what}`
    })
  })
}

/** Of a run: its folder, what it remembers beside the target file, and what it wrote to the terminal. */
function everything(out: string, { stdout, stderr }: { stdout: string; stderr: string }) {
  const remembered = filesIn(folder).filter(([file]) => file.includes('.assay'))
  return [...filesIn(out), ...remembered, ['stdout', stdout], ['stderr', stderr]] as [
    string,
    string,
  ][]
}

const slow = { timeout: 600_000 }

const judge = (out: string, ...words: string[]) => [
  'run',
  '--target',
  target,
  '--out',
  out,
  ...words,
]

/** A run of some checks, which has asked the bank for something when this resolves. */
async function midRun(out: string): Promise<Command> {
  const before = leaky.requests
  const run = assay(judge(out, '--only', 'consents', 'accounts', 'authorisation'))
  await until(() => leaky.requests > before + 60, run, 120)
  return run
}

test('this test sees a secret in each of its disguises', () => {
  const bytes = (text: string, encoding: BufferEncoding) => Buffer.from(text).toString(encoding)
  const secret = CANARIES.passphrase
  const seen = finder([secret])
  for (const text of [
    secret,
    JSON.stringify(secret),
    encodeURIComponent(secret),
    bytes(secret, 'base64'),
    bytes(`x${secret}`, 'base64url'),
    `a.${bytes(JSON.stringify({ sub: secret }), 'base64url')}.b`,
  ]) {
    expect(seen(`around ${text} it`), text).toEqual([secret])
  }
})

describe('no secret is in any file or output', () => {
  test('of a whole run, of what is made from it, and of its archive', slow, async () => {
    const out = join(folder, 'whole')
    const history = join(out, 'history.jsonl')
    const ended = await assay(
      [...judge(out, '--profile', 'quick'), '--history', history, '--sign', signingKey],
      { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(out, 'summary-of-step.md') },
    ).ended
    expect([ended.code, ended.stderr]).toEqual([1, ''])
    expect(leaky.seen.size).toBeGreaterThan(100)
    const archive = join(folder, 'whole.zip')
    const commands = [
      ['verify', out, '--key', publicKey],
      ['report', out, '--baseline', out, '--history', history],
      ['pack', out, '--out', archive],
    ]
    const texts = everything(out, ended)
    for (const words of commands) {
      const later = await assay(words).ended
      // What `report` made again is not what the run signed, and `pack` says so.
      const says = words[0] === 'pack' ? /^It was changed since the run: report\.html/ : /^$/
      expect([later.code, later.stderr], words[0]).toEqual([0, expect.stringMatching(says)])
      texts.push([`output of ${words[0]}`, later.stdout + later.stderr])
    }
    texts.push(...filesIn(out))
    for (const [name, bytes] of Object.entries(unzipSync(readFileSync(archive)))) {
      texts.push([`archive ${name}`, Buffer.from(bytes).toString('utf8')])
    }
    const names = texts.map(([where]) => where.replace(`${out}/`, ''))
    expect(names).toEqual(
      expect.arrayContaining([
        'report.html',
        'summary-of-step.md',
        'history.jsonl',
        'statement.jws',
        'diff.md',
        'archive exchanges.jsonl',
      ]),
    )
    expect(names.some((name) => name.startsWith('allure-results/'))).toBe(true)
    expect(ended.stdout).toContain('::error title=')
    expect(leaks(texts)).toEqual([])
    followed(out)
  })

  test('of a run whose judging process is killed', slow, async () => {
    const out = join(folder, 'killed')
    const run = await midRun(out)
    process.kill(judgingProcess(out), 'SIGKILL')
    const ended = await run.ended
    expect(ended.code).toBe(5)
    expect(leaks(everything(out, ended))).toEqual([])
  })

  test('of a run whose judging process crashes over a secret', slow, async () => {
    const out = join(folder, 'crashed')
    const crash = join(folder, 'crash.mjs')
    writeFileSync(
      crash,
      `import { existsSync } from 'node:fs'
      if (process.send) setInterval(() => {
        if (existsSync(process.env.CRASH_AT)) throw new Error(process.env.CRASH_WITH)
      }, 10)`,
    )
    const run = assay(judge(out, '--profile', 'core'), {
      NODE_OPTIONS: `--import ${crash}`,
      CRASH_AT: join(out, 'exchanges.jsonl'),
      CRASH_WITH: `no ${CANARIES.password} fits, nor ${CANARIES['name of a customer']}`,
    })
    const ended = await run.ended
    expect(ended.code).toBe(5)
    expect(reportOf(out).problems.join()).toMatch(/no <secret:[0-9a-f]{6}> fits/)
    expect(leaks(everything(out, ended))).toEqual([])
  })

  test('of a run that is interrupted', slow, async () => {
    const out = join(folder, 'interrupted')
    const run = await midRun(out)
    interrupt(run)
    const ended = await run.ended
    expect(ended.code).toBe(130)
    expect(leaks(everything(out, ended))).toEqual([])
  })

  test.each([
    { words: ['reproduce', 'ACC-01/answers-200'], says: '/accounts' },
    { words: ['doctor'], says: 'bank' },
    { words: ['plan'], says: 'Approvals that checks share:' },
  ])('of assay $words.0', slow, async ({ words, says }) => {
    const { stdout, stderr } = await assay([...words, '--target', target]).ended
    expect(stdout).toContain(says)
    expect(
      leaks([
        ['stdout', stdout],
        ['stderr', stderr],
      ]),
    ).toEqual([])
  })
})

/** The same secret has the same pseudonym: what is issued in one exchange is recognised in another. */
function followed(out: string): void {
  const report = reportOf(out)
  expect(report.checks.length).toBeGreaterThan(300)
  const [, content = ''] = filesIn(out).find(([file]) => file.endsWith('exchanges.jsonl')) ?? []
  const records = content
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ExchangeRecord)
  const issued = new Set<string>()
  for (const { endpoint, response } of records) {
    if (endpoint !== 'token') continue
    const token = /"access_token":"(<access_token:[0-9a-f]{6}[^>]*>)"/.exec(
      response?.body ?? '',
    )?.[1]
    if (token) issued.add(token)
  }
  const used = records.flatMap(({ endpoint, about, request }) => {
    if (endpoint !== 'accounts' || about.deviation !== undefined) return []
    return request.headers.flatMap(([name, value]) =>
      name.toLowerCase() === 'authorization' ? [value.replace('Bearer ', '')] : [],
    )
  })
  expect(used.length).toBeGreaterThan(5)
  expect(used.filter((token) => !issued.has(token))).toEqual([])
}
