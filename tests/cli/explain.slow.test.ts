import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EXIT_CODES } from '../../cli/exit-codes.ts'
import { root } from '../../engine/record/root.ts'
import { assay } from '../evidence/cli.ts'

const timeout = 60_000

describe('assay explain', () => {
  test('a requirement: sentence, checks with their lines, example, defects, commands', {
    timeout,
  }, async () => {
    const { code, stdout } = await assay(['explain', 'TXN-17']).ended
    expect(code).toBe(0)
    expect(stdout).toMatch(/^TXN-17 {2}must {2}account-information\/transactions\n/)
    expect(stdout).toContain(
      '“restrict results to transactions booked after and before the given time”',
    )
    const place = /TXN-17\/to-alone {2}(\S+\.check\.ts):(\d+)/.exec(stdout)
    const line = readFileSync(join(root, place?.[1] ?? ''), 'utf8').split('\n')[
      Number(place?.[2]) - 1
    ]
    expect(line).toMatch(/^check\(|'TXN-17\/to-alone'/)
    expect(stdout).toContain('usual answer  GET /open-banking/v3.1/aisp/transactions → 200')
    expect(stdout).toContain(
      '  - The bank refuses date filters without x-fapi-customer-ip-address.',
    )
    expect(stdout).toContain('npx assay run --only TXN-17 --target FILE')
  })

  test('a check can be repeated, a rule cannot; both are of one requirement', {
    timeout,
  }, async () => {
    const check = await assay(['explain', 'TXN-17/to-alone']).ended
    expect(check.stdout).toContain('npx assay reproduce TXN-17/to-alone --target FILE')
    const rule = await assay(['explain', 'ENV-07/one-page']).ended
    expect(rule.stdout).not.toContain('assay reproduce')
    expect(rule.stdout).toMatch(/ENV-07\/one-page {2}suites\/\S+\.rule\.ts:\d+/)
  })

  test('a scenario of a TPP', { timeout }, async () => {
    const { stdout } = await assay(['explain', 'TGEN-01/reads-everything']).ended
    expect(stdout).toContain('npx assay tpp --only TGEN-01/reads-everything --tpp FILE')
  })

  test('what nothing is called: the nearest id', { timeout }, async () => {
    const { code, stderr } = await assay(['explain', 'TXN17']).ended
    expect(code).toBe(2)
    expect(stderr).toMatch(/^nothing is called TXN17\. Did you mean TXN-17\?\n/)
  })

  test('each exit code; README and the page for pipelines have the same', { timeout }, async () => {
    for (const page of ['docs/ci.md', 'README.md']) {
      const text = readFileSync(join(root, page), 'utf8')
      const rows = [...text.matchAll(/^\| (\d+) \| [^|]* \|/gm)].map(([, code]) => Number(code))
      expect(rows, page).toEqual(EXIT_CODES.map(({ code }) => code))
    }
    const { stdout } = await assay(['explain', '4']).ended
    expect(stdout).toMatch(/^exit code 4: incomplete/)
  })
})

test('an id behind run is what --only takes, and one of the other party says so', {
  timeout,
}, async () => {
  const listed = await assay(['run', 'TXN-17', '--list']).ended
  const only = await assay(['run', '--only', 'TXN-17', '--list']).ended
  expect(listed.stdout).toBe(only.stdout)
  const theirs = await assay(['run', 'TREG-05']).ended
  expect([theirs.code, theirs.stderr]).toEqual([
    2,
    'TREG-05 is about a TPP. See npx assay tpp --only TREG-05\n',
  ])
})

test('an option that does not exist: two lines, and no screen of usage', { timeout }, async () => {
  const { code, stderr } = await assay(['run', '--targt', 'x']).ended
  expect(code).toBe(2)
  expect(stderr).toContain('unknown option --targt')
  expect(stderr).toContain('did you mean --target?')
  expect(stderr.trim().split('\n').length).toBeLessThan(4)
})
