import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { resolve as resolvePath } from 'node:path'

/** Maximum characters of output that are kept. */
const MOST_OUTPUT = 64 * 1024

/** Milliseconds to read the remaining output after a program ends, whatever it left running. */
const GRACE = 250

interface Ran {
  /** `exited`, or why it did not exit, in words that follow the program's name. */
  ended: string
  code: number | null
  stdout: string
  stderr: string
}

/**
 * Runs a program of the user's to its end. Never throws. Also ends everything that it started: its process group and,
 * on Linux, processes that left the group but kept the environment.
 */
export function run(options: {
  command: string[]
  base: string
  /** Milliseconds. */
  patience: number
  env: Record<string, string>
  /** True if it may print more than is kept; then the end is kept. Otherwise too much output ends the program. */
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
    const child = started(program, args, base, { ...process.env, ...env, [mark]: '1' })
    if (child instanceof Error) {
      ended = `cannot be started: ${startTrouble(child, program, base)}`
      return resolve({ ...outputs, ended, code: null })
    }
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
    // Ends what the program left running, and does not wait for what left its group.
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
      ended = `cannot be started: ${startTrouble(error, program, base)}`
      done(null)
    })
    child.on('close', done)
  })
}

/** The process, or the error where the system does not even try to start it. */
function started(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv) {
  try {
    return spawn(program, args, {
      ...{ cwd, env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Leads its own process group, so that what it started can be ended with it.
      detached: process.platform !== 'win32',
    })
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

/** Errors that say enough without the file. The message of the last one may quote a token. */
const TROUBLES = new Map([
  ['ENOTDIR', 'its path goes through a file as if it were a folder'],
  ['E2BIG', 'its arguments are too long for this system'],
  ['ERR_INVALID_ARG_VALUE', 'its name is empty, or an argument contains a NUL character'],
])

function startTrouble(
  { code, message }: NodeJS.ErrnoException,
  program: string,
  base: string,
): string {
  const known = TROUBLES.get(code ?? '')
  if (known !== undefined) return known
  const why = code ?? message
  if (!/[\\/]/.test(program)) return code === 'ENOENT' ? 'it is not on the PATH' : why
  if (code === 'EACCES') return 'it is not executable'
  return scriptTrouble(resolvePath(base, program)) ?? why
}

/** Why the system does not find a script that is there; undefined if its first line is right, or it is no script. */
export function scriptTrouble(file: string): string | undefined {
  const [, interpreter, end] = /^#! *(\S+)[^\r\n]*(\r?)/.exec(beginningOf(file)) ?? []
  if (interpreter === undefined) return undefined
  if (end === '\r') return 'its first line ends in CR, as Windows writes lines'
  return existsSync(interpreter)
    ? undefined
    : `its first line names ${interpreter}, which is not there`
}

/** The first bytes; empty if there is no such file, or it cannot be read. */
function beginningOf(file: string): string {
  try {
    const opened = openSync(file, 'r')
    const bytes = Buffer.alloc(256)
    const length = readSync(opened, bytes)
    closeSync(opened)
    return bytes.toString('latin1', 0, length)
  } catch {
    return ''
  }
}

/** Why a program failed, in words that follow its name; undefined if it did not. */
export function failureOf({ ended, code }: Ran): string | undefined {
  if (ended !== 'exited') return ended
  return code === 0 ? undefined : `ended with exit code ${code}`
}

/** The program's last complaint, as an appendix to a sentence; empty if there is none. */
export function complaintOf({ stderr }: Ran, redact: (text: string) => string = String): string {
  const complaint = redact(lastLine(stderr).slice(0, 200))
  return complaint === '' ? '' : `: ${complaint}`
}

/** The last line that is not empty, trimmed. */
export function lastLine(text: string): string {
  return text.trimEnd().split(/\r?\n/).at(-1)?.trim() ?? ''
}

/** @param mark name of a variable that only this program was given */
function kill(pid: number | undefined, mark: string): void {
  if (pid === undefined) return
  killOne(process.platform === 'win32' ? pid : -pid)
  if (process.platform !== 'linux') return
  // A process that is just being forked is seen in the next pass.
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
    // It has already ended.
  }
}

/** Processes with this variable in their environment: those that setsid or a second fork took out of the group. */
function marked(mark: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => environmentOf(pid).includes(`${mark}=`)).map(Number)
}

/** Empty for a process that has ended or belongs to another user. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}
