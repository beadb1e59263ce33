import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Alteration } from '../../bank/alteration.ts'
import { startBank } from '../../bank/bank.ts'
import type { Report } from '../../engine/report/report.ts'
import { groupFaults } from '../../proof/grouping.ts'
import { judgeBank, openProofContext, type ProofContext } from '../../proof/judge-bank.ts'
import { loadFaults } from '../../proof/load.ts'
import type { Fault } from '../../proof/proof.ts'
import { main } from '../built.ts'
import { openDirectory } from '../directory.ts'
import { observed } from '../observed.ts'
import { recorded } from '../report/recorded.ts'

/**
 * `assay run` goes through vitest, a process of its own and files; `assay prove` judges in its own
 * process. Both say the same of the correct bank, of one whose steps are wrong, and of many faults in
 * one bank.
 */

// Whole runs: on a busy machine each takes a minute.
vi.setConfig({ testTimeout: 600_000 })

const faults = await loadFaults()
// A command looks at the configuration before its run: whatever counts those requests begins later there.
const counts = ({ fails }: Fault) => fails.includes('DISC-01/again')
const groups = groupFaults(faults.filter((fault) => !fault.target && !counts(fault)))
const evenly = (each: typeof groups, count: number) =>
  Array.from({ length: count }, (_, n) => each[Math.floor((n * each.length) / count)] ?? [])
const chosen = [
  ...evenly(
    groups.filter(({ length }) => length === 1),
    1,
  ),
  ...evenly(
    groups.filter(({ length }) => length > 9),
    1,
  ),
]
let context: ProofContext

beforeAll(async () => {
  context = await openProofContext(openDirectory())
})

afterAll(() => context.directory.close())

async function proven(alterations: Alteration[]) {
  const { results, exitCode } = await judgeBank(context, alterations)
  return { results: [...results.values()], exitCode }
}

test('there are ten faults to compare, some of which share a bank', () => {
  expect(chosen.flat().length).toBeGreaterThanOrEqual(10)
  expect(chosen.map(({ length }) => length > 1)).toEqual([false, true])
})

test('the correct bank', async () => {
  const [direct, { report, dir }] = [await observed(), await recorded('correct')]
  const code = Number(readFileSync(join(dir, '..', 'code'), 'utf8'))
  agree({ report, code }, direct)
})

test.each(chosen.map((group) => ({ group, name: group.map(({ id }) => id).join(' + ') })))(
  'the bank with $name',
  async ({ group: alterations }) => {
    const direct = await proven(alterations)

    const bank = await startBank({ alterations, directory: context.directory })
    const folder = mkdtempSync(join(tmpdir(), 'assay-two-ways-'))
    const target = join(folder, 'target.yaml')
    writeFileSync(target, JSON.stringify(bank.target))
    const out = join(folder, 'out')
    const code = await new Promise<number | null>((done) => {
      const args = [main, 'run', '--target', target, '--out', out]
      spawn(process.execPath, args, { stdio: 'ignore' }).on('close', done)
    })
    await bank.close()

    const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as Report
    agree({ report, code }, direct)
  },
)

function agree(
  { report, code }: { report: Report; code: number | null },
  direct: Pick<Awaited<ReturnType<typeof proven>>, 'results' | 'exitCode'>,
): void {
  const told = report.checks.map(({ id, outcome, blockedBy }) => [id, outcome, blockedBy])
  const found = direct.results.map(({ id, outcome, blockedBy }) => [id, outcome, blockedBy])
  expect(told.sort()).toEqual(found.sort())
  expect(code).toBe(direct.exitCode)
  expect(report.exitCode).toBe(direct.exitCode)
}
