import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Report } from '../../engine/report/report.ts'

const root = resolve(import.meta.dirname, '..', '..')
const cli = join(root, 'dist', 'cli', 'main.js')
const folder = mkdtempSync(join(tmpdir(), 'assay-large-'))
const info = join(folder, 'bank.yaml')
const bank = spawn(process.execPath, [cli, 'bank', '--transactions', '50000', '--info', info], {
  stdio: 'ignore',
})
beforeAll(async () => {
  while (!existsSync(info)) await wait(100)
})
afterAll(() => {
  bank.kill()
  rmSync(folder, { recursive: true, force: true })
})

/** Judges the filters of fifty thousand transactions in so many MiB. */
function judged(memory: number): Report {
  const out = join(folder, `${memory}`)
  const args = ['run', '--target', info, '--out', out, '--only', 'TXN-16/from-alone', 'ACC-01']
  const env = { ...process.env, NODE_OPTIONS: `--max-old-space-size=${memory}` }
  spawnSync(process.execPath, [cli, ...args], { env, stdio: 'ignore' })
  return JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as Report
}

test('answers that this process cannot hold block their checks, with the number that is enough', () => {
  const tight = judged(200)
  const of = ({ checks }: Report, id: string) => checks.find((check) => check.id === id)
  // What was judged beside it is judged.
  expect(of(tight, 'ACC-01/answers-200')?.outcome).toBe('pass')
  expect(tight).toMatchObject({ verdict: 'incomplete', exitCode: 4, problems: [] })
  const blocked = of(tight, 'TXN-16/from-alone')
  expect(blocked?.outcome).toBe('blocked')
  const enough = Number(/--max-old-space-size=(\d+)/.exec(blocked?.blockedBy ?? '')?.[1])

  const roomy = judged(enough)
  expect(of(roomy, 'TXN-16/from-alone')?.outcome).toBe('pass')
  expect(roomy).toMatchObject({ verdict: 'conformant', exitCode: 0, problems: [] })
})
