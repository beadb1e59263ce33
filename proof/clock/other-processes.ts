import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NamedMoment } from './moments.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'cli', 'main.js')

/**
 * Runs whole commands, whose clocks this process cannot change, with `faketime` where it is installed: on each of these
 * days the reference bank is conformant and the doctor finds nothing. Returns differences in words.
 */
export function inOtherProcesses(moments: NamedMoment[]): string[] {
  if (spawnSync('faketime', ['--version']).status !== 0) {
    console.log('skipped: run and doctor in processes of their own, as faketime is not installed')
    return []
  }
  const days = new Map(moments.map((moment) => [`${moment.day} ${moment.hour === 'turn'}`, moment]))
  return [...days.values()].flatMap((moment) => [...commandsAt(moment)])
}

function* commandsAt({ at, zone, day }: NamedMoment): Generator<string> {
  const out = mkdtempSync(join(tmpdir(), 'assay-clock-'))
  const env = { ...process.env, TZ: 'UTC' }
  for (const command of [['run', '--out', join(out, 'run')], ['doctor']]) {
    const time = `@${at.replace('T', ' ').replace('Z', '')}`
    const shell = ['-f', time, 'env', `TZ=${zone}`, process.execPath, MAIN, ...command]
    const { status, stdout, stderr } = spawnSync('faketime', shell, { env, encoding: 'utf8' })
    const words = `assay ${command[0]} under faketime at ${at} in ${zone} (${day})`
    console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${words}`)
    if (status !== 0) yield `${words}: exit ${status}\n${stdout}${stderr}`.slice(0, 2000)
  }
  rmSync(out, { recursive: true, force: true })
}
