import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { packed } from '../../cli/reports.ts'
import { chainedLine } from '../../engine/record/chain.ts'
import { pack } from '../../engine/report/evidence/archive.ts'
import { MADE } from '../../engine/report/evidence/sealed-files.ts'
import { signRun } from '../../engine/report/evidence/sign-run.ts'
import { verifyRun } from '../../engine/report/evidence/verify-run.ts'
import { writeReports } from '../../engine/report/write-reports.ts'
import { authority } from '../wire/certificates.ts'
import { recorded } from './recorded.ts'

const night = await recorded('faulty')
const recording = night.exchanges.slice(0, 20)

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })

let dir: string
const path = (file: string) => join(dir, file)

async function spoil(file: string, change: (text: string) => string): Promise<void> {
  await writeFile(path(file), change(await readFile(path(file), 'utf8')))
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'assay-'))
  await writeFile(path('report.json'), `${JSON.stringify(night.report, null, 2)}\n`)
  await writeFile(path('exchanges.jsonl'), recording.map((e) => `${JSON.stringify(e)}\n`).join(''))
})

describe('signRun and verifyRun', () => {
  test.each([
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['EC P-256', ec],
    ['EC P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['Ed25519', generateKeyPairSync('ed25519')],
  ])('%s, as PEM and as JWK', async (_, { privateKey, publicKey }) => {
    const statement = await signRun(dir, pem(privateKey))
    expect(statement).toMatchObject({
      target: 'staging',
      verdict: 'nonconformant',
      chain: { lines: 20 },
    })
    const verified = await verifyRun(dir, spki(publicKey))
    expect(verified).toMatchObject({
      intact: true,
      signature: 'valid',
      exchanges: 20,
      findings: [],
    })
    await signRun(dir, JSON.stringify(privateKey.export({ format: 'jwk' })), { kid: 'night' })
    const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }))
    expect(await verifyRun(path('statement.jws'), jwk)).toMatchObject({
      intact: true,
      signer: 'night',
    })
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    expect(await verifyRun(dir, spki(other.publicKey))).toMatchObject({
      intact: false,
      signature: 'invalid',
    })
  })

  test('with a certificate the statement carries its own key', async () => {
    const { certificate: x5c, key } = await (await authority('ca')).issue('nightly')
    await signRun(dir, key, { x5c })
    expect(await verifyRun(dir)).toMatchObject({
      intact: true,
      signature: 'valid',
      signer: 'CN=nightly',
    })
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await expect(signRun(dir, pem(other.privateKey), { x5c })).rejects.toThrow(
      'not that of the signing key',
    )
  })

  test('no key: the bytes are compared, the signature is not called valid', async () => {
    await signRun(dir, pem(ec.privateKey))
    expect(await verifyRun(dir)).toMatchObject({
      intact: false,
      signature: 'no-key',
      findings: [
        {
          file: 'statement.jws',
          message: expect.stringContaining('needs the public key') as string,
        },
      ],
    })
  })

  test('no statement: the chain is walked', async () => {
    expect(await verifyRun(dir)).toMatchObject({ intact: true, signature: 'absent', exchanges: 20 })
  })

  test('no statement where a signer is named: it may have been removed', async () => {
    expect(await verifyRun(dir, spki(ec.publicKey))).toMatchObject({
      intact: false,
      signature: 'absent',
      findings: [{ file: 'statement.jws', message: 'is missing, and a key was given' }],
    })
  })

  test('a run that was changed before is not signed', async () => {
    await spoil('exchanges.jsonl', (text) => text.replace('"id":"x7"', '"id":"x8"'))
    await expect(signRun(dir, pem(ec.privateKey))).rejects.toThrow('exchanges.jsonl:7 was changed')
  })

  test('a key that is none is refused without showing it', async () => {
    await expect(signRun(dir, '{"kty":"EC","d":"secret"')).rejects.toThrow(
      /^the signing key can't be read: it is not JSON$/,
    )
    await expect(signRun(dir, 'secret')).rejects.toThrow(
      /^the signing key can't be read: (?!.*secret)/,
    )
  })
})

describe('what was edited after signing', () => {
  const verified = async () => {
    const result = await verifyRun(dir, spki(ec.publicKey))
    expect(result.intact).toBe(false)
    return result.findings
  }

  beforeEach(async () => {
    await signRun(dir, pem(ec.privateKey))
  })

  test('one byte of any sealed file, at any place, is noticed', async () => {
    await writeReports(dir)
    await signRun(dir, pem(ec.privateKey))
    const names = ['report.json', 'exchanges.jsonl', ...MADE]
    const files = (await readdir(dir)).filter((file) => names.includes(file))
    expect(files.length).toBeGreaterThan(5)
    for (const file of files) {
      const whole = await readFile(path(file))
      for (const byte of [0, Math.floor(whole.length / 3), whole.length - 1]) {
        const changed = Buffer.from(whole)
        changed[byte] = (whole[byte] as number) ^ 1
        await writeFile(path(file), changed)
        const findings = await verified()
        expect(new Set(findings.map((finding) => finding.file)), `${file} ${byte}`).toEqual(
          new Set([file]),
        )
      }
      await writeFile(path(file), whole)
    }
    expect(await verifyRun(dir, spki(ec.publicKey))).toMatchObject({ intact: true, findings: [] })
  })

  test('a file of another length says both lengths', async () => {
    await spoil('report.json', (text) =>
      text.replace('"verdict": "nonconformant"', '"verdict": "conformant"'),
    )
    const [finding] = await verified()
    expect(finding?.message).toMatch(/^was changed: it had \d+ bytes and has \d+$/)
  })

  test('one byte of one exchange is named with its line', async () => {
    await spoil('exchanges.jsonl', (text) => text.replace('"id":"x7"', '"id":"x8"'))
    expect(await verified()).toEqual([
      { file: 'exchanges.jsonl', line: 7, message: expect.stringMatching(/^was changed/) },
    ])
  })

  test('a removed, an added and a reordered exchange', async () => {
    const whole = await readFile(path('exchanges.jsonl'), 'utf8')
    const lines = whole.split('\n')
    await spoil('exchanges.jsonl', () => lines.filter((_, i) => i !== 4).join('\n'))
    expect((await verified())[0]).toMatchObject({ line: 5 })
    await spoil('exchanges.jsonl', () =>
      [...lines.slice(0, 5), lines[4], ...lines.slice(5)].join('\n'),
    )
    expect((await verified())[0]).toMatchObject({ line: 6 })
    await spoil('exchanges.jsonl', () => lines.slice(0, 19).join('\n').concat('\n'))
    expect(await verified()).toHaveLength(1)
  })

  test('a chain that was made again from its start is told from the one that was signed', async () => {
    let previous = ''
    const again = recording.map((record) => {
      const { hash, line } = chainedLine(previous, { ...record, durationMs: 1 })
      previous = hash
      return line
    })
    await writeFile(path('exchanges.jsonl'), again.join(''))
    expect((await verified())[0]).toMatchObject({ file: 'exchanges.jsonl' })
  })

  test('other spacing, a missing last line feed, a missing file', async () => {
    const whole = await readFile(path('exchanges.jsonl'), 'utf8')
    await spoil('exchanges.jsonl', (text) => text.replace('"about":', '"about": '))
    expect((await verified())[0]).toMatchObject({ line: 1 })
    await spoil('exchanges.jsonl', () => whole.slice(0, -1))
    expect((await verified())[0]).toMatchObject({
      line: 20,
      message: 'does not end in a line feed',
    })
    await rm(path('exchanges.jsonl'))
    expect(await verified()).toEqual([{ file: 'exchanges.jsonl', message: 'is missing' }])
  })

  test('a report that people read, too', async () => {
    await writeReports(dir)
    await signRun(dir, pem(ec.privateKey))
    await spoil('report.html', (text) =>
      text.replace('Nonconformant', 'Conformant').replace('nonconformant', 'conformant'),
    )
    expect(await verified()).toMatchObject([
      { file: 'report.html', message: expect.stringContaining('or it was made again') as string },
    ])
    await writeReports(dir)
    expect(await verifyRun(dir, spki(ec.publicKey))).toMatchObject({ intact: true })
  })

  test('the statement itself', async () => {
    const [head, payload, signature] = (await readFile(path('statement.jws'), 'utf8')).split('.')
    const statement = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()) as object
    const forged = Buffer.from(JSON.stringify({ ...statement, verdict: 'conformant' })).toString(
      'base64url',
    )
    await writeFile(path('statement.jws'), [head, forged, signature].join('.'))
    expect(await verified()).toMatchObject([
      { file: 'statement.jws', message: expect.stringContaining('does not hold') as string },
      { file: 'report.json', message: 'has another verdict than the statement' },
    ])
    await writeFile(path('statement.jws'), 'nothing')
    expect((await verified())[0]?.message).toContain("can't be read")
  })
})

describe('pack', () => {
  test('holds all that is needed to verify and to read, and is the same for the same run', async () => {
    await writeReports(dir)
    await signRun(dir, pem(ec.privateKey))
    const { holds, bytes } = await pack(dir, path('run.zip'))
    expect(holds).toEqual(
      expect.arrayContaining([
        'report.json',
        'exchanges.jsonl',
        'statement.jws',
        'report.html',
        'schemas/report.schema.json',
        'documents/account-information.md',
        'CONTENTS.txt',
      ]),
    )
    const first = await readFile(path('run.zip'))
    expect(first.length).toBe(bytes)
    await pack(dir, path('again.zip'))
    expect(first.equals(await readFile(path('again.zip')))).toBe(true)
    await rename(path('report.json'), path('elsewhere.json'))
    expect(await verifyRun(path('run.zip'), spki(ec.publicKey))).toMatchObject({
      intact: true,
      signature: 'valid',
    })
  })

  test('the command says where what it packs was changed since the run', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    vi.spyOn(console, 'log').mockImplementation(() => {})
    await writeReports(dir)
    await signRun(dir, pem(ec.privateKey))
    await packed(dir, { out: path('run.zip') })
    expect(said).not.toHaveBeenCalled()
    await spoil('report.json', (text) => text.replace('"staging"', '"Staging"'))
    await packed(dir, { out: path('run.zip') })
    expect(said).toHaveBeenCalledWith(
      expect.stringContaining('It was changed since the run: report.json:'),
    )
    vi.restoreAllMocks()
  })

  test('its list of contents is what sha256sum checks', async () => {
    await pack(dir, path('run.zip'))
    const files = unzipSync(await readFile(path('run.zip')))
    const list = Buffer.from(files['CONTENTS.txt'] ?? []).toString()
    for (const line of list.split('\n').filter((l) => /^[0-9a-f]{64} {2}/.test(l))) {
      const [digest, name] = line.split('  ')
      const bytes = Buffer.from(files[name ?? ''] ?? [])
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(digest)
    }
  })
})
