import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { type Result, verdictOf } from '../../engine/judge/results.ts'
import { loadDeviations } from '../../engine/run/deviations.ts'
import { main } from '../built.ts'
import { openBank } from '../directory.ts'
import { assay } from '../evidence/cli.ts'
import { recorded } from '../report/recorded.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-exit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const result = (level: Result['level'], outcome: Result['outcome'], blockedBy?: string) =>
  ({ id: outcome, level, outcome, blockedBy }) as Result

describe('the table of exit codes', () => {
  test('docs/ci.md and reports/README.md name the same codes', () => {
    const codes = (file: string, row: RegExp) =>
      [...readFileSync(resolve(import.meta.dirname, '..', '..', file), 'utf8').matchAll(row)]
        .map(([, code]) => Number(code))
        .sort((a, b) => a - b)
    const row = /^\| (\d+) \|/gm
    expect(codes('docs/ci.md', row)).toEqual([0, 1, 2, 3, 4, 5, 130])
    expect([...new Set(codes('reports/README.md', row))]).toEqual([0, 1, 2, 3, 4, 5, 130])
  })

  test.each<[code: number, verdict: string, results: Result[]]>([
    [0, 'conformant', [result('must', 'pass'), result('should', 'warn')]],
    [0, 'conformant', [result('must', 'pass'), result('must', 'not-applicable')]],
    [1, 'nonconformant', [result('must', 'pass'), result('must', 'fail')]],
    [1, 'nonconformant', [result('must', 'fail'), result('must', 'blocked', 'data: x')]],
    [3, 'incomplete', [result('must', 'blocked', 'environment: unreachable: x')]],
    [4, 'incomplete', [result('must', 'pass'), result('must', 'blocked', 'data: x')]],
    [4, 'incomplete', [result('must', 'pass'), result('must', 'not-run')]],
    [4, 'incomplete', [result('must', 'blocked', 'data: x')]],
    [4, 'incomplete', []],
    [4, 'incomplete', [result('should', 'pass'), result('should', 'warn')]],
    [4, 'incomplete', [result('observe', 'observed'), result('must', 'not-applicable')]],
    [5, 'error', [result('must', 'fail'), result('observe', 'error')]],
  ])('%i: %s', (exitCode, verdict, results) => {
    expect(verdictOf(results)).toEqual({ verdict, exitCode })
  })

  test.each([
    { name: 'correct', verdict: 'conformant', exitCode: 0 },
    { name: 'faulty', verdict: 'nonconformant', exitCode: 1 },
    { name: 'known', verdict: 'conformant', exitCode: 0 },
    { name: 'absent', verdict: 'incomplete', exitCode: 3 },
  ] as const)('a run of the bank $name ends with $exitCode', { timeout: 300_000 }, async (row) => {
    const { report } = await recorded(row.name)
    expect(report).toMatchObject({ verdict: row.verdict, exitCode: row.exitCode })
  })

  test.each([
    { words: ['run', '--only', 'TXN-17/to-alon'], says: /Did you mean TXN-17\/to-alone\?/ },
    { words: ['run', '--only', 'acounts'], says: /Did you mean accounts\?/ },
    {
      words: ['bank', '--fault', 'no-certificate-neded'],
      says: /Did you mean no-certificate-needed\?/,
    },
    { words: ['reproduce', 'TXN-17/to-alon'], says: /Did you mean TXN-17\/to-alone\?/ },
    { words: ['run', '--json'], says: /--json goes with --list/ },
    { words: ['bank', '--out', 'anywhere'], says: /--out goes with --watch/ },
    { words: ['bank', '--state', 'package.json'], says: /--state takes a folder/ },
    {
      words: ['run', '--target', 'nowhere.yaml'],
      says: /there is no such file\. Correct --target\./,
    },
  ])('2: assay $words', { timeout: 120_000 }, async ({ words, says }) => {
    const { code, stderr } = await assay(words).ended
    expect(stderr).toMatch(says)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(code).toBe(2)
  })
})

test.each([
  { what: 'a state that is cut short', file: 'bank.json', holds: '{"x":', code: 2 },
  { what: 'a state of something else', file: 'bank.json', holds: '{"x":1}', code: 2 },
  { what: 'a directory of something else', file: 'directory.json', holds: '{"x":1}', code: 2 },
  { what: 'a log that is a folder', words: ['--log', folder], code: 2 },
])('assay bank ends, and says why: $what', { timeout: 120_000 }, async (row) => {
  const state = mkdtempSync(join(folder, 'state-'))
  const { file, holds = '', words = ['--state', state] } = row
  if (file) writeFileSync(join(state, file), holds)
  const { code, stderr } = await assay(['bank', ...words]).ended
  expect(stderr).toContain(file ? `${file} cannot be read` : 'EISDIR')
  expect(stderr).not.toMatch(/\n\s+at /)
  expect(code).toBe(row.code)
})

test('the file of known deviations to fill in is refused until each has a reason', {
  timeout: 300_000,
}, async () => {
  const { dir, report } = await recorded('faulty')
  const file = join(folder, 'deviations.yaml')
  const { code } = await assay(['deviations', 'init', dir, '--out', file]).ended
  expect(code).toBe(0)
  const catalogue = loadCatalogue()
  expect(() => loadDeviations(file, catalogue)).toThrow()
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replaceAll('reason: ""', 'reason: until release 14'),
  )
  const listed = loadDeviations(file, catalogue)
  expect(listed.map(({ id }) => id)).toEqual(report.causes.flatMap(({ findings }) => findings))
  expect((await assay(['deviations', 'init', dir, '--out', file]).ended).code).toBe(2)
})

test('credentials are private, and no repository takes them', { timeout: 120_000 }, async () => {
  const bank = await openBank()
  const target = join(folder, 'bank.yaml')
  writeFileSync(target, stringify(bank.target as TargetDocument))
  await bank.close()
  const out = join(folder, "credentials of mine's")
  const { code, stdout, stderr } = await assay(['credentials', '--target', target, '--out', out])
    .ended
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).not.toContain('PRIVATE KEY')
  for (const name of ['first.key.pem', 'first.cert.pem', 'bank-ca.pem', 'variables.sh']) {
    expect(statSync(join(out, name)).mode & 0o777, name).toBe(0o600)
  }
  expect(readFileSync(join(out, '.gitignore'), 'utf8')).toBe('*\n')
  const script = readFileSync(join(out, 'variables.sh'), 'utf8')
  for (const name of ['FIRST_CERT', 'FIRST_KEY', 'SECOND_CERT', 'EXPIRED_CERT', 'BANK_CA']) {
    expect(script).toMatch(new RegExp(`^export ${name}='`, 'm'))
  }
})

test('a run whose output nobody reads to the end writes its reports', {
  timeout: 120_000,
}, async () => {
  const { spawn } = await import('node:child_process')
  const out = join(folder, 'headless')
  const run = [process.execPath, main, 'run', '--only', 'products', '--out', out]
  const quoted = run.map((word) => `'${word}'`).join(' ')
  const child = spawn('sh', ['-c', `${quoted} | head -1`], { stdio: 'ignore' })
  await new Promise((done) => child.on('close', done))
  expect(statSync(join(out, 'report.html')).size).toBeGreaterThan(50_000)
})

test.runIf(existsSync('/dev/full'))(
  'what cannot be printed is told, and ends with 5',
  {
    timeout: 120_000,
  },
  async () => {
    const { spawn } = await import('node:child_process')
    const child = spawn('sh', ['-c', `'${process.execPath}' '${main}' explain TXN-17 > /dev/full`])
    const said = text(child.stderr)
    expect(await new Promise((done) => child.on('close', done))).toBe(5)
    expect(await said).toMatch(/^Not everything could be printed: ENOSPC: .*\n$/)
  },
)
