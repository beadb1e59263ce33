import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { readJournal } from '../../engine/run/journal.ts'
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
  await unruly.close()
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
  await until(() => exchangesIn(out) > 200, running, 120)
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
  const journal = join(out, 'judged.jsonl')
  const judged = readJournal(journal, 'judged').map(({ result }) => result)
  const planned = readJournal(journal, 'start').flatMap(({ checks }) => checks)
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
  const { left } = unruly.consents()
  expect(left.length).toBeGreaterThan(5)
  expect(left).toEqual(expect.arrayContaining(named))
  // One may have been created whose answer nobody read.
  expect(left.length - named.length).toBeLessThanOrEqual(1)
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
    expect(stdout).toContain('nothing listens on')
  })
})

interface Unjudged {
  message: RegExp
  cause: RegExp
  says: RegExp
}

describe('a bank whose GET /accounts', () => {
  const owner = 'ACC-01/answers-200'
  /** An answer, however wrong, is held against the bank. */
  const wrong: Partial<Record<keyof typeof MISCHIEF, RegExp>> = {
    'says something that is no HTTP': /garbage/,
    'sends a status and bytes that are no JSON': /bytes that are not JSON/,
    'answers with 32 MB': /./,
    'sends headers without end': /garbage/,
  }
  /** No whole answer tells nothing of the bank: what is said of the owner, and whose it is. */
  const unjudged: Partial<Record<keyof typeof MISCHIEF, Unjudged>> = {
    'never answers': {
      message: /^no answer came, and silence is no refusal: no complete response within 1 s$/,
      cause: /^environment: https:\S+: timeout: no complete response within 1 s$/,
      says: /^blocked {2}\d+ checks by the network: https:\S+: timeout: no complete response/m,
    },
    'cuts the line within the body': {
      message: /^the connection was cut, and nothing tells a refusal from trouble: /,
      cause: /^environment: https:\S+: closed: /,
      says: /^blocked {2}\d+ checks by the network: https:\S+: closed: /m,
    },
    'sends chunks without end': {
      message: /larger than the target allows, write a larger maxResponseSize: the body is larger/,
      cause: /^environment: https:\S+: too-large: the body is larger than 67108864 bytes$/,
      says: /^blocked {2}\d+ checks by your configuration: https:\S+: too-large: /m,
    },
    'sends a byte now and then, without end': {
      message: /^no answer came, and silence is no refusal: no complete response within 1 s$/,
      cause: /^environment: https:\S+: timeout: no complete response within 1 s$/,
      says: /^blocked {2}\d+ checks by the network: https:\S+: timeout: no complete response/m,
    },
  }

  const SILENT = ['never answers', 'sends a byte now and then, without end']

  /** A run of what asks for the accounts, and what holds whatever came instead of them. */
  async function ofAccounts(what: keyof typeof MISCHIEF) {
    unruly.misbehave(MISCHIEF[what], /\/accounts$/)
    const only = ['ACC-01', 'ACC-02/answers-200', 'ACC-11/without-permission', 'discovery']
    // Only what never ends is waited for: a busy machine may take its time over the others.
    const timeout = SILENT.includes(what) ? 1 : 30
    const end = await ended(run(['--only', ...only], { timeout }))
    expect(end.seconds).toBeLessThan(90)
    expect(end.report.summary.error).toBe(0)
    const size = Buffer.byteLength(readFileSync(join(out, 'report.html')))
    expect(size).toBeLessThan(8 * 1024 * 1024)
    expect(unruly.consents().left).toEqual([])
    return end
  }

  test('answers wrongly or not at all, each in one way', () => {
    const ways = [...Object.keys(wrong), ...Object.keys(unjudged)]
    expect(ways.sort()).toEqual(Object.keys(MISCHIEF).sort())
  })

  test.each(Object.entries(wrong) as [keyof typeof MISCHIEF, RegExp][])(
    '%s is told so',
    slow,
    async (what, actual) => {
      const { code, report } = await ofAccounts(what)

      expect(code).toBe(1)
      const failed = report.checks.filter(({ outcome }) => outcome === 'fail')
      expect(failed.some((check) => actual.test(check.actual ?? ''))).toBe(true)
      if (/32 MB|JSON/.test(what)) return
      // A negative whose control is another endpoint may say it again.
      const ids = failed.map(({ id }) => id)
      expect(ids).toContain(owner)
      expect([owner, 'ACC-11/without-permission']).toEqual(expect.arrayContaining(ids))
    },
  )

  test.each(Object.entries(unjudged) as [keyof typeof MISCHIEF, Unjudged][])(
    '%s is told so, and is not held against it',
    slow,
    async (what, { message, cause, says }) => {
      const { code, report, stdout } = await ofAccounts(what)

      expect(code).toBe(4)
      expect(report.verdict).toBe('incomplete')
      expect(report.summary).toMatchObject(BLAMELESS)
      const judged = report.checks.find(({ id }) => id === owner)
      expect(judged?.outcome).toBe('blocked')
      expect(judged?.message).toMatch(message)
      expect(judged?.blockedBy).toMatch(cause)
      // What was sent, and how it ended.
      expect(judged?.exchanges?.length).toBeGreaterThan(0)
      expect(stdout).toMatch(says)
      const blocked = report.checks.filter(({ outcome }) => outcome === 'blocked')
      for (const { id, blockedBy } of blocked) expect(blockedBy, id).toMatch(/^environment: https:/)
      expect(report.summary.pass).toBeGreaterThan(3)
    },
  )
})
