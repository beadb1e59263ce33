import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { problemOf } from '../../engine/record/formed.ts'
import { createTpp } from '../bank/tpp.ts'
import { openBank } from '../directory.ts'
import { attackingBank } from '../evidence/attacking-bank.ts'
import { assay, filesIn, interrupt, targetFile, until } from '../evidence/cli.ts'
import { placesIn, put } from './altered.ts'
import { hostileText, obeyedInFile, obeyedInTerminal } from './obeyed.ts'
import { smallExchanges, smallReport, smallRun } from './small-run.ts'

/**
 * Texts that some medium obeys, from every source, through every command that reads it: nothing that was written, to the
 * terminal or to a file, makes its reader do what the text says, and no command ends with a stack.
 */

const folder = mkdtempSync(join(tmpdir(), 'assay-outputs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** One seed for all: what fails here fails again. */
const [TEXTS] = fc.sample(fc.array(hostileText, { minLength: 40, maxLength: 40 }), {
  numRuns: 1,
  seed: 40,
})
const texts = TEXTS ?? []
let drawn = 0
const nextText = () => texts[drawn++ % texts.length] ?? ''

let made = 0
function newFolder(): string {
  made += 1
  const dir = join(folder, `f${made}`)
  mkdirSync(dir)
  return dir
}

/** What is wrong with all that the command wrote; `ours` are files that were there before. */
async function obeyed(command: string[], out: string, ours: readonly string[] = []) {
  // No argument of a process holds a NUL.
  const words = command.map((word) => word.replaceAll('\0', ''))
  const { stdout, stderr, code } = await assay(words, { GITHUB_ACTIONS: 'true' }, out).ended
  return { code, wrong: [...ofStreams(stdout, stderr), ...ofFiles(out, ours)] }
}

const ofStreams = (...streams: string[]) =>
  streams.flatMap((text) => [
    ...obeyedInTerminal(ownCommands(text)),
    ...(/\n\s+at .*:\d+:\d+/.test(text) ? [`a stack: ${text.slice(0, 400)}`] : []),
  ])

/** Without the annotations that a run itself makes of its findings: each is one line, and names a file of ours. */
const ownCommands = (text: string) =>
  text.replace(/^::(error|warning|notice) [^\n]*title=(?!owned)[^\n]*$/gm, '')

const ofFiles = (out: string, ours: readonly string[] = []) =>
  filesIn(out)
    .filter(([file]) => !ours.includes(file))
    .flatMap(([file, text]) => obeyedInFile(file, text))

/** Where a report may hold any text. */
const freePlaces = (value: unknown) => {
  const places = placesIn(value)
  return places.filter((place) => {
    const before = place.reduce<unknown>((at, step) => (at as never)?.[step], value)
    return (
      typeof before === 'string' &&
      problemOf(put(value, place, '<x-owned>\u001b'), 'report') === undefined
    )
  })
}

describe('the folder of a run', () => {
  const places = freePlaces(smallReport)
  const hostile = () => {
    const report = places.reduce<unknown>((all, at) => put(all, at, nextText()), smallReport)
    const exchanges = smallExchanges.map((line) => {
      const record = JSON.parse(line)
      record.about.deviation = nextText()
      record.endpoint = nextText()
      record.request.headers = [[nextText(), nextText()]]
      record.request.body = nextText()
      if (record.response) record.response.body = nextText()
      return `${JSON.stringify(record)}\n`
    })
    return smallRun(report, exchanges.join(''))
  }
  const key = join(folder, 'evidence.pem')
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(key, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const written: string[] = []
  afterAll(() => {
    for (const dir of written) rmSync(dir, { recursive: true, force: true })
  })

  test('has places enough', () => expect(places.length).toBeGreaterThan(60))

  const COMMANDS: [name: string, words: (dir: string, other: string, out: string) => string[]][] = [
    ['report', (dir, other) => ['report', dir, '--baseline', other]],
    ['diff', (dir, other) => ['diff', dir, other]],
    ['diff --out', (dir, other, out) => ['diff', dir, other, '--out', out]],
    ['overview', (dir, other, out) => ['overview', dir, other, '--out', out]],
    ['pack', (dir, _, out) => ['pack', dir, '--out', join(out, 'run.zip')]],
    ['certificate', (dir, _, out) => ['certificate', dir, '--out', join(out, 'certificate.html')]],
    ['sign', (dir) => ['sign', dir, '--key', key]],
    ['verify', (dir) => ['verify', dir]],
    ['verify --judge', (dir) => ['verify', dir, '--judge']],
    ['deviations init', (dir) => ['deviations', 'init', dir]],
    ['reproduce', (dir) => ['reproduce', 'TXN-17/alone', '--run', dir]],
    ['reproduce --export', (dir) => ['reproduce', 'TXN-17/alone', '--run', dir, '--export', 'har']],
    ['run --failed', (dir) => ['run', '--failed', dir, '--list']],
    ['tpp --failed', (dir) => ['tpp', '--failed', dir, '--list']],
  ]
  test.each(COMMANDS)('assay %s', async (_, words) => {
    for (let at = 0; at < 2; at += 1) {
      const [dir, other, out] = [hostile(), hostile(), newFolder()]
      written.push(dir, other)
      const ours = filesIn(dir).map(([file]) => file)
      const { wrong } = await obeyed(words(dir, other, out), out)
      expect([...wrong, ...ofFiles(dir, ours)]).toEqual([])
    }
  })
})

test('an archive: its names and its contents', async () => {
  for (let at = 0; at < 4; at += 1) {
    const dir = newFolder()
    const file = join(dir, 'run.zip')
    const bytes = () => new Uint8Array(Buffer.from(nextText()))
    const files = { [nextText()]: bytes(), 'report.json': bytes(), 'statement.jws': bytes() }
    writeFileSync(file, zipSync(files))
    expect((await obeyed(['verify', file], dir, [file])).wrong).toEqual([])
  }
})

describe('the target file', () => {
  let document: TargetDocument
  beforeAll(async () => {
    const bank = await openBank()
    document = structuredClone(bank.target) as TargetDocument
    await bank.close()
  })

  test.each([['plan'], ['run', '--list'], ['doctor'], ['run', '--only', 'DISC-01'], ['monitor']])(
    'assay %s %s',
    async (...command) => {
      for (let at = 0; at < 2; at += 1) {
        const places = placesIn(document).filter((place) => place.length > 0 && drawn++ % 9 === at)
        const altered = places.reduce<unknown>((all, one) => put(all, one, nextText()), document)
        const dir = newFolder()
        const target = targetFile(dir, altered as TargetDocument)
        const out = command.some((word) => word === '--only' || word === 'monitor')
          ? ['--out', join(dir, 'out')]
          : []
        const words = [...command, '--target', target, ...out]
        expect((await obeyed(words, dir, [target])).wrong).toEqual([])
      }
    },
  )
})

/** Options that take a file, and arguments: the text is the content, and the name. */
const FILES: string[][] = [
  ['run', '--target'],
  ['run', '--deviations'],
  ['run', '--baseline'],
  ['run', '--sign'],
  ['tpp', '--tpp'],
  ['init', '--from'],
  ['init', '--yes', '--name'],
  ['judge', '--target'],
  ['explore', '--target'],
  ['explore', '--cases'],
  ['proxy', '--target'],
  ['proxy', '--target', 'x', '--listen'],
  ['monitor', '--target'],
  ['certificate'],
  ['pack'],
  ['sign'],
  ['tpp', '--deviations'],
  ['verify', '--policy'],
  ['verify', '--key'],
  ['verify', '--judge', '--target'],
  ['bank', '--tpp'],
  ['report'],
  ['diff'],
  ['overview'],
  ['explain'],
  ['run', '--only'],
  ['run', '--notify'],
  ['bank', '--fault'],
  ['completion'],
  [],
]
test.each(FILES)('a file, and an argument: assay %s %s', async (...command) => {
  const dir = newFolder()
  const file = join(dir, 'given.yaml')
  writeFileSync(file, `name: x\n${nextText()}\n`)
  const run = command[0] === 'verify' ? [smallRun()] : []
  for (const given of [file, `${drawn % 2 ? '--' : ''}${nextText()}`]) {
    const [name = '', ...options] = command
    const words = name === '' ? [given] : [name, ...run, ...options, given]
    const { wrong, code } = await obeyed(words, dir, [file])
    expect(wrong).toEqual([])
    expect(code).not.toBe(0)
  }
  for (const one of run) rmSync(one, { recursive: true })
})

/** One request of a recording and its answer, as a HAR file has them. */
const entry = () => ({
  startedDateTime: '2026-03-02T02:00:00.000Z',
  time: 3,
  request: {
    method: 'GET',
    url: `https://bank.example/open-banking/v3.1/aisp/accounts?${encodeURIComponent(nextText().replaceAll(/\p{Surrogate}/gu, '_'))}`,
    httpVersion: nextText(),
    headers: [{ name: nextText(), value: nextText() }],
    queryString: [{ name: nextText(), value: nextText() }],
    postData: { mimeType: nextText(), text: nextText() },
  },
  response: {
    ...{ status: 200, statusText: nextText(), httpVersion: nextText(), redirectURL: nextText() },
    headers: [
      { name: 'Content-Type', value: 'application/json' },
      { name: nextText(), value: nextText() },
    ],
    content: { mimeType: 'application/json', text: JSON.stringify({ [nextText()]: nextText() }) },
  },
  comment: nextText(),
})

test('a recording: assay judge', { timeout: 120_000 }, async () => {
  const bank = await openBank()
  const document = structuredClone(bank.target) as TargetDocument
  await bank.close()
  Object.assign(document.addresses, { base_url: 'https://bank.example' })
  const dir = newFolder()
  const target = targetFile(dir, document)
  const har = join(dir, 'recorded.har')
  const creator = { name: nextText(), version: nextText() }
  const log = { version: '1.2', creator, entries: [entry(), entry(), entry()] }
  writeFileSync(har, JSON.stringify({ log }))
  const lines = join(dir, 'access.log')
  writeFileSync(lines, `${JSON.stringify({ [nextText()]: nextText() })}\n${nextText()}\n`)
  for (const file of [har, lines]) {
    const words = ['judge', file, '--target', target, '--out', join(dir, 'out')]
    for (const party of [[], ['--tpp', nextText()]]) {
      expect((await obeyed([...words, ...party], dir, [target, har, lines])).wrong).toEqual([])
    }
  }
})

test.each([
  ['doctor'],
  ['run', '--only', 'ACC-13', 'TXN-17', 'CONS-10', 'DISC', '--profile', 'quick'],
])('a bank: assay %s', { timeout: 120_000 }, async (...command) => {
  const dir = newFolder()
  const bank = await openBank({ alterations: [attackingBank(texts.slice(0, 5).join(' '))] })
  const target = targetFile(dir, structuredClone(bank.target) as TargetDocument)
  const out = command[0] === 'run' ? ['--out', join(dir, 'out')] : []
  const { wrong } = await obeyed([...command, '--target', target, ...out], dir, [target])
  await bank.close()
  expect(wrong).toEqual([])
})

/** Sends what a wrong TPP may send, with such texts in every place. */
async function sendHostile(target: TargetDocument, proxy?: { uri: string; ca: string }) {
  const { addresses } = target
  const discovery = `${addresses.discovery_url}/.well-known/openid-configuration`
  const services = { endpoints: { registration: '', issuer: '', token: '', at: {} } }
  const tpp = createTpp({ target, services } as never, 'first', proxy)
  const known = (await tpp.send(discovery)).json
  for (let at = 0; at < 12; at += 1) {
    const text = nextText()
    const coded = encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '_'))
    const claims = {
      [text]: text,
      scope: text,
      redirect_uris: [text],
      client_name: text,
      aud: text,
    }
    const headers = { 'content-type': 'application/jwt', accept: 'application/json' }
    const body = tpp.sign(claims, { kid: at % 2 ? text : undefined })
    await tpp.send(known.registration_endpoint, { method: 'POST', headers, body })
    const form = `grant_type=${coded}&scope=${coded}&client_assertion=${coded}&${coded}=${coded}`
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    await tpp.send(known.token_endpoint, { method: 'POST', headers: type, body: form })
    const accounts = `${addresses.base_url}/open-banking/v3.1/aisp/accounts/${coded}?${coded}=${coded}`
    const printable = text.replace(/[^\x20-\x7e]/g, '_')
    const odd = { authorization: printable, 'x-fapi-interaction-id': printable, accept: printable }
    await tpp.send(accounts, { headers: odd })
    await tpp.send(`${known.authorization_endpoint}?request=${coded}&redirect_uri=${coded}`)
  }
  await tpp.close()
}

test('a TPP at a bank that is watched', { timeout: 60_000 }, async () => {
  const dir = newFolder()
  const [info, log, out] = [join(dir, 'info.yaml'), join(dir, 'bank.log'), join(dir, 'out')]
  const bank = assay(['bank', '--watch', '--info', info, '--log', log, '--out', out])
  await until(() => bank.written().includes('Ctrl-C ends it'), bank)
  await sendHostile(parse(readFileSync(info, 'utf8')))
  interrupt(bank)
  const { stdout, stderr } = await bank.ended
  expect(stdout).toContain('owned')
  expect([...ofStreams(stdout, stderr), ...ofFiles(dir, [info])]).toEqual([])
})

test('a TPP and a bank with a proxy between them', { timeout: 120_000 }, async () => {
  const dir = newFolder()
  const bank = await openBank({ alterations: [attackingBank(texts.slice(0, 5).join(' '))] })
  const document = structuredClone(bank.target) as TargetDocument
  const target = targetFile(dir, document)
  const words = ['--target', target, '--listen', '127.0.0.1:0', '--out', join(dir, 'out')]
  const proxy = assay(['proxy', ...words], { GITHUB_ACTIONS: 'true' }, dir)
  await until(() => proxy.written().includes('Ctrl-C ends it'), proxy)
  const uri = /HTTPS_PROXY=(\S+)/.exec(proxy.written())?.[1] ?? ''
  const ca = readFileSync(join(dir, '.assay', 'proxy', 'authority.pem'), 'utf8')
  await sendHostile(document, { uri, ca })
  interrupt(proxy)
  const { stdout, stderr } = await proxy.ended
  await bank.close()
  expect(stdout).toContain('owned')
  const ours = filesIn(join(dir, '.assay')).map(([file]) => file)
  expect([...ofStreams(stdout, stderr), ...ofFiles(dir, [target, ...ours])]).toEqual([])
})

test('a client that is certified, and its file', { timeout: 120_000 }, async () => {
  const dir = newFolder()
  const file = join(dir, 'tpp.yaml')
  const client = join(dir, 'client.mjs')
  writeFileSync(
    client,
    `process.stdout.write(${JSON.stringify(nextText())}); console.error(${JSON.stringify(nextText())}); process.exit(3)\n`,
  )
  const driven = { driver: 'command', command: [process.execPath, client] }
  writeFileSync(file, stringify({ name: nextText(), client: driven, goals: ['connect'] }))
  const { wrong } = await obeyed(['tpp', '--tpp', file, '--out', join(dir, 'out')], dir, [
    file,
    client,
  ])
  expect(wrong).toEqual([])
})

/** Whatever they read is our own. */
const OF_OURS = ['prove', 'lint', 'generate', 'credentials', 'help']

test('no command is left out', async () => {
  const { stdout } = await assay(['--help']).ended
  const commands = [...stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name)
  expect(commands.length).toBeGreaterThan(15)
  const source = readFileSync(import.meta.filename, 'utf8')
  const fed = (name = '') => OF_OURS.includes(name) || source.includes(`['${name}'`)
  expect(commands.filter((name) => !fed(name))).toEqual([])
})
