import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { plan } from '../../cli/plan.ts'
import { prove } from '../../cli/prove.ts'
import { run } from '../../cli/run.ts'
import { assertSelects, scopeOf } from '../../cli/selection.ts'
import { UsageError } from '../../cli/usage.ts'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { appendHistory } from '../../engine/report/history.ts'
import { repeatCommand } from '../../engine/report/queries.ts'
import type { Report } from '../../engine/report/report.ts'
import { selected } from '../../engine/run/scope.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-selection-'))
afterAll(() => rmSync(folder, { recursive: true }))
const catalogue = loadCatalogue()

test.each([
  'must',
  'TXN-17',
  'TXN-17/to-alone',
  'accounts',
  'account-information/accounts',
  'TXN-*',
  '@registers',
])('a selection may be %s', (pattern) =>
  expect(() => assertSelects([pattern], catalogue)).not.toThrow(),
)

test('the short name of a chapter selects no check of another that ends so', () => {
  const of = (document: string, chapter: string) => ({
    id: 'XYZ-01',
    chapter: `${document}/${chapter}`,
    level: 'must' as const,
    checks: ['XYZ-01/data'],
  })
  const scope = { profile: 'full' as const, only: ['data'] }
  expect(selected(of('account-information', 'data'), scope)).toBe(true)
  expect(selected(of('product-information', 'products'), scope)).toBe(false)
})

test.each(['TXN17', 'level:must', 'acounts', '@visits', ''])(
  'a selection that means nothing: %j',
  (pattern) => {
    expect(() => assertSelects(['must', pattern], catalogue)).toThrow(
      `--only ${pattern} selects nothing.`,
    )
  },
)

test('neither a run nor a plan begins with one', async () => {
  const target = join(folder, 'is-not-there.yaml')
  const options = { target, profile: 'full' as const, only: ['acounts'] }
  await expect(run(options)).rejects.toThrow('--only acounts selects nothing.')
  await expect(plan(options)).rejects.toThrow('--only acounts selects nothing.')
  await expect(plan({ target, profile: 'cor' })).rejects.toThrow('--profile is core, quick, full')
})

test('rules alone bring the checks along whose answers they judge', async () => {
  const rules = await scopeOf('full', ['ACC-09/masked', 'TXN-17'], catalogue)
  expect(rules.only).toEqual(['ACC-09/masked', 'TXN-17', 'account-information/accounts'])
  const named = async (pattern: string) => {
    const { only } = await scopeOf('full', [pattern], catalogue)
    return only.map((each) => each.replace('account-information/', ''))
  }
  expect(await named('ENV-01')).toEqual([
    'ENV-01',
    'accounts',
    'balances',
    'consents',
    'funds-confirmation',
    'transactions',
  ])
  const everything = await named('ERR-01')
  expect(everything).toContain('life-cycle')
  expect(everything).toContain('product-information/products')
  const checks = await scopeOf('full', ['TXN-17', '@hook'], catalogue)
  expect(checks.only).toEqual(['TXN-17', '@hook'])
})

test('a selection of which the profile leaves no check is a mistake of the command line', async () => {
  await expect(scopeOf('core', ['@registers'], catalogue)).rejects.toThrow(
    '--only @registers selects no check of --profile core.',
  )
})

test('a history begins where no folder is', async () => {
  const file = join(folder, 'nights', 'history.jsonl')
  const report = {
    target: { name: 'bank' },
    scope: { profile: 'full', only: [] },
    startedAt: '2026-01-31T00:00:00.000Z',
    finishedAt: '2026-01-31T00:00:01.000Z',
    assay: { version: '1', specsDigest: '0' },
    approvals: [],
    latency: [],
    summary: {},
    musts: {},
    observations: [],
  } as unknown as Report
  await appendHistory(file, report)
  expect(existsSync(file)).toBe(true)
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(2)
})

test('a fault or variant that nobody wrote is a mistake of the command line', async () => {
  await expect(prove({ fault: ['nobody'] })).rejects.toThrow(
    new UsageError('no fault is called nobody'),
  )
})

test('a command to paste has its paths in quotes where a shell would divide them', () => {
  const check = { id: 'TXN-17/both' }
  expect(repeatCommand(check, 'reports/tonight')).toBe(
    'npx assay reproduce TXN-17/both --run reports/tonight',
  )
  expect(repeatCommand(check, "reports/Anna's bank")).toBe(
    "npx assay reproduce TXN-17/both --run 'reports/Anna'\\''s bank'",
  )
})
