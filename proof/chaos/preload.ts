import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import { join } from 'node:path'
import { shiftDate } from '../clock/shifted-date.ts'
import { CLOCK_SET, type FailingCalls, type SetClock, type Trouble } from './troubles.ts'

/**
 * Loaded before all other code of a command (`node --import`): makes one kind of system call fail, once or permanently,
 * or changes the clock, as ASSAY_CHAOS says. Files outside the folder of the run belong to Node and the libraries and
 * are not affected.
 */

const { ASSAY_CHAOS = '' } = process.env
if (ASSAY_CHAOS !== '') bring(JSON.parse(ASSAY_CHAOS) as { trouble: Trouble; folder: string })

function bring({ trouble, folder }: { trouble: Trouble; folder: string }): void {
  if (trouble.kind === 'clock') setClock(trouble, folder)
  else failCalls(trouble, folder)
  syncBuiltinESMExports()
}

/** Shifts `Date` in every process of the command, after one of them has received enough. */
function setClock({ by, after }: SetClock, folder: string): void {
  const file = join(folder, CLOCK_SET)
  let isSet = false
  let looked = Number.NEGATIVE_INFINITY
  shiftDate(() => {
    if (isSet || performance.now() - looked < BETWEEN) return isSet ? by : 0
    looked = performance.now()
    isSet = fs.existsSync(file)
    return isSet ? by : 0
  })
  let received = 0
  beforeEachPiece(() => {
    received += 1
    if (received === after + 1) fs.writeFileSync(file, '')
    return true
  })
}

/** Milliseconds between two checks of a process whether the clock was set. */
const BETWEEN = 10

function failCalls(trouble: FailingCalls, folder: string): void {
  let calls = 0
  /** Must this call fail? */
  const strikes = (kind: FailingCalls['kind']): boolean => {
    if (trouble.kind !== kind) return false
    calls += 1
    return trouble.lasts ? calls > trouble.after : calls === trouble.after + 1
  }
  const problem = (call: string) =>
    Object.assign(new Error(`${trouble.code}: chaos, ${call}`), {
      ...{ code: trouble.code, syscall: call, errno: -1 },
    })
  const isOurs = (path: unknown) => typeof path === 'string' && path.startsWith(folder)
  /** Descriptors of files that belong to the run. */
  const open = new Set<number>()

  const files = fs as unknown as Record<string, (...words: unknown[]) => unknown>
  const failing = (
    name: string,
    kind: FailingCalls['kind'],
    concerns: (first: unknown) => boolean,
  ) => {
    const right = files[name] as (...words: unknown[]) => unknown
    files[name] = (...words) => {
      if (concerns(words[0]) && strikes(kind)) throw problem(name)
      const made = right.apply(fs, words)
      if (name === 'openSync' && isOurs(words[0])) open.add(made as number)
      return made
    }
  }
  const isOpen = (descriptor: unknown) => open.has(descriptor as number)
  for (const name of ['writeFileSync', 'appendFileSync']) failing(name, 'write', isOurs)
  failing('writeSync', 'write', isOpen)
  for (const name of ['renameSync', 'rmSync', 'unlinkSync', 'mkdirSync'])
    failing(name, 'folder', isOurs)
  for (const name of ['openSync', 'readFileSync', 'statSync', 'readdirSync'])
    failing(name, 'read', isOurs)

  const { spawn, fork } = childProcess
  const starting = (right: typeof spawn | typeof fork) =>
    function started(this: unknown, ...words: unknown[]) {
      if (strikes('spawn')) throw problem('spawn')
      return (right as (...words: unknown[]) => unknown).apply(childProcess, words)
    }
  Object.assign(childProcess, { spawn: starting(spawn), fork: starting(fork) })

  const { connect } = net.Socket.prototype
  net.Socket.prototype.connect = function connected(this: net.Socket, ...words: unknown[]) {
    if (isTcp(words) && strikes('connect')) {
      setImmediate(() => this.destroy(problem('connect')))
      return this
    }
    return (connect as (...words: unknown[]) => net.Socket).apply(this, words)
  } as typeof connect
  beforeEachPiece((socket) => {
    if (!strikes('receive')) return true
    socket.destroy(problem('read'))
    return false
  })
}

/** Before each chunk that arrives over a connection, asks whether the receiver may get it. */
function beforeEachPiece(comes: (socket: net.Socket) => boolean): void {
  const { emit } = net.Socket.prototype
  net.Socket.prototype.emit = function emitted(
    this: net.Socket,
    event: string,
    ...words: unknown[]
  ) {
    if (event === 'data' && this.remotePort !== undefined && !comes(this)) return true
    return (emit as (...words: unknown[]) => boolean).call(this, event, ...words)
  } as typeof emit
}

/** A TCP connection, not a pipe to another process of the command. */
function isTcp([first]: unknown[]): boolean {
  const options: unknown = Array.isArray(first) ? first[0] : first
  return typeof options === 'object' && options !== null && 'port' in options
}
