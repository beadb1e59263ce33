import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { main } from '../built.ts'
import { openBank } from '../directory.ts'
import { assay, targetFile, until } from './cli.ts'

const SIGNALS = join(main, '..', '..', 'engine', 'record', 'signals.js')

/** Sends signals to a program that listens, each after as many milliseconds. */
async function told(
  signals: [NodeJS.Signals, number][],
  first = '',
): Promise<{ code: number; said: string }> {
  const script = `
    const { onEnd } = await import(${JSON.stringify(SIGNALS)})
    onEnd(() => { console.log('asked'); ${first} })
    setTimeout(() => process.exit(7), 4000)
    console.log('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  await once(child.stdout, 'data')
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  for (const [signal, after] of signals) {
    await wait(after)
    child.kill(signal)
  }
  const [code] = await once(child, 'close')
  return { code, said: said.trim() }
}

const unix = test.runIf(process.platform !== 'win32')

unix.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s asks a program to end', async (signal) => {
  expect(await told([[signal, 0]], 'process.exit(3)')).toEqual({ code: 3, said: 'asked' })
})

unix('a second Ctrl-C, or a signal later, ends it at once', async () => {
  const twice: [NodeJS.Signals, number][] = [
    ['SIGINT', 0],
    ['SIGINT', 200],
  ]
  expect(await told(twice)).toEqual({ code: 130, said: 'asked' })
  const later: [NodeJS.Signals, number][] = [
    ['SIGTERM', 0],
    ['SIGTERM', 1300],
  ]
  expect(await told(later)).toEqual({ code: 130, said: 'asked' })
})

unix('what a lost session sends in several ways at once is one wish', async () => {
  const atOnce: [NodeJS.Signals, number][] = [
    ['SIGHUP', 0],
    ['SIGTERM', 50],
    ['SIGHUP', 50],
  ]
  expect(await told(atOnce)).toEqual({ code: 7, said: 'asked' })
})

const line = (n: number) =>
  JSON.stringify({
    started_at: 1_795_863_600_000 + n * 10,
    latencies: { request: 4 },
    request: { method: 'GET', url: `https://bank.example/open-banking/v3.1/aisp/accounts?n=${n}` },
    response: { status: 200, headers: { 'content-type': 'application/json' } },
  })

unix('assay judge that SIGTERM ends reports what it has judged', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-judge-'))
  try {
    const file = join(folder, 'kong.ndjson')
    writeFileSync(file, Array.from({ length: 100_000 }, (_, n) => line(n)).join('\n'))
    const out = join(folder, 'out')
    const bank = await openBank()
    await bank.close()
    const document = structuredClone(bank.target) as TargetDocument
    Object.assign(document.addresses, { base_url: 'https://bank.example' })
    const target = targetFile(folder, document)
    const judging = assay(['judge', file, '--target', target, '--out', out])
    await until(() => existsSync(join(out, 'exchanges.jsonl')), judging, 60)
    judging.child.kill('SIGTERM')
    const { code } = await judging.ended
    const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'))
    expect(report).toMatchObject({ partial: expect.stringContaining('interrupted') })
    expect(report.exitCode).toBe(code)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
