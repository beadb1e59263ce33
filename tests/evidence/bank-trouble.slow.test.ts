import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { judgingHere } from './judging-here.ts'
import { BLAMELESS, soundEnd } from './sound-end.ts'
import { MISCHIEF, type UnrulyBank, unrulyBank } from './unruly-bank.ts'

/** Banks that go, or answer with anything but an answer: judged and reported in this process. */

let unruly: UnrulyBank
let folder: string
let out: string

beforeEach(async () => {
  unruly = await unrulyBank()
  folder = mkdtempSync(join(tmpdir(), 'assay-trouble-'))
  out = join(folder, 'out')
})

afterEach(async () => {
  await unruly.close()
  rmSync(folder, { recursive: true, force: true })
})

const slow = { timeout: 180_000 }

describe('a bank that goes', () => {
  /** The end of a run in whose middle the bank goes, and how many seconds that took. */
  async function gone(go: () => unknown, over: Partial<TargetDocument> = {}) {
    const { judgeWhile, finish } = await judgingHere(out, unruly.document(over))
    await judgeWhile(() => unruly.consents().left.length <= 8)
    const { left } = unruly.consents()
    const since = Date.now()
    await go()
    await judgeWhile()
    const stdout = await finish()
    const seconds = (Date.now() - since) / 1000
    return { ...soundEnd(out, { stdout }), left, seconds }
  }

  test('is no bank that breaks a must, and what it owes is named', slow, async () => {
    const { report, judged, left, seconds } = await gone(() => unruly.bank.close())

    expect(seconds).toBeLessThan(45)
    expect(report).toMatchObject({ verdict: 'incomplete', exitCode: 4 })
    expect(report.summary).toMatchObject(BLAMELESS)
    expect(judged.length).toBeGreaterThan(50)
    expect(left.length).toBeGreaterThan(5)
    expect(report.leftBehind.map(({ id }) => id)).toEqual(expect.arrayContaining(left))
    const causes = report.checks.flatMap(({ blockedBy = '' }) => blockedBy)
    expect(causes.some((cause) => /^environment: .*ECONNREFUSED/.test(cause))).toBe(true)
  })

  test('silent is noticed soon, and is none either', slow, async () => {
    const silent = () => unruly.misbehave(MISCHIEF['never answers'])
    const { report, seconds } = await gone(silent, { timeout: 2 })

    expect(seconds).toBeLessThan(60)
    expect(report.exitCode).toBe(4)
    expect(report.summary).toMatchObject(BLAMELESS)
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
      message: /^no answer came, and that is not a refusal: no complete response within 1 s$/,
      cause: /^environment: https:\S+: timeout: no complete response within 1 s$/,
      says: /^blocked {2}\d+ checks by the address,\s+the\s+network[^:]*:\s+https:\S+:\s+timeout:\s+no complete response/m,
    },
    'cuts the line within the body': {
      message: /^the connection was cut: a refusal cannot be distinguished from a failure: /,
      cause: /^environment: https:\S+: closed: /,
      says: /^blocked {2}\d+ checks by the address,\s+the\s+network[^:]*:\s+https:\S+:\s+closed:\s/m,
    },
    'sends chunks without end': {
      message: /larger than the target allows, write a larger maxResponseSize: the body is larger/,
      cause: /^environment: https:\S+: too-large: the body is larger than 67108864 bytes$/,
      says: /^blocked {2}\d+ checks by your configuration: https:\S+: too-large: /m,
    },
    'sends a byte now and then, without end': {
      message: /^no answer came, and that is not a refusal: no complete response within 1 s$/,
      cause: /^environment: https:\S+: timeout: no complete response within 1 s$/,
      says: /^blocked {2}\d+ checks by the address,\s+the\s+network[^:]*:\s+https:\S+:\s+timeout:\s+no complete response/m,
    },
  }

  const SILENT = ['never answers', 'sends a byte now and then, without end']

  /** A run of what asks for the accounts, and what holds whatever came instead of them. */
  async function ofAccounts(what: keyof typeof MISCHIEF) {
    unruly.misbehave(MISCHIEF[what], /\/accounts$/)
    const only = ['ACC-01', 'ACC-02/answers-200', 'ACC-11/without-permission', 'discovery']
    // Only what never ends is waited for: a busy machine may take its time over the others.
    const timeout = SILENT.includes(what) ? 1 : 30
    const began = Date.now()
    const { judgeWhile, finish } = await judgingHere(out, unruly.document({ timeout }), only)
    await judgeWhile()
    const stdout = await finish()
    expect((Date.now() - began) / 1000).toBeLessThan(90)
    const { report } = soundEnd(out, { stdout })
    expect(report.summary.error).toBe(0)
    const size = Buffer.byteLength(readFileSync(join(out, 'report.html')))
    expect(size).toBeLessThan(8 * 1024 * 1024)
    expect(unruly.consents().left).toEqual([])
    return { report, stdout }
  }

  test('answers wrongly or not at all, each in one way', () => {
    const ways = [...Object.keys(wrong), ...Object.keys(unjudged)]
    expect(ways.sort()).toEqual(Object.keys(MISCHIEF).sort())
  })

  test.each(Object.entries(wrong) as [keyof typeof MISCHIEF, RegExp][])(
    '%s is told so',
    slow,
    async (what, actual) => {
      const { report } = await ofAccounts(what)

      expect(report.exitCode).toBe(1)
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
      const { report, stdout } = await ofAccounts(what)

      expect(report.exitCode).toBe(4)
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
