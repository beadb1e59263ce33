import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Report } from '../../engine/report/report.ts'
import { openBank } from '../directory.ts'
import { assay, reportOf, targetFile } from '../evidence/cli.ts'
import { observed } from '../observed.ts'
import { recorded } from '../report/recorded.ts'
import { ALONE, judged, MANY, MANY_IN_PART } from './judged.ts'

/**
 * `assay run` goes through vitest, a process of its own and files; `assay prove` judges in its own
 * process. Both say the same of the correct bank, of one whose steps are wrong, and of many faults in
 * one bank. The run of the correct bank is shared with other files; the others are as short as they can be and still
 * have faults. All that the bank with many faults does is compared by vitest-way.slow.test.ts.
 */

// Whole runs: on a busy machine each takes a minute.
vi.setConfig({ testTimeout: 600_000 })

test('there are ten faults to compare that share a bank, and one alone', () => {
  expect(MANY.alterations.length).toBeGreaterThanOrEqual(10)
  expect(ALONE.alterations).toHaveLength(1)
})

test('the correct bank', async () => {
  const [direct, { report, dir }] = [await observed(), await recorded('correct')]
  const code = Number(readFileSync(join(dir, '..', 'code'), 'utf8'))
  agree({ report, code }, direct)
})

test.each([ALONE, MANY_IN_PART])('the bank with $name', async (bank) => {
  const { alterations, scope } = bank
  const direct = await judged(bank)
  expect(direct.exitCode).toBe(1)
  const open = await openBank({ alterations })
  const folder = mkdtempSync(join(tmpdir(), 'assay-two-ways-'))
  const out = join(folder, 'out')
  const target = targetFile(folder, open.target as TargetDocument)
  const only = scope.only.length > 0 ? ['--only', ...scope.only] : []
  const words = ['run', '--target', target, '--out', out, '--profile', scope.profile, ...only]
  const { code } = await assay(words).ended
  await open.close()
  agree({ report: reportOf(out), code }, direct)
})

function agree(
  { report, code }: { report: Report; code: number | null },
  direct: Pick<Awaited<ReturnType<typeof judged>>, 'results' | 'exitCode'>,
): void {
  const told = report.checks.map(({ id, outcome, blockedBy }) => [id, outcome, blockedBy])
  const found = direct.results.map(({ id, outcome, blockedBy }) => [id, outcome, blockedBy])
  expect(told.sort()).toEqual(found.sort())
  expect(code).toBe(direct.exitCode)
  expect(report.exitCode).toBe(direct.exitCode)
}
