import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { packed, verify } from '../../cli/reports.ts'
import { UsageError } from '../../cli/usage.ts'
import { InputError } from '../../engine/record/input-error.ts'
import { pack } from '../../engine/report/evidence/archive.ts'
import { contentsOf } from '../../engine/report/evidence/sealed-files.ts'
import { signRun } from '../../engine/report/evidence/sign-run.ts'
import { verifyRun } from '../../engine/report/evidence/verify-run.ts'
import { authority } from '../wire/certificates.ts'
import { smallRun } from './small-run.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const spki = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const mtime = new Date(2000, 0, 1)

let dir: string
const path = (file: string) => join(dir, file)
const said: string[] = []

beforeEach(async () => {
  said.length = 0
  vi.spyOn(console, 'log').mockImplementation((line) => void said.push(String(line)))
  vi.spyOn(console, 'error').mockImplementation((line) => void said.push(String(line)))
  dir = smallRun()
  writeFileSync(path('key.pem'), spki)
  await signRun(dir, pem)
  await pack(dir, path('run.zip'))
})

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
  rmSync(dir, { recursive: true })
})

type Files = Record<string, Uint8Array>

/** The archive with other files in it. */
function repacked(change: (files: Files) => unknown): string {
  const files: Files = unzipSync(readFileSync(path('run.zip')))
  change(files)
  writeFileSync(path('changed.zip'), zipSync(files, { mtime, level: 9 }))
  return path('changed.zip')
}

const text = (words: string) => new Uint8Array(Buffer.from(words))
const NOTHING = 'Nothing was changed since it was signed.'

/** What the command says last, and its exit code. */
async function verified(file: string) {
  await verify([file], { key: path('key.pem') })
  return { end: said.at(-1), code: process.exitCode }
}

test('of an archive that nobody touched nothing was changed', async () => {
  expect(await verified(path('run.zip'))).toEqual({ end: NOTHING, code: 0 })
  expect(await verified(repacked(() => {}))).toEqual({ end: NOTHING, code: 0 })
})

/** With its list made again, as who wants to deceive would. */
const again = (files: Files) => {
  const all = Object.entries(files).map(([name, bytes]) => [name, Buffer.from(bytes)] as const)
  files['CONTENTS.txt'] = contentsOf(new Map(all))
}

describe('what is told of an archive', () => {
  const changes: [string, (files: Files) => unknown, string][] = [
    ...[
      'documents/account-information.md',
      'documents/product-information.md',
      'schemas/report.schema.json',
      'schemas/exchange.schema.json',
    ].map((name): [string, (files: Files) => unknown, string] => [
      `${name} rewritten`,
      (files) => {
        files[name] = text('something else')
        again(files)
      },
      name,
    ]),
    [
      'CONTENTS.txt rewritten',
      (f) => Object.assign(f, { 'CONTENTS.txt': text('all is well') }),
      'CONTENTS.txt',
    ],
    [
      'a document left out, not in the list',
      (f) => delete f['documents/account-information.md'],
      'CONTENTS.txt',
    ],
    [
      'a file added',
      (files) => {
        files['notes.txt'] = text('the auditor may rely on this')
        again(files)
      },
      'notes.txt',
    ],
    [
      'a name with what a terminal obeys',
      (f) => Object.assign(f, { '\u001b[2J\n::error::': text('') }),
      '\\u001b',
    ],
  ]
  test.each(changes)('%s', async (_, change, name) => {
    expect(await verified(repacked(change))).toEqual({
      end: 'It was changed after it was signed.',
      code: 1,
    })
    expect(said.join('\n')).toContain(`  ${name}`)
    expect(said.join('\n')).not.toContain('\u001b')
  })

  test('two files of one name', async () => {
    const files = unzipSync(readFileSync(path('run.zip')))
    const other = zipSync({ ...files, 'report.jsoN': text('{}') }, { mtime, level: 0 })
    const bytes = Buffer.from(
      Buffer.from(other).toString('latin1').replaceAll('report.jsoN', 'report.json'),
      'latin1',
    )
    writeFileSync(path('twice.zip'), bytes)
    await expect(verifyRun(path('twice.zip'), spki)).rejects.toThrow('have the same name')
    await expect(verifyRun(path('twice.zip'), spki)).rejects.toThrow(InputError)
  })

  test('bytes that belong to no file', async () => {
    const whole = readFileSync(path('run.zip'))
    for (const bytes of [
      Buffer.concat([Buffer.from('#!/bin/sh\n'), whole]),
      Buffer.concat([whole, Buffer.from('more')]),
    ]) {
      writeFileSync(path('odd.zip'), bytes)
      await expect(verifyRun(path('odd.zip'), spki)).rejects.toThrow(InputError)
    }
  })
})

test('an archive that was unpacked is verified as a folder, and what lies beside is named', async () => {
  const out = path('unpacked')
  for (const [name, bytes] of Object.entries(unzipSync(readFileSync(path('run.zip'))))) {
    mkdirSync(dirname(join(out, name)), { recursive: true })
    writeFileSync(join(out, name), bytes)
  }
  expect(await verified(out)).toEqual({ end: NOTHING, code: 0 })
  writeFileSync(join(out, 'documents', 'more.md'), '')
  const covered =
    'What the statement covers was not changed since it was signed. Of the rest nothing is known.'
  expect(await verified(out)).toEqual({ end: covered, code: 0 })
  expect(said.join('\n')).toContain('not covered by the statement: documents/more.md')
  writeFileSync(join(out, 'documents', 'account-information.md'), 'another')
  expect(await verified(out)).toMatchObject({ code: 1 })
})

test('a statement that says something else than its report', async () => {
  const { CompactSign } = await import('jose')
  const [, payload = ''] = readFileSync(path('statement.jws'), 'utf8').split('.')
  const statement = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
  const header = { alg: 'ES256', typ: 'assay-run+jws', kid: 'night' }
  for (const [name, other] of Object.entries({
    ...{ verdict: 'conformant', exitCode: 0, target: 'another', suite: '9', specsDigest: 'c' },
    ...{
      configurationDigest: 'd',
      startedAt: '2026-01-01T00:00:00Z',
      finishedAt: '2026-01-01T00:00:00Z',
    },
  })) {
    const forged = Buffer.from(JSON.stringify({ ...statement, [name]: other }))
    const jws = await new CompactSign(forged).setProtectedHeader(header).sign(privateKey)
    writeFileSync(path('statement.jws'), jws)
    const { intact, findings } = await verifyRun(dir, spki)
    expect([intact, findings]).toEqual([
      false,
      [{ file: 'report.json', message: `has another ${name} than the statement` }],
    ])
  }
})

describe('x5c', async () => {
  const ca = await authority('ca')
  const leaf = await ca.issue('nightly')
  const stranger = await authority('stranger')
  const base64 = (certificate: string) => certificate.replaceAll(/-----[A-Z ]+-----|\s/g, '')
  const [own, root, foreign] = [leaf, ca, stranger].map((each) => base64(each.certificate))
  const odd: [string, unknown][] = [
    ['a text', own],
    ['empty', []],
    ['numbers', [1, 2]],
    ['an empty text', ['']],
    ['no base64', ['%%%']],
    ['base64 of nothing', ['MIIB']],
    ['a member that is none', [own, 'MIIB']],
    ['another issuer', [own, foreign]],
    ['a circle', [own, root, root]],
    ['a chain without end', Array.from({ length: 11 }, () => root)],
    ['null', null],
    ['an object', { 0: own }],
  ]
  test.each(odd)('%s is refused in one line', async (_, x5c) => {
    const [head = '', payload, signature] = readFileSync(path('statement.jws'), 'utf8').split('.')
    const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as object
    const other = Buffer.from(JSON.stringify({ ...header, x5c })).toString('base64url')
    writeFileSync(path('statement.jws'), [other, payload, signature].join('.'))
    for (const key of [undefined, spki]) {
      const { signature: is, findings } = await verifyRun(dir, key)
      expect(is).toBe('invalid')
      expect(findings[0]?.message).toMatch(/^can't be read: /)
    }
  })

  test('a chain in order is taken, another is not signed with', async () => {
    await signRun(dir, leaf.key, { x5c: `${leaf.certificate}\n${ca.certificate}` })
    expect(await verifyRun(dir)).toMatchObject({ intact: true, signer: 'CN=nightly' })
    const wrong = [`${leaf.certificate}\n${stranger.certificate}`, ca.certificate, 'nothing']
    for (const x5c of wrong) {
      await expect(signRun(dir, leaf.key, { x5c })).rejects.toThrow(InputError)
    }
    const broken = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'
    await expect(signRun(dir, leaf.key, { x5c: broken })).rejects.toThrow(InputError)
  })
})

describe('pack', () => {
  test('of a folder with a slash writes beside it', async () => {
    await packed(`${dir}/`, {})
    expect(existsSync(`${dir}.zip`)).toBe(true)
    expect(existsSync(path('.zip'))).toBe(false)
    rmSync(`${dir}.zip`)
  })

  test('into a folder, to a place that is none or that takes no files, is a mistake of usage', async () => {
    mkdirSync(path('there'))
    for (const out of [path('there'), path('key.pem/run.zip'), '/proc/run.zip', '/proc']) {
      await expect(packed(dir, { out })).rejects.toThrow(UsageError)
    }
  })

  test('leaves out what another version of the suite signed', async () => {
    const { CompactSign } = await import('jose')
    const [, payload = ''] = readFileSync(path('statement.jws'), 'utf8').split('.')
    const statement = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
      files: { file: string }[]
    }
    const files = statement.files.filter(({ file }) => !file.includes('/'))
    const older = Buffer.from(JSON.stringify({ ...statement, files }))
    const header = { alg: 'ES256', typ: 'assay-run+jws' }
    writeFileSync(
      path('statement.jws'),
      await new CompactSign(older).setProtectedHeader(header).sign(privateKey),
    )
    await packed(dir, { out: path('older.zip') })
    expect(said.join('\n')).toMatch(/^Not in it, .*: schemas\/.*, documents\//m)
    expect(await verifyRun(path('older.zip'), spki)).toMatchObject({ intact: true })
  })
})
