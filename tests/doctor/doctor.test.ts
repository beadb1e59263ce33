import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { stringify } from 'yaml'
import { startBank } from '../../bank/bank.ts'
import type { Bank } from '../../bank/running-bank.ts'
import { doctor } from '../../cli/doctor.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { certificateFindings } from '../../engine/doctor/certificate.ts'
import { openDirectory } from '../directory.ts'
import { authority } from '../wire/certificates.ts'
import { https, run, tcp } from '../wire/servers.ts'
import { type Around, type Broken, brokenConfigurations } from './broken.ts'

const directory = await openDirectory()
const right = await startBank({ directory })
const created: ReturnType<typeof right.services.consents.create>[] = []
const { create } = right.services.consents
right.services.consents.create = (request) => {
  const consent = create(request)
  created.push(consent)
  return consent
}
const folder = mkdtempSync(join(tmpdir(), 'assay-doctor-'))

const strange = await authority('Other Issuing CA')
const named = await strange.issue('api.other.example', { host: 'api.other.example' })
const old = await strange.issue('old', { ends: -86_400_000 })
const answers = (_: unknown, response: { end(text: string): void }) => response.end('{}')
const otherName = await https({ cert: named.certificate, key: named.key }, answers)
const expired = await https({ cert: old.certificate, key: old.key }, answers)
const closed = await tcp(() => {})
await closed.close()
const refusing = createServer()
refusing.on('connect', (_request, socket) => {
  socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
})
const proxy = await run(refusing, 'http')

const pem = { type: 'pkcs8', format: 'pem' } as const
const around: Omit<Around, 'bank'> = {
  closedPort: closed.port,
  otherName: otherName.url,
  expired: expired.url,
  authority: strange.certificate,
  proxy: proxy.url,
  legacy: readFileSync('tests/configuration/fixtures/legacy.p12').toString('base64'),
  curve: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pem).toString(),
  locked: generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ ...pem, cipher: 'aes-256-cbc', passphrase: 'canary-passphrase' })
    .toString(),
}

afterAll(async () => {
  await Promise.all([right.close(), otherName.close(), expired.close(), proxy.close()])
  await directory.close()
  rmSync(folder, { recursive: true })
})

interface Answer {
  printed: string[]
  exitCode: number
}

/** What `assay doctor` prints and its exit code, for a target that is broken in one way. */
async function consulted(broken: Broken): Promise<Answer> {
  const { settings, middleware } = broken
  const own = settings || middleware
  const alterations = [{ id: 'broken', story: broken.what, settings, middleware }]
  const bank: Bank = own ? await startBank({ directory, alterations }) : right
  const document = structuredClone(bank.target) as TargetDocument
  broken.document?.(document, { ...around, bank })
  const file = join(mkdtempSync(join(folder, 'target-')), 'bank.yaml')
  const yaml = stringify(document, { lineWidth: 0 })
  writeFileSync(file, broken.text?.(yaml) ?? yaml)
  try {
    return await answerFor(file)
  } finally {
    if (own) await bank.close()
  }
}

async function answerFor(target: string): Promise<Answer> {
  const printed: string[] = []
  const spy = vi.spyOn(console, 'log').mockImplementation((line: string) => {
    printed.push(...line.split('\n'))
  })
  try {
    await doctor({ target })
    return { printed, exitCode: Number(process.exitCode ?? 0) }
  } finally {
    spy.mockRestore()
    process.exitCode = 0
  }
}

/** What changes from run to run: ports, folders, ids of the bank. */
function settled(line: string): string {
  return line
    .replaceAll(/\/[^\s:]*\/target-[^/]+\//g, '')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/(?<=consents\/)[\w-]+/g, 'CONSENT')
    .replaceAll(/(?<=expired on )\d{4}-\d\d-\d\d/g, 'DATE')
    .replaceAll(/\d+ s ahead/g, 'SECONDS ahead')
    .replaceAll(/bank\.yaml:\d+:\d+/g, 'bank.yaml:LINE:COLUMN')
}

/** The lines that say what is wrong, each with whose it is and its fix; the same line once. */
function findings(printed: string[]): string[] {
  const found = printed.flatMap((line, index) => {
    if (line.startsWith('wrong ')) {
      return [settled(`${line.slice(9)} → ${printed[index + 1]?.trim()}`)]
    }
    return /^note +left behind|no client yet/.test(line) ? [settled(line.slice(9))] : []
  })
  return [...new Set(found)]
}

const rows: string[] = []

test.each(brokenConfigurations)('$what', async (broken) => {
  const { printed, exitCode } = await consulted(broken)
  const said = findings(printed)
  rows.push(`| ${broken.what} | ${exitCode} | ${said.join('<br>') || 'Nothing is wrong.'} |`)
  expect({ exitCode, printed }).toMatchObject({ exitCode: broken.exitCode })
  const text = printed.join('\n')
  for (const secret of ['canary-passphrase', 'PRIVATE KEY']) expect(text).not.toContain(secret)
})

test('an ordinary word that customers log in with is named, and not shown', async () => {
  const { printed, exitCode } = await consulted({
    what: 'a customer’s password is an ordinary word',
    document: (target) => {
      target.customers.first.credentials.password = 'account'
    },
    exitCode: 0,
  })
  const lines = printed.filter((line) => line.includes('secrets'))
  expect(lines).toEqual([
    expect.stringMatching(/^note +secrets +customers\.first\.credentials\.password is a word /),
  ])
  expect(exitCode).toBe(0)
})

test('a target that describes no denial is told what will not be judged', async () => {
  const { printed, exitCode } = await consulted({
    what: 'no button denies',
    document: (target) => {
      for (const form of target.authorisation.forms ?? []) delete form.deny
    },
    exitCode: 0,
  })
  const lines = printed.filter((line) => line.includes('button to deny'))
  expect(lines).toEqual([expect.stringMatching(/^note +driver .* is not judged\. Add deny/)])
  expect(exitCode).toBe(0)
})

test('a client is registered once, and kept', async () => {
  const file = join(mkdtempSync(join(folder, 'target-')), 'bank.yaml')
  writeFileSync(file, stringify(right.target))
  const registration = ({ printed }: Answer) =>
    printed.find((line) => line.includes('first: registration')) ?? ''
  const [, id] = / registered as (\S+),/.exec(registration(await answerFor(file))) ?? []
  expect(id).toBeDefined()
  expect(registration(await answerFor(file))).toContain(`client_id ${id}, kept from an earlier run`)
})

test('a PKCS#12 file is looked into', () => {
  const pkcs12 = readFileSync('tests/configuration/fixtures/client.p12').toString('base64')
  const found = certificateFindings(
    { name: 'first', transport: { pkcs12, passphrase: 'canary-passphrase' } },
    Date.now(),
  )
  expect(found.map(({ text }) => text).at(-1)).toBe('is signed by itself: no directory issued it')
})

test('nothing stays at the bank but the clients', () => {
  expect(created.length).toBeGreaterThan(10)
  expect(created.filter(({ deleted }) => deleted === undefined)).toEqual([])
})

test('docs/doctor.md says what the doctor says', async () => {
  const page = readFileSync('docs/doctor.md', 'utf8')
  const [before] = page.split('| what was broken |')
  const head = '| what was broken | exit code | what it says |\n| --- | --- | --- |'
  expect(rows.length).toBeGreaterThan(20)
  await expect(`${before}${head}\n${rows.join('\n')}\n`).toMatchFileSnapshot('../../docs/doctor.md')
})
