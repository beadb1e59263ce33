import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { Bank } from '../../bank/running-bank.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { openBank } from '../directory.ts'
import { assay, filesIn, reportOf, targetFile } from './cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-nights-'))
const out = (night: string) => join(folder, night)
const summary = join(folder, 'summary.md')
let broken = false
let bank: Bank
let target: string

/** A sentence that a check owns and one that a rule owns, both broken from the second night on. */
const alteration: Alteration = {
  id: 'released',
  story: 'A release went out between two nights.',
  async middleware(ctx, proceed) {
    await proceed()
    if (!broken || !ctx.path.endsWith('/accounts') || ctx.status !== 200) return
    ctx.status = 206
    const { Data } = ctx.body as { Data: { Account: { Currency: string }[] } }
    for (const account of Data.Account) account.Currency = 'EUR'
  },
}

/** A night: what one approval shows, with these words and in this environment. */
function night(name: string, words: string[] = [], env: Record<string, string> = {}) {
  const all = ['run', '--target', target, '--out', out(name), '--profile', 'core', ...words]
  return assay(all, env).ended
}

const slow = { timeout: 120_000 }

beforeAll(async () => {
  bank = await openBank({ alterations: [alteration] })
  target = targetFile(folder, structuredClone(bank.target) as TargetDocument)
  const first = await night('first', ['--history', join(folder, 'history.jsonl')])
  expect([first.code, first.stderr]).toEqual([0, ''])
  broken = true
  const second = await night(
    'second',
    ['--history', join(folder, 'history.jsonl'), '--baseline', out('first'), '--fail-on', 'new'],
    { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary },
  )
  expect([second.code, second.stderr]).toEqual([1, ''])
  expect(second.stdout).toMatch(/\n2 new failures\n {2}\S+ {2}pass → fail/)
  expect(second.stdout.match(/^::error /gm)).toHaveLength(2)
}, 600_000)

afterAll(async () => {
  await bank.close()
  rmSync(folder, { recursive: true, force: true })
})

const failures = () =>
  reportOf(out('second')).checks.flatMap(({ id, outcome }) => (outcome === 'fail' ? [id] : []))

describe('what was there the night before', () => {
  test('does not fail a night that asks for what is new', slow, async () => {
    const compared = ['--only', 'accounts', '--baseline', out('second')]
    const { code, stdout } = await night('third', [...compared, '--fail-on', 'new'])
    expect(code).toBe(0)
    expect(reportOf(out('third'))).toMatchObject({ verdict: 'nonconformant', exitCode: 1 })
    expect(stdout).toContain('\n2 still failing\n')
    expect(stdout).not.toContain('new failure')
  })

  test('is told from it by assay diff', slow, async () => {
    const code = async (...words: string[]) => (await assay(['diff', ...words]).ended).code
    expect(await code(out('first'), out('second'))).toBe(1)
    expect(await code(out('second'), out('second'))).toBe(0)
    expect(await code(out('second'), out('second'), '--fail-on', 'any')).toBe(1)
    expect(await code(out('second'), out('first'))).toBe(0)
    expect(await code(out('first'))).toBe(2)
    expect(await code(out('first'), join(folder, 'nowhere'))).toBe(2)
    expect(await code(out('first'), out('second'), '--fail-on', 'sometimes')).toBe(2)
  })

  test('is flaky where it comes and goes', slow, async () => {
    const { code, stdout } = await assay(['diff', out('first'), out('second'), out('first')]).ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/2 flaky[\s\S]*ACC-01\/answers-200 .*pass.*fail.*pass/)
  })

  test('is in history, page and summary', () => {
    expect(readFileSync(join(folder, 'history.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2)
    const page = readFileSync(join(out('second'), 'report.html'), 'utf8')
    expect(page).toContain('Since the run before')
    expect(page).toContain('id="trend"')
    expect(readFileSync(summary, 'utf8')).toBe(
      readFileSync(join(out('second'), 'step-summary.md'), 'utf8'),
    )
    expect(existsSync(join(out('second'), 'diff.json'))).toBe(true)
  })
})

describe('assay reproduce', () => {
  const reproduce = (...words: string[]) => assay(['reproduce', ...words, '--target', target]).ended

  test('does what failed in a run again, a rule by the check that broke it', slow, async () => {
    expect(failures().sort()).toEqual(['ACC-01/answers-200', 'ACC-05/gbp'])
    const { code, stdout, stderr } = await reproduce('--run', out('second'))
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout).toMatch(/^FAIL {2}ACC-01\/answers-200 {2}answered 206 instead of 200$/m)
    expect(stdout).toMatch(/^FAIL {2}ACC-05\/gbp {2}/m)
    expect(stdout).toContain('< 206')
    expect(stdout).toContain('"Currency": "EUR"')
  })

  test('deletes the consents that it made', slow, async () => {
    const { stdout } = await reproduce('ACC-01/answers-200')
    expect(stdout).toContain('-- cleaning up')
    expect(stdout).toMatch(/> DELETE \S+\/account-access-consents\//)
    expect(stdout).not.toContain('left behind: consent')
  })

  test.each([
    { words: [], says: 'Name a check, or give --run FOLDER' },
    { words: ['ACC-05/gbp'], says: 'ACC-05/gbp is a rule' },
    { words: ['ACC-01'], says: 'ACC-01 is no check: ACC-01/answers-200' },
  ])('$words says what it needs', slow, async ({ words, says }) => {
    const { code, stderr } = await reproduce(...words)
    expect(code).toBe(2)
    expect(stderr).toContain(says)
    expect(stderr).not.toMatch(/\n\s+at /)
  })
})

test.each([
  { words: ['run', '--baseline', 'nowhere'], says: /nowhere is not the folder of a run/ },
  {
    words: ['run', '--sign', 'nowhere'],
    says: /--sign nowhere can't be read: there is no such file/,
  },
  { words: ['run', '--sign', 'package.json'], says: /the signing key can't be read/ },
  { words: ['verify', 'nowhere'], says: /nowhere does not exist/ },
  { words: ['verify', 'docs'], says: /docs holds no report.json/ },
  { words: ['pack', 'docs'], says: /docs is not the folder of a run/ },
  { words: ['report', 'nowhere'], says: /nowhere is not the folder of a run/ },
  {
    words: ['sign', 'docs', '--key', 'nowhere'],
    says: /--key nowhere can't be read: there is no such file/,
  },
])('assay $words is a mistake of whoever typed it', slow, async ({ words, says }) => {
  const { code, stdout, stderr } = await assay(words).ended
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(says)
  expect(stderr).not.toMatch(/\n\s+at /)
})

test('what stands in a folder is all that there is to read', () => {
  const names = filesIn(out('second')).map(([file]) => file.slice(out('second').length + 1))
  const made = names.filter((name) => !name.startsWith('allure-results/')).sort()
  expect(made).toEqual([
    'assay.prom',
    'ctrf.json',
    'diff.json',
    'diff.md',
    'exchanges.jsonl',
    'judged.jsonl',
    'junit.xml',
    'observations.json',
    'report.html',
    'report.json',
    'step-summary.md',
    'test-result.intoto.json',
  ])
})
