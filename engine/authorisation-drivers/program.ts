import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** Characters of its output that are kept. */
const MOST_OUTPUT = 64 * 1024

/** Milliseconds in which what a program printed is read after its end, whatever it left running. */
const GRACE = 250

interface Ran {
  /** `exited`, or why it did not, in words that follow its name. */
  ended: string
  code: number | null
  stdout: string
  stderr: string
}

/**
 * Runs a program of the user's to its end. Never throws; whatever it started ends with it: its process group, and on
 * Linux what left the group but kept the environment.
 */
export function run(options: {
  command: string[]
  base: string
  /** Milliseconds. */
  patience: number
  env: Record<string, string>
  /** May it print more than is kept? The end of it is kept then; else that ends the program. */
  talkative?: boolean
  signal?: AbortSignal
}): Promise<Ran> {
  const { command, base, patience, env, talkative = false, signal } = options
  const [program = '', ...args] = command
  const outputs = { stdout: '', stderr: '' }
  return new Promise((resolve) => {
    if (signal?.aborted) {
      return resolve({ ...outputs, ended: 'was not started: the run was interrupted', code: null })
    }
    let bytes = 0
    let ended = 'exited'
    let afterwards: NodeJS.Timeout | undefined
    const mark = `ASSAY_STARTED_${randomUUID().replaceAll('-', '_')}`
    const child = spawn(program, args, {
      cwd: base,
      env: { ...process.env, ...env, [mark]: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Leader of a group of its own, so that what it started can be ended with it.
      detached: process.platform !== 'win32',
    })
    const unread = () => {
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const end = (why: string) => {
      ended = why
      kill(child.pid, mark)
      unread()
    }
    const interrupted = () => end('was ended: the run was interrupted')
    const timer = setTimeout(() => end(`did not end within ${patience / 1000} s`), patience)
    signal?.addEventListener('abort', interrupted)
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        outputs[name] = (outputs[name] + text).slice(-MOST_OUTPUT)
        bytes += text.length
        if (!talkative && bytes > MOST_OUTPUT) end(`printed more than ${MOST_OUTPUT / 1024} KiB`)
      })
    }
    // What it started and left running ends with it; what left its group keeps nobody waiting.
    child.on('exit', () => {
      clearTimeout(timer)
      afterwards = setTimeout(() => {
        kill(child.pid, mark)
        afterwards = setTimeout(unread, GRACE)
      }, GRACE)
    })
    const done = (code: number | null) => {
      clearTimeout(timer)
      clearTimeout(afterwards)
      kill(child.pid, mark)
      signal?.removeEventListener('abort', interrupted)
      resolve({ ended, code, ...outputs })
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      ended = `cannot be started: ${error.code ?? error.message}`
      done(null)
    })
    child.on('close', done)
  })
}

/** Why a program did not end well, in words that follow its name; undefined when it did. */
export function failureOf({ ended, code }: Ran): string | undefined {
  if (ended !== 'exited') return ended
  return code === 0 ? undefined : `ended with exit code ${code}`
}

/** What a program complained of last, as it follows a sentence; empty when it said nothing. */
export function complaintOf({ stderr }: Ran, redact: (text: string) => string = String): string {
  const complaint = redact(lastLine(stderr).slice(0, 200))
  return complaint === '' ? '' : `: ${complaint}`
}

/** The last line that is not empty, trimmed. */
export function lastLine(text: string): string {
  return text.trimEnd().split(/\r?\n/).at(-1)?.trim() ?? ''
}

/** @param mark name of a variable that the program was given, and nothing else */
function kill(pid: number | undefined, mark: string): void {
  if (pid === undefined) return
  killOne(process.platform === 'win32' ? pid : -pid)
  if (process.platform !== 'linux') return
  // One that is just being forked is seen by the next look.
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const left = marked(mark)
    if (left.length === 0) return
    for (const each of left) killOne(each)
  }
}

const MOST_LOOKS = 10

function killOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** Processes with this variable in their environment: what setsid or a second fork took out of the group. */
function marked(mark: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => environmentOf(pid).includes(`${mark}=`)).map(Number)
}

/** Empty for a process that has ended, or is another user's. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}
