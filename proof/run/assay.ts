import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { join } from 'node:path'
import { root } from '../../engine/record/root.ts'
import { slowed } from '../clock/slowed.ts'

const MAIN = join(root, 'dist', 'cli', 'main.js')

/** Timeout of a command in milliseconds: longer means that it hangs. */
const PATIENCE = 120_000

export interface AssayOptions {
  /** Milliseconds before Ctrl-C. */
  interruptedAfter?: number
  patience?: number
  env?: Record<string, string>
  /** Do the command and its processes run for only a tenth of the time? */
  isSlowed?: boolean
}

/** The process groups that are running. */
const running = new Set<(signal: NodeJS.Signals) => void>()

/** Process groups do not get the Ctrl-C of this process, so this process ends them. */
function endWithThis(group: (signal: NodeJS.Signals) => void): void {
  if (running.size === 0) {
    process.once('SIGINT', endAll).once('SIGTERM', endAll)
  }
  running.add(group)
}

function endAll(signal: NodeJS.Signals): void {
  for (const group of running) group('SIGKILL')
  process.exit(128 + constants.signals[signal])
}

function ended(group: (signal: NodeJS.Signals) => void): void {
  running.delete(group)
  if (running.size === 0) process.off('SIGINT', endAll).off('SIGTERM', endAll)
}

/** Runs a command of the compiled program in a separate process, and stops it if it hangs. */
export function assay(
  words: string[],
  cwd: string,
  { interruptedAfter, patience = PATIENCE, env = {}, isSlowed = false }: AssayOptions = {},
): Promise<{ exit: number | null; said: string }> {
  const child = spawn(process.execPath, [MAIN, ...words], {
    ...{ cwd, detached: true },
    env: { ...process.env, ...env },
  })
  const chunks: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  }
  const group = (signal: NodeJS.Signals) => {
    try {
      process.kill(-(child.pid ?? 0), signal)
    } catch {
      // The process has already ended.
    }
  }
  endWithThis(group)
  const hang = setTimeout(() => group('SIGKILL'), patience)
  const unslow = isSlowed ? slowed(group) : undefined
  const ctrlC =
    interruptedAfter === undefined ? undefined : setTimeout(() => group('SIGINT'), interruptedAfter)
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      // The exit code that a shell reports for a process that Ctrl-C ended before it handled the signal.
      const exit = signal === 'SIGINT' ? 130 : code
      clearTimeout(hang)
      clearTimeout(ctrlC)
      unslow?.()
      ended(group)
      resolve({ exit, said: Buffer.concat(chunks).toString('utf8') })
    })
  })
}
