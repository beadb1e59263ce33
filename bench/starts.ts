import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../engine/record/root.ts'

const CLI = join(root, 'dist', 'cli', 'main.js')

/** Milliseconds from the start of a process to its end, or to the first line that matches. */
function assay(args: string[], until?: RegExp): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
  return new Promise((done) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (!until?.test(text)) return
      done(performance.now() - began)
      child.kill()
    })
    child.on('close', () => done(performance.now() - began))
  })
}

/** Milliseconds from the start of `assay run` to its first request. */
async function firstExchange(): Promise<number> {
  const out = mkdtempSync(join(tmpdir(), 'assay-bench-'))
  const began = Date.now()
  await assay(['run', '--only', 'DISC-01', '--out', out])
  const [line = '{}'] = readFileSync(join(out, 'exchanges.jsonl'), 'utf8').split('\n')
  rmSync(out, { recursive: true, force: true })
  return Date.parse(JSON.parse(line).startedAt) - began
}

export const median = (values: number[]) =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0

async function times(measure: () => Promise<number>, count = 5): Promise<number> {
  const taken: number[] = []
  for (let n = 0; n < count; n += 1) taken.push(await measure())
  return median(taken)
}

/** How long commands take to start, in milliseconds; `node` is a process that does nothing. */
export async function starts() {
  const node = await times(
    () =>
      new Promise((done) => {
        const began = performance.now()
        spawn(process.execPath, ['-e', '0']).on('close', () => done(performance.now() - began))
      }),
  )
  const bank = await times(() => assay(['bank'], /is up/))
  const first = await times(firstExchange)
  return {
    node,
    version: await times(() => assay(['--version'])),
    plan: await times(() => assay(['plan'])),
    list: await times(() => assay(['run', '--list'])),
    bank,
    first,
  }
}
