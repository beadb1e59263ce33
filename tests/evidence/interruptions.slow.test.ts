import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  assay,
  type Command,
  exchangesIn,
  interrupt,
  judgingProcess,
  targetFile,
  until,
} from './cli.ts'
import { BLAMELESS, soundEnd } from './sound-end.ts'
import { MISCHIEF, type UnrulyBank, unrulyBank } from './unruly-bank.ts'

/**
 * Runs that somebody ends, each by `assay run` in processes of its own: signals, the process that judges and the
 * one that supervises it are what is tested. Each costs two starts of Node and as many requests as it takes to be in
 * the middle of it. Banks that end a run are judged in one process: bank-trouble.slow.test.ts.
 */

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

/** A run that is in the middle of it: some checks are judged, many are not. */
async function midRun(): Promise<Command> {
  const target = targetFile(folder, unruly.document())
  const running = assay(['run', '--target', target, '--out', out])
  await until(() => unruly.consents().left.length > 12, running, 120)
  return running
}

async function ended(running: Command) {
  const { code, stdout, stderr } = await running.ended
  const end = soundEnd(out, { stdout, stderr })
  expect(end.report.exitCode).toBe(code)
  return { code, ...end }
}

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
    expect(judged.length).toBeGreaterThan(20)
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
    const { left } = unruly.consents()
    expect(left).toEqual(expect.arrayContaining(named))
    // One may have been created whose answer never came.
    expect(left.length - named.length).toBeLessThanOrEqual(1)
  })
})

test('a check that takes longer than its share is blocked, and the run goes on', slow, async () => {
  const target = targetFile(folder, { ...unruly.document(), timeout: 1 })
  const running = assay(['run', '--target', target, '--out', out], { ASSAY_SHARE: '8' })
  await until(() => unruly.consents().left.length > 12, running, 120)
  const stopped = judgingProcess(out)
  process.kill(stopped, 'SIGSTOP')
  await until(() => running.written().includes('longer than its share'), running, 60)
  const { code, report } = await ended(running)

  const stuck = report.checks.filter(({ message }) => message.startsWith('a check took longer'))
  expect(stuck.map(({ outcome }) => outcome)).toEqual(['blocked'])
  expect(report.partial).toBeUndefined()
  expect(report.summary.notRun).toBe(0)
  expect(report.causes.map(({ whose }) => whose)).toContain('suite')
  expect([0, 4]).toContain(code)
  // One may have been created whose answer nobody read.
  expect(unruly.consents().left.length).toBeLessThanOrEqual(1)
})

test('a judging process that is killed leaves its results, and it is our error', slow, async () => {
  const running = await midRun()
  process.kill(judgingProcess(out), 'SIGKILL')
  const { code, report, judged } = await ended(running)

  expect(code).toBe(5)
  expect(report).toMatchObject({ verdict: 'error', partial: 'the judging process is gone' })
  expect(report.problems.join()).toContain('killed, or ran out of memory')
  expect(report.summary).toMatchObject(BLAMELESS)
  expect(judged.length).toBeGreaterThan(20)
  expect(report.requests).toBe(exchangesIn(out))
  const named = report.leftBehind.filter(({ kind }) => kind === 'consent').map(({ id }) => id)
  const { left } = unruly.consents()
  expect(left.length).toBeGreaterThan(5)
  expect(left).toEqual(expect.arrayContaining(named))
  // Two may have been created whose answers nobody read: some checks create two at once.
  expect(left.length - named.length).toBeLessThanOrEqual(2)
})
