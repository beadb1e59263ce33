import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Bank } from '../../bank/running-bank.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { loadFaults } from '../../proof/run/load.ts'
import { openBank } from '../directory.ts'
import { assay, reportOf, targetFile } from '../evidence/cli.ts'

/** `--fail-on should`: a pipeline that wants shoulds kept as well. */

const folder = mkdtempSync(join(tmpdir(), 'assay-fail-on-'))
let bank: Bank
let target: string

beforeAll(async () => {
  const fault = (await loadFaults()).find(({ id }) => id === 'numbers-are-dates')
  bank = await openBank({ alterations: fault ? [fault] : [] })
  target = targetFile(folder, bank.target as TargetDocument)
})

afterAll(async () => {
  await bank.close()
  rmSync(folder, { recursive: true, force: true })
})

test.each([
  { words: [], code: 0 },
  { words: ['--fail-on', 'should'], code: 1 },
  { words: ['--fail-on', 'new'], code: 2 },
  { words: ['--fail-on', 'anything'], code: 2 },
])('$words: exit code $code', { timeout: 120_000 }, async ({ words, code }) => {
  const out = join(folder, words.join('-') || 'none')
  const judging = ['run', 'CONS-15', 'CONS-13', '--target', target, '--out', out]
  const ended = await assay([...judging, ...words]).ended
  expect([ended.code, ended.stderr]).toEqual([code, expect.any(String)])
  if (code === 2) return
  expect(reportOf(out)).toMatchObject({ verdict: 'conformant', exitCode: 0 })
  const said = /exit code 1 by --fail-on should: 1 warning/.test(ended.stdout)
  expect(said).toBe(code === 1)
})
