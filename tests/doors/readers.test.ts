import { createSign, generateKeyPairSync } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { CompactSign } from 'jose'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stringify } from 'yaml'
import { deviationsInit, diff, overview, packed, report, sign, verify } from '../../cli/reports.ts'
import { UsageError } from '../../cli/usage.ts'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { readTppFile } from '../../engine/certification/tpp-file.ts'
import { readLeftovers } from '../../engine/client-session/cleanup.ts'
import { openClientStore } from '../../engine/client-session/client-store.ts'
import { openResumeFile } from '../../engine/client-session/resume-file.ts'
import { readTargetFile } from '../../engine/configuration/load.ts'
import type { Target } from '../../engine/configuration/resolve.ts'
import { TargetError } from '../../engine/configuration/target-error.ts'
import { InputError } from '../../engine/record/input-error.ts'
import { pack } from '../../engine/report/evidence/archive.ts'
import { signRun } from '../../engine/report/evidence/sign-run.ts'
import { readStatement } from '../../engine/report/evidence/statement.ts'
import { verifyRun } from '../../engine/report/evidence/verify-run.ts'
import { historyEntry, readHistory } from '../../engine/report/history.ts'
import { loadDeviations } from '../../engine/run/deviations.ts'
import { readJournal } from '../../engine/run/journal.ts'
import { documentFor, signingKeys } from '../configuration/documents.ts'
import { altered, damaged, json } from './altered.ts'
import { smallExchanges, smallReport, smallRun } from './small-run.ts'

/** One seed for all: what fails here fails again. */
const RUNS = { numRuns: 60, seed: 40 }

const dir = smallRun()
const other = smallRun({ ...smallReport, startedAt: '2026-03-01T02:00:00.000Z' })
const path = (file: string) => join(dir, file)
afterAll(() => {
  for (const folder of [dir, other]) rmSync(folder, { recursive: true })
})

beforeEach(() => {
  written('report.json', json(smallReport))
  written('exchanges.jsonl', smallExchanges.join(''))
  vi.spyOn(console, 'log').mockImplementation(() => {})
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

/** What main.ts says in one line, with exit code 2; anything else would be a stack and exit code 5. */
async function told(read: () => unknown): Promise<string> {
  try {
    await read()
    return ''
  } catch (error) {
    const kinds = [UsageError, TargetError, InputError]
    if (!kinds.some((kind) => error instanceof kind)) throw error
    const { message } = error as Error
    expect(message).not.toMatch(/\n\s+at /)
    expect(message.length).toBeLessThan(20_000)
    return message
  }
}

const written = (file: string, content: string | Buffer) => writeFileSync(path(file), content)

test('a whole run passes every door', async () => {
  expect(await told(() => report(dir, { baseline: other, history: path('whole.jsonl') }))).toBe('')
  expect(await told(() => diff([other, dir], { format: 'json', failOn: 'any' }))).toBe('')
  expect(await told(() => overview([other, dir], { out: path('all') }))).toBe('')
  expect(await told(() => verify([dir], {}))).toBe('')
})

const REPORTS: [string, () => unknown][] = [
  ['report', () => report(dir, { baseline: other, history: path('history.jsonl') })],
  ['report --baseline', () => report(other, { baseline: dir })],
  ['diff', () => diff([other, dir], { format: 'markdown', failOn: 'any' })],
  ['overview', () => overview([dir, other], { out: path('all') })],
  ['verify', () => verify([dir], {})],
  ['verify --judge', () => verify([dir], { judge: true })],
  ['pack', () => packed(dir, { out: path('run.zip') })],
  ['sign', () => sign(dir, { key: 'package.json' })],
  ['deviations init', () => deviationsInit(dir, { out: path('d.yaml'), force: true })],
]

test.each(REPORTS)('%s of a report with strange members', async (_, command) => {
  const strange = altered(smallReport).map(json)
  await fc.assert(
    fc.asyncProperty(fc.oneof(strange, strange, damaged(json(smallReport))), async (text) => {
      written('report.json', text)
      rmSync(path('history.jsonl'), { force: true })
      await told(command)
    }),
    RUNS,
  )
})

test('report and verify of strange exchanges', async () => {
  const lines = smallExchanges.map((line) => JSON.parse(line) as unknown)
  const strange = altered(lines).map((value) => [value].flat().map(json).join('\n'))
  await fc.assert(
    fc.asyncProperty(fc.oneof(strange, damaged(smallExchanges.join(''))), async (text) => {
      written('exchanges.jsonl', text)
      await told(() => report(dir, {}))
      await told(() => verify([dir], {}))
      await told(() => verify([dir], { judge: true }))
    }),
    RUNS,
  )
})

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const spki = publicKey.export({ type: 'spki', format: 'pem' }).toString()

/** A JWS whose signature holds, whatever header and payload are. */
function signed(header: unknown, payload: unknown): string {
  const part = (value: unknown) => Buffer.from(json(value)).toString('base64url')
  const input = `${part(header)}.${part(payload)}`
  const signature = createSign('sha256').update(input)
  return `${input}.${signature.sign({ key: privateKey, dsaEncoding: 'ieee-p1363' }, 'base64url')}`
}

test('verify of a strange statement, also one that its signer signed so', async () => {
  await signRun(dir, pem)
  const { header, statement } = readStatement(readFileSync(path('statement.jws'), 'utf8').trim())
  const certificate = 'MIIB'
  const whole = { ...header, x5c: [certificate, certificate], crit: ['b64'], b64: false }
  const strange = fc.oneof(
    altered(whole).map((head) => signed(head, statement)),
    altered(statement).map((payload) => signed(header, payload)),
    damaged(signed(header, statement)),
  )
  await fc.assert(
    fc.asyncProperty(strange, fc.boolean(), async (text, withKey) => {
      written('statement.jws', text)
      await told(async () => {
        const { intact } = await verifyRun(dir, withKey ? spki : undefined)
        if (intact) expect(() => readStatement(String(text).trim())).not.toThrow()
      })
    }),
    { ...RUNS, numRuns: 150 },
  )
  rmSync(path('statement.jws'))
})

test('crit and b64 are refused, whoever signed', async () => {
  await signRun(dir, pem)
  const jws = readFileSync(path('statement.jws'), 'utf8').trim()
  const { header, statement } = readStatement(jws)
  for (const more of [{ crit: ['exp'] }, { b64: false }, { b64: true, crit: ['b64'] }]) {
    written('statement.jws', signed({ ...header, ...more }, statement))
    expect(await verifyRun(dir, spki)).toMatchObject({ intact: false, signature: 'invalid' })
  }
  const bytes = Buffer.from(json(statement))
  const foreign = new CompactSign(bytes).setProtectedHeader({ ...header, typ: 'JWT' })
  written('statement.jws', await foreign.sign(privateKey))
  expect(await verifyRun(dir, spki)).toMatchObject({ intact: false, signature: 'invalid' })
  rmSync(path('statement.jws'))
})

test('verify of a damaged archive', async () => {
  await signRun(dir, pem)
  await pack(dir, path('run.zip'))
  const archive = readFileSync(path('run.zip'))
  await fc.assert(
    fc.asyncProperty(damaged(archive), async (bytes) => {
      written('odd.zip', bytes)
      await told(async () => {
        const { intact } = await verifyRun(path('odd.zip'), spki)
        if (intact) expect(bytes.equals(archive)).toBe(true)
      })
    }),
    { ...RUNS, numRuns: 150 },
  )
  rmSync(path('statement.jws'))
})

test('a strange history', async () => {
  const entry = historyEntry(smallReport)
  const strange = altered(entry).map((value) => `${json(entry)}\n${json(value)}\n`)
  await fc.assert(
    fc.asyncProperty(fc.oneof(strange, damaged(`${json(entry)}\n`)), async (text) => {
      written('odd.jsonl', text)
      const message = await told(() => readHistory(path('odd.jsonl')))
      if (message !== '') expect(message).toMatch(/odd\.jsonl:\d+ .*\. /)
      await told(() => report(dir, { history: path('odd.jsonl') }))
    }),
    RUNS,
  )
})

test('strange kept clients', async () => {
  const first = { softwareStatement: 'a.e30.b' }
  const target = { endpoints: { registration: 'https://b' }, clients: { first } } as Target
  const file = path('odd.clients.json')
  rmSync(file, { force: true })
  const request = { method: 'POST', url: 'https://b', headers: [], body: 'a.e30.b' }
  const response = { status: 201, headers: [], body: '{}', bytes: 2, json: { client_id: 'one' } }
  const exchange = {
    id: 'x1',
    endpoint: 'registration',
    about: {},
    startedAt: smallReport.startedAt,
  }
  openClientStore(file, target, String).keep('first', { client_id: 'one' }, {
    ...exchange,
    durationMs: 1,
    request,
    response,
    connection: { identity: 'first' },
  } as never)
  const text = readFileSync(file, 'utf8')
  expect(openClientStore(file, target).answer('first')).toBeDefined()
  const strange = altered(JSON.parse(text)).map(json)
  await fc.assert(
    fc.asyncProperty(fc.oneof(strange, damaged(text)), async (odd) => {
      writeFileSync(file, odd)
      const message = await told(() => {
        const store = openClientStore(file, target)
        store.find('first')
        store.answer('first')
      })
      if (message !== '') expect(message).toContain(`${file} `)
    }),
    { ...RUNS, numRuns: 200 },
  )
})

test('strange files of visits, leftovers and the journal', async () => {
  const options = { secret: signingKeys.first, binding: 'b', lifetime: 60_000 }
  const visits = path('odd.visits')
  const file = openResumeFile(visits, options)
  file?.append({ a: 1 })
  file?.close()
  const kept = readFileSync(visits)
  const line = { kind: 'judged', result: smallReport.checks[0], observations: [] }
  const start = { kind: 'start', pid: 1, checks: ['a'] }
  const leftover = { kind: 'consent', path: 'p', id: 'i', client: 'first' }
  const strange = altered([line, start, leftover]).map((all) => [all].flat().map(json).join('\n'))
  await fc.assert(
    fc.asyncProperty(damaged(kept), strange, async (bytes, text) => {
      written('odd.visits', bytes)
      await told(() => openResumeFile(visits, options)?.close())
      written('odd.lines', text)
      await told(() => readLeftovers(path('odd.lines')))
      await told(() => readJournal(path('odd.lines'), 'judged'))
    }),
    RUNS,
  )
})

const DEVIATIONS = [{ id: 'TXN-17', reason: 'known', ticket: 'a', expires: '2099-01-31' }]
const TPP = {
  ...{ name: 'tpp', goals: ['connect'], redirectUris: ['https://a/b'], parallel: 2 },
  client: { driver: 'command', command: ['node', 'a.mjs'], timeout: 3 },
}
const catalogue = loadCatalogue()

/** A parser of YAML takes seconds for what it refuses in the end; one test is enough. */
const shallow = (value: unknown) => json(value, 50)

const WRITTEN_BY_HAND: [string, unknown, (file: string) => unknown][] = [
  ['target file', documentFor('https://bank.example'), (file) => readTargetFile(file, {})],
  ['target file of the reference bank', { bank: 'embedded', name: 'a', port: 1 }, readTargetFile],
  ['TPP file', TPP, (file) => readTppFile(file, {})],
]

test.each(WRITTEN_BY_HAND)(
  'a strange %s',
  async (_, value, read) => {
    const text = stringify(value, { aliasDuplicateObjects: false })
    const strange = fc.oneof(altered(value).map(shallow), damaged(text))
    await fc.assert(
      fc.asyncProperty(strange, async (odd) => {
        written('odd.yaml', odd)
        const message = await told(() => read(path('odd.yaml')))
        if (message !== '') expect(message).toMatch(/odd\.yaml:\d+:\d+: /)
      }),
      RUNS,
    )
  },
  120_000,
)

test('a strange list of known deviations', async () => {
  const strange = fc.oneof(altered(DEVIATIONS).map(shallow), damaged(stringify(DEVIATIONS)))
  await fc.assert(
    fc.asyncProperty(strange, async (odd) => {
      written('odd.yaml', odd)
      // Whoever reads the option makes a mistake of usage of it.
      const message = await told(() => {
        try {
          loadDeviations(path('odd.yaml'), catalogue)
        } catch (error) {
          throw new UsageError((error as Error).message)
        }
      })
      if (message !== '') expect(message).toMatch(/odd\.yaml:\d+:\d+: /)
    }),
    RUNS,
  )
})

test('lists in lists without end', async () => {
  written('odd.yaml', `name: ${'['.repeat(50_000)}`)
  expect(await told(() => readTargetFile(path('odd.yaml'), {}))).toMatch(/odd\.yaml:\d+:\d+: /)
})
