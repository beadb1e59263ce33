import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openChangedFiles } from '../../cli/changed-files.ts'
import { openIds } from '../../cli/tpp-watch.ts'
import { root } from '../../engine/record/root.ts'
import type { CheckResult, ExchangeRecord, Report } from '../../engine/report/report.ts'
import { assay, type Command, interrupt, reportOf, until } from '../evidence/cli.ts'

/** `assay tpp --watch`: what was not in order is played again when a file of the client changes. */

let folder: string
const at = (...parts: string[]) => join(folder, ...parts)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-watch-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('files that changed', () => {
  const never = new AbortController().signal

  test('are named once nothing changes for a while; packages, reports and files of editors are left out', async () => {
    for (const name of ['node_modules', 'reports', 'src']) mkdirSync(at(name))
    writeFileSync(at('src', 'client.ts'), '1')
    const changes = await openChangedFiles(folder, [at('reports')])
    try {
      writeFileSync(at('node_modules', 'x.js'), '1')
      writeFileSync(at('reports', 'report.json'), '1')
      writeFileSync(at('src', '.client.ts.swp'), '1')
      writeFileSync(at('src', 'client.ts~'), '1')
      writeFileSync(at('src', 'client.ts'), '2')
      writeFileSync(at('src', 'new.ts'), '1')
      expect(await changes.quiet(never)).toBe(true)
      const names = changes.taken()
      expect(names.map((name) => name.split('/').at(-1))).toEqual(['client.ts', 'new.ts'])
      expect(changes.taken()).toEqual([])
    } finally {
      await changes.close()
    }
  })

  test('are not waited for once it is ended', async () => {
    const changes = await openChangedFiles(folder, [])
    const ending = new AbortController()
    const waiting = changes.quiet(ending.signal)
    ending.abort()
    expect(await waiting).toBe(false)
    expect(await changes.quiet(ending.signal)).toBe(false)
    await changes.close()
  })
})

describe('what is played again', () => {
  const check = (id: string, kind: 'check' | 'rule', outcome: string, exchanges: string[] = []) =>
    ({ id, kind, outcome, exchanges }) as unknown as CheckResult
  const exchanges = [
    { id: 'x1', about: { check: 'TGEN-01/reads-everything' } },
    { id: 'x2', about: { check: 'TIDT-03/issuer' } },
  ] as unknown as ExchangeRecord[]
  const ids = (...checks: CheckResult[]) => openIds({ checks } as Report, exchanges)

  test('is what was not in order, of a rule with the scenarios in which it was broken', () => {
    expect(
      ids(
        check('A/passed', 'check', 'pass'),
        check('A/failed', 'check', 'fail'),
        check('A/blocked', 'check', 'blocked'),
        check('A/rule', 'rule', 'warn', ['x2', 'x1', 'x2']),
      ),
    ).toEqual(['A/failed', 'A/blocked', 'A/rule', 'TIDT-03/issuer', 'TGEN-01/reads-everything'])
  })

  test('is everything where nothing is broken', () => {
    expect(ids(check('A/passed', 'check', 'pass'), check('A/blocked', 'check', 'blocked'))).toEqual(
      [],
    )
  })
})

/** The client of docs/, or one that sends nothing. */
const CLIENT = (works: boolean) =>
  works ? readFileSync(join(root, 'docs', 'example-client.mjs'), 'utf8') : 'process.exit(10)\n'

function client(works: boolean): string {
  symlinkSync(join(root, 'node_modules'), at('node_modules'))
  writeFileSync(at('client.mjs'), CLIENT(works))
  writeFileSync(
    at('tpp.yaml'),
    'name: edited\nclient: { driver: command, command: [node, client.mjs] }\ngoals: [connect, products]\n',
  )
  return at('tpp.yaml')
}

const times = (command: Command, words: string) => command.written().split(words).length - 1
const WAITING = 'Ctrl-C ends it.'

test('a client that is edited until it is right', { timeout: 240_000 }, async () => {
  const file = client(false)
  const only = ['TPRD-01']
  const words = ['tpp', ...only, '--tpp', file, '--out', at('out'), '--watch']
  const watching = assay(words)
  await until(() => times(watching, WAITING) === 1, watching, 100)
  expect(
    reportOf(at('out')).checks.some(({ outcome }) => outcome === 'warn' || outcome === 'fail'),
  ).toBe(true)
  writeFileSync(at('client.mjs'), CLIENT(true))
  await until(() => times(watching, WAITING) === 2, watching, 100)
  const said = watching.written()
  expect(said).toMatch(/client\.mjs changed: playing again what was not in order, TPRD-01/)
  expect(said).toContain('Everything is played again, as a change may break what passed.')
  expect(reportOf(at('out')).checks.map(({ outcome }) => outcome)).not.toContain('fail')
  const last = readFileSync(at('out', 'report.json'), 'utf8')
  // Ended while something is played: the certification before stays.
  writeFileSync(at('client.mjs'), 'setInterval(() => {}, 1000)\n')
  await until(() => times(watching, 'everything is played again, as nothing') === 1, watching, 30)
  interrupt(watching)
  const { code, stderr } = await watching.ended
  expect(stderr).not.toMatch(/\n\s+at /)
  expect(code).not.toBe(130)
  expect(watching.written()).toContain('holds the certification before this one')
  expect(readFileSync(at('out', 'report.json'), 'utf8')).toBe(last)
  expect(existsSync(at('out', 'report.html'))).toBe(true)
})

test.each([
  [['--watch', 'nowhere'], '--watch nowhere does not exist. It takes a file or folder'],
  [['--watch', '--sign', 'key.pem'], '--sign is for one certification'],
  [['--watch', '--fail-on', 'should'], '--fail-on is for one certification'],
])('assay tpp %j is a mistake of whoever typed it', async (more, says) => {
  const { code, stderr } = await assay(['tpp', '--tpp', client(true), ...more]).ended
  expect([code, stderr.trim().split('\n').length]).toEqual([2, 1])
  expect(stderr).toContain(says)
})

test('a person or a web application has no program that could be watched', async () => {
  writeFileSync(at('tpp.yaml'), 'name: asked\nclient: { driver: ask }\n')
  const { code, stderr } = await assay(['tpp', '--tpp', at('tpp.yaml'), '--watch']).ended
  expect([code, stderr]).toEqual([2, expect.stringContaining('--watch needs a file or folder')])
})
