import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { onEnd, SIGNALS } from '../engine/record/signals.ts'
import { complain, composed, say, shown, shownLines } from '../engine/report/terminal.ts'
import { stamp } from './folders.ts'
import { screen } from './progress.ts'
import { overview } from './reports.ts'
import { number, UsageError } from './usage.ts'

/** The exit code for several banks is the first of these that a run ended with. */
const GRAVEST_FIRST = [130, 5, 2, 3, 1, 4, 0]

/** Options of a single run, which cannot be used with several. */
const SINGLE = ['failed', 'baseline', 'failOn', 'list', 'open'] as const

type RunManyOptions = Partial<Record<(typeof SINGLE)[number], unknown>> & {
  target: string[]
  out?: string
  parallel?: string
}

/**
 * `assay run --target A --target B`: judges each bank in its own process and folder, in turn or with `--parallel N`.
 * Writes an overview of these runs at the end.
 *
 * @param args the command line; everything except targets and folder is passed on
 */
export async function runMany(options: RunManyOptions, args: readonly string[]): Promise<void> {
  const { target: files } = options
  const lone = SINGLE.find((name) => options[name] !== undefined)
  if (lone) {
    const spelled = lone.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    throw new UsageError(`--${spelled} is for one run: name one --target`)
  }
  if (new Set(files.map((file) => resolve(file))).size < files.length) {
    throw new UsageError('the same --target is given twice')
  }
  const parallel = number('--parallel', options.parallel, 64) ?? 1
  if (parallel === 0) throw new UsageError('--parallel takes a whole number from 1 to 64, not 0')
  for (const file of files) {
    if (!existsSync(file)) throw new UsageError(`--target ${file}: there is no such file`)
  }
  const out = resolve(options.out ?? join('reports', `banks-${stamp()}`))
  const rest = withoutOptions(args, ['--target', '--out', '--parallel'])
  const queue = labels(files)
  const codes: number[] = []
  const running = new Set<ChildProcess>()
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const folder = join(out, next.name)
      const words = [...rest, '--target', next.file, '--out', folder]
      codes.push(await runOne(next.name, words, running))
    }
  }
  // Ctrl-C reaches every run, but a process manager may tell this process alone.
  const stopListening = onEnd(
    () => {
      queue.length = 0
      for (const child of running) child.kill('SIGTERM')
    },
    () => {},
  )
  await Promise.all(Array.from({ length: Math.min(parallel, files.length) }, work))
  stopListening()
  await overview([out], { out }).catch((error: Error) => complain(shownLines(error.message)))
  process.exitCode = GRAVEST_FIRST.find((code) => codes.includes(code)) ?? 5
}

/** Judges one bank, and prints its name before each of its lines. Returns the exit code. */
function runOne(name: string, args: string[], running: Set<ChildProcess>): Promise<number> {
  // The child writes to a pipe, so it must be told the properties of our terminal.
  const { width, colour } = screen()
  const terminal = { COLUMNS: String(width - name.length - 3), ...(colour && { FORCE_COLOR: '1' }) }
  const command = [...process.execArgv, process.argv[1] ?? '', 'run', ...args]
  const child = spawn(process.execPath, command, {
    stdio: ['inherit', 'pipe', 'pipe'],
    env: { ...process.env, ...terminal },
  })
  running.add(child)
  // The child has already made its output safe to show.
  const told = (stream: Readable, tell: typeof say) =>
    createInterface({ input: stream }).on('line', (line) =>
      tell(shown`[${name}] ${composed(line)}`),
    )
  told(child.stdout, say)
  told(child.stderr, complain)
  return new Promise((done) => {
    child.on('error', () => done(5))
    child.on('close', (code, signal) => {
      running.delete(child)
      done(code ?? (SIGNALS.some((each) => each === signal) ? 130 : 5))
    })
  })
}

/** Names of the files without folder and extension; equal names get a number. */
function labels(files: readonly string[]): { file: string; name: string }[] {
  const seen = new Map<string, number>()
  return files.map((file) => {
    const name = file.replace(/^.*[\\/]/, '').replace(/\.ya?ml$/, '')
    const times = (seen.get(name) ?? 0) + 1
    seen.set(name, times)
    return { file, name: times === 1 ? name : `${name}-${times}` }
  })
}

/** The arguments without these options and their values. */
function withoutOptions(args: readonly string[], names: readonly string[]): string[] {
  const kept: string[] = []
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? ''
    if (names.some((name) => arg.startsWith(`${name}=`))) continue
    if (names.includes(arg)) index += 1
    else kept.push(arg)
  }
  return kept
}
