import { generateKeyPairSync } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openResumeFile } from '../../engine/client-session/resume-file.ts'
import { signingKeys } from '../configuration/documents.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-kept-'))
afterAll(() => rmSync(folder, { recursive: true }))

const OPTIONS = { secret: signingKeys.first, binding: 'bank 1', lifetime: 60_000 }
const SECRETS = ['canary-access', 'canary-refresh', 'canary-third']
let files = 0

/** A file with three records that its process left. */
function left(): string {
  files += 1
  const path = join(folder, `${files}`, 'bank.visits')
  const file = openResumeFile(path, OPTIONS)
  for (const secret of SECRETS) file?.append({ secret })
  file?.close()
  return path
}

function recordsOf(path: string, options = OPTIONS): unknown[] | undefined {
  const file = openResumeFile(path, options)
  file?.close()
  return file?.records.map((record) => (record as { secret: string }).secret)
}

test('what was appended is there for the next process, and for nobody else', () => {
  const path = left()
  const text = readFileSync(path, 'utf8')
  for (const secret of SECRETS) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(0, 12))
  }
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(recordsOf(path)).toEqual(SECRETS)
  const again = openResumeFile(path, OPTIONS)
  again?.append({ secret: 'fourth' })
  again?.close()
  expect(recordsOf(path)).toEqual([...SECRETS, 'fourth'])
})

test('equal records look different', () => {
  const path = join(folder, 'equal.visits')
  const file = openResumeFile(path, OPTIONS)
  file?.append({ secret: 'same' })
  file?.append({ secret: 'same' })
  file?.close()
  const [, one, other] = readFileSync(path, 'utf8').split('\n')
  expect(one).not.toBe(other)
})

test('a last line that a kill cut short is left out, and what follows can be read', () => {
  const path = left()
  truncateSync(path, statSync(path).size - 5)
  const file = openResumeFile(path, OPTIONS)
  file?.append({ secret: 'after the kill' })
  file?.close()
  expect(recordsOf(path)).toEqual([...SECRETS.slice(0, 2), 'after the kill'])
})

const lines = (change: (lines: string[]) => string[]) => (path: string) =>
  writeFileSync(path, change(readFileSync(path, 'utf8').split('\n')).join('\n'))

test.each([
  ['of another key', () => {}, { ...OPTIONS, secret: signingKeys.second }],
  [
    'of a key just made',
    () => {},
    { ...OPTIONS, secret: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey },
  ],
  ['of another configuration', () => {}, { ...OPTIONS, binding: 'bank 2' }],
  ['that is too old', () => {}, { ...OPTIONS, lifetime: 0 }],
  ['that was not wanted', () => {}, { ...OPTIONS, fresh: true }],
  ['with records exchanged', lines(([h, a, b, c]) => [h, b, a, c, ''] as string[]), OPTIONS],
  ['without its first record', lines(([h, , b, c]) => [h, b, c, ''] as string[]), OPTIONS],
  [
    'with another header',
    lines(([h = '', ...rest]) => [h.replace('"since":"2', '"since":"3'), ...rest]),
    OPTIONS,
  ],
  [
    'with a changed record',
    lines(([h, a, b = '', c]) => [h, a, `A${b.slice(1, 40)}AAAA${b.slice(44)}`, c, ''] as string[]),
    OPTIONS,
  ],
  ['that is empty', (path: string) => writeFileSync(path, ''), OPTIONS],
  ['that is something else', (path: string) => writeFileSync(path, 'x\ny\n'), OPTIONS],
])('a file %s is begun anew', (_, change, options) => {
  const path = left()
  change(path)
  expect(recordsOf(path, options)).toEqual([])
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(2)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a process that is alive has it for itself; one that is gone does not', () => {
  const path = left()
  writeFileSync(`${path}.lock`, String(process.ppid))
  expect(openResumeFile(path, OPTIONS)).toBeUndefined()
  writeFileSync(`${path}.lock`, '999999999')
  expect(recordsOf(path)).toEqual(SECRETS)
  expect(existsSync(`${path}.lock`)).toBe(false)
})

test('what is dropped is gone, and stays gone', () => {
  const path = left()
  const file = openResumeFile(path, OPTIONS)
  file?.drop()
  file?.append({ secret: 'late' })
  expect(existsSync(path)).toBe(false)
})
