import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readJournal } from '../../engine/run/journal.ts'
import type { TargetDocument } from '../../engine/target/target.ts'
import {
  assay,
  type Command,
  exchangesIn,
  filesIn,
  interrupt,
  judgingProcess,
  reportOf,
  targetFile,
  until,
} from './cli.ts'
import { MISCHIEF, type UnrulyBank, unrulyBank } from './unruly-bank.ts'

let unruly: UnrulyBank
let folder: string
let out: string

beforeEach(async () => {
  unruly = await unrulyBank()
  folder = mkdtempSync(join(tmpdir(), 'assay-endings-'))
  out = join(folder, 'out')
})

afterEach(async () => {
  await unruly.bank.close()
  rmSync(folder, { recursive: true, force: true })
})

/** `assay run` as a process of its own. */
function run(words: string[] = [], over: Partial<TargetDocument> = {}): Command {
  const file = targetFile(folder, unruly.document(over))
  return assay(['run', '--target', file, '--out', out, ...words])
}

/** A run that is in the middle of it: some checks are judged, many are not. */
async function midRun(over: Partial<TargetDocument> = {}): Promise<Command> {
  const running = run([], over)
  await until(() => exchangesIn(out) > 250, running, 120)
  return running
}

const REPORTS = [
  'report.json',
  'report.html',
  'exchanges.jsonl',
  'junit.xml',
  'ctrf.json',
  'step-summary.md',
  'observations.json',
]

/** What holds however a run ends: reports are there, no result is lost, nobody reads our code. */
async function ended({ ended: end }: Command) {
  const { code, stdout, stderr, seconds } = await end
  const texts = filesIn(out).map(([file, content]): [string, string] => [
    file.slice(out.length + 1),
    content,
  ])
  const names = texts.map(([name]) => name)
  expect(names, stderr).toEqual(expect.arrayContaining(REPORTS))
  expect(names.some((name) => name.startsWith('allure-results/'))).toBe(true)
  const report = reportOf(out)
  expect(report.exitCode).toBe(code)
  for (const [name, text] of [['stdout', stdout], ['stderr', stderr], ...texts] as const) {
    expect(text, name).not.toMatch(/\n\s+at .+:\d+:\d+\)?/)
  }
  const outcomes = new Map(report.checks.map(({ id, outcome }) => [id, outcome]))
  const journal = readJournal(join(out, 'judged.jsonl'))
  const judged = journal.flatMap((line) => (line.kind === 'judged' ? [line.result] : []))
  const planned = journal.flatMap((line) => (line.kind === 'start' ? line.checks : []))
  expect(planned.filter((id) => !outcomes.has(id))).toEqual([])
  // Only a rule over the same sentence, or what a later check shows, takes something away.
  for (const { id, outcome } of judged) {
    if (outcome === 'pass') expect(['pass', 'fail', 'warn'], id).toContain(outcomes.get(id))
    else if (outcome !== 'blocked') expect(outcomes.get(id), id).toBe(outcome)
  }
  const { summary } = report
  expect(Object.values(summary).reduce((sum, n) => sum + n, 0)).toBe(report.checks.length)
  return { code, stdout, stderr, seconds, report, judged }
}

/** Nothing of a correct bank is held against it. */
const BLAMELESS = { fail: 0, warn: 0, error: 0 }

const slow = { timeout: 180_000 }

describe('a run that is asked to end', () => {
  test.each([
    { how: 'by Ctrl-C', ask: interrupt },
    {
      how: 'by SIGTERM to all of its processes',
      ask: ({ child }: Command) => process.kill(-(child.pid ?? 0), 'SIGTERM'),
    },
    {
      how: 'by SIGTERM to itself',
      ask: ({ child }: Command) => process.kill(child.pid ?? 0, 'SIGTERM'),
    },
  ])('$how reports what it has, and deletes its consents', slow, async ({ ask }) => {
    const running = await midRun()
    const asked = Date.now()
    ask(running)
    const { code, report, judged } = await ended(running)

    expect(code).toBe(130)
    expect((Date.now() - asked) / 1000).toBeLessThan(45)
    expect(report).toMatchObject({ verdict: 'incomplete', partial: 'the run was interrupted' })
    expect(report.summary).toMatchObject(BLAMELESS)
    expect(judged.length).toBeGreaterThan(50)
    expect(report.summary.notRun).toBeGreaterThan(50)
    expect(unruly.consents().made).toBeGreaterThan(10)
    expect(unruly.consents().left).toEqual([])
    expect(report.leftBehind.filter(({ kind }) => kind === 'consent')).toEqual([])
  })

  test('twice, leaves at once and names what it left', slow, async () => {
    const running = await midRun()
    unruly.misbehave(MISCHIEF['never answers'])
    const asked = Date.now()
    interrupt(running)
    await until(() => running.written().includes('Once more'), running)
    interrupt(running)
    const { code, report } = await ended(running)

    expect(code).toBe(130)
    // The bank's time-out is 30 s.
    expect((Date.now() - asked) / 1000).toBeLessThan(25)
    expect(report.partial).toBe('the run was interrupted')
    const named = report.leftBehind.filter(({ kind }) => kind === 'consent').map(({ id }) => id)
    expect(named).toEqual(expect.arrayContaining(unruly.consents().left))
  })
})

test('a judging process that is killed leaves its results, and it is our error', slow, async () => {
  const running = await midRun()
  process.kill(judgingProcess(out), 'SIGKILL')
  const { code, report, judged } = await ended(running)

  expect(code).toBe(5)
  expect(report).toMatchObject({ verdict: 'error', partial: 'the judging process is gone' })
  expect(report.problems.join()).toContain('killed, or ran out of memory')
  expect(report.summary).toMatchObject(BLAMELESS)
  expect(judged.length).toBeGreaterThan(50)
  expect(report.requests).toBe(exchangesIn(out))
  const named = report.leftBehind.filter(({ kind }) => kind === 'consent').map(({ id }) => id)
  expect(unruly.consents().left.length).toBeGreaterThan(5)
  expect(named.sort()).toEqual(unruly.consents().left.sort())
})

describe('a bank that goes', () => {
  test('is no bank that breaks a must, and what it owes is named', slow, async () => {
    const running = await midRun()
    const gone = Date.now()
    const { left } = unruly.consents()
    await unruly.bank.close()
    const { code, report } = await ended(running)

    expect(code).toBe(4)
    expect((Date.now() - gone) / 1000).toBeLessThan(45)
    expect(report.verdict).toBe('incomplete')
    expect(report.summary).toMatchObject(BLAMELESS)
    expect(report.leftBehind.map(({ id }) => id)).toEqual(expect.arrayContaining(left))
    const causes = report.checks.flatMap(({ blockedBy = '' }) => blockedBy)
    expect(causes.some((cause) => /^environment: .*ECONNREFUSED/.test(cause))).toBe(true)
  })

  test('silent is noticed soon, and is none either', slow, async () => {
    const running = await midRun({ timeout: 2 })
    const gone = Date.now()
    unruly.misbehave(MISCHIEF['never answers'])
    const { code, report } = await ended(running)

    expect(code).toBe(4)
    expect((Date.now() - gone) / 1000).toBeLessThan(60)
    expect(report.summary).toMatchObject(BLAMELESS)
  })

  test('before the run begins judges nothing', slow, async () => {
    const running = run()
    await unruly.bank.close()
    const { code, report, seconds, stdout } = await ended(running)

    expect(code).toBe(3)
    expect(seconds).toBeLessThan(60)
    expect(report.musts).toMatchObject({ judged: 0, passed: 0 })
    expect(stdout).toContain('ECONNREFUSED')
  })
})

describe('a bank whose GET /accounts', () => {
  const owner = 'ACC-01/answers-200'
  const actual: Record<keyof typeof MISCHIEF, RegExp> = {
    'never answers': /timeout/,
    'says something that is no HTTP': /garbage/,
    'sends a status and bytes that are no JSON': /bytes that are not JSON/,
    'cuts the line within the body': /closed/,
    'answers with 32 MB': /./,
    'sends chunks without end': /too-large/,
    'sends a byte now and then, without end': /timeout/,
    'sends headers without end': /garbage/,
  }

  test.each(Object.keys(MISCHIEF) as (keyof typeof MISCHIEF)[])(
    '%s is told so',
    slow,
    async (what) => {
      unruly.misbehave(MISCHIEF[what], /\/accounts$/)
      const running = run(['--only', 'accounts', 'general'], { timeout: 1 })
      const { code, report, seconds } = await ended(running)

      expect(code).toBe(1)
      expect(seconds).toBeLessThan(90)
      expect(report.summary.error).toBe(0)
      const failed = report.checks.filter(({ outcome }) => outcome === 'fail')
      expect(failed.some((check) => actual[what].test(check.actual ?? ''))).toBe(true)
      const size = Buffer.byteLength(readFileSync(join(out, 'report.html')))
      expect(size).toBeLessThan(8 * 1024 * 1024)
      expect(unruly.consents().left).toEqual([])
      if (/32 MB|JSON/.test(what)) return
      // A negative whose control is another endpoint may say it again.
      const ids = failed.map(({ id }) => id)
      expect(ids).toContain(owner)
      expect([owner, 'ACC-11/without-permission']).toEqual(expect.arrayContaining(ids))
    },
  )
})
