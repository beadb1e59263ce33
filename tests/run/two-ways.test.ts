import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startBank } from '../../bank/bank.ts'
import type { Report } from '../../engine/report/report.ts'
import { judgeBank, openWorkshop, type Workshop } from '../../proof/judge-bank.ts'
import { loadFaults } from '../../proof/load.ts'

/**
 * `assay run` goes through vitest, a process of its own and files; `assay prove` judges in its own
 * process. Both say the same of the correct bank and of ten wrong ones.
 */

const main = resolve(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js')
const faults = await loadFaults()
const every = Math.max(1, Math.floor(faults.length / 10))
const chosen = faults.filter((fault, index) => index % every === 0 && !fault.target).slice(0, 10)
let workshop: Workshop

beforeAll(async () => {
  workshop = await openWorkshop()
})

afterAll(() => workshop.directory.close())

test('there are ten wrong banks to compare', () => {
  expect(chosen).toHaveLength(10)
})

test.each([{ id: 'correct' }, ...chosen])('$id', async ({ id }) => {
  const alterations = chosen.filter((fault) => fault.id === id)
  const direct = await judgeBank(workshop, alterations)

  const bank = await startBank({ alterations, directory: workshop.directory })
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
  const told = report.checks.map(({ id: check, outcome, blockedBy }) => [check, outcome, blockedBy])
  const found = [...direct.results.values()].map((each) => [each.id, each.outcome, each.blockedBy])
  expect(told.sort()).toEqual(found.sort())
  expect(code).toBe(direct.exitCode)
  expect(report.exitCode).toBe(direct.exitCode)
})
