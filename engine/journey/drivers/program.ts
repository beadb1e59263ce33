import { spawn } from 'node:child_process'

/** Bytes of each output that are read; a program that prints more has gone astray. */
const MOST_OUTPUT = 64 * 1024

interface Ran {
  /** `exited`, or why it did not, in words that follow its name. */
  ended: string
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a program of the user's to its end. Never throws; whatever it started ends with it. */
export function run(options: {
  command: string[]
  base: string
  /** Milliseconds. */
  patience: number
  env: Record<string, string>
  signal?: AbortSignal
}): Promise<Ran> {
  const { command, base, patience, env, signal } = options
  const [program = '', ...args] = command
  if (signal?.aborted) return Promise.resolve(unstarted('was not started: the run was interrupted'))
  return new Promise((resolve) => {
    const outputs = { stdout: '', stderr: '' }
    let bytes = 0
    let ended = 'exited'
    const child = spawn(program, args, {
      cwd: base,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Leader of a group of its own, so that what it started can be ended with it.
      detached: process.platform !== 'win32',
    })
    const end = (why: string) => {
      ended = why
      kill(child.pid)
      child.stdout.destroy()
      child.stderr.destroy()
    }
    const interrupted = () => end('was ended: the run was interrupted')
    const timer = setTimeout(() => end(`did not end within ${patience / 1000} s`), patience)
    signal?.addEventListener('abort', interrupted)
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        outputs[name] += text
        bytes += text.length
        if (bytes > MOST_OUTPUT) end(`printed more than ${MOST_OUTPUT / 1024} KiB`)
      })
    }
    const done = (code: number | null) => {
      clearTimeout(timer)
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

/** The last line that is not empty, trimmed. */
export function lastLine(text: string): string {
  return text.trimEnd().split(/\r?\n/).at(-1)?.trim() ?? ''
}

function unstarted(ended: string): Ran {
  return { ended, code: null, stdout: '', stderr: '' }
}

function kill(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
