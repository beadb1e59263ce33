import { drawnAt } from '../../engine/judge/cells.ts'

/** A failure around a command, drawn from a seed. */
export type Trouble = FailingCalls | SetClock

/** One kind of system call fails. */
export interface FailingCalls {
  kind: 'write' | 'folder' | 'read' | 'spawn' | 'connect' | 'receive'
  /** The error code of the call. */
  code: string
  /** Number of calls of that kind that succeed first. */
  after: number
  /** Do all later calls fail, or only one? */
  lasts: boolean
}

/** The system clock is changed. */
export interface SetClock {
  kind: 'clock'
  /** Milliseconds; negative when it is set back. */
  by: number
  /** Number of chunks that one of its processes receives over connections first. */
  after: number
}

/** The errors of each kind of call, and approximately how many such calls a run of some chapters makes. */
const CALLS: Record<FailingCalls['kind'], { codes: readonly string[]; calls: number }> = {
  write: { codes: ['ENOSPC', 'EIO', 'EDQUOT', 'EROFS', 'EFBIG'], calls: 400 },
  folder: { codes: ['EIO', 'EACCES', 'EROFS', 'EBUSY', 'ENOSPC'], calls: 12 },
  read: { codes: ['EIO', 'EACCES', 'EMFILE', 'ENFILE'], calls: 60 },
  spawn: { codes: ['EAGAIN', 'ENOMEM', 'EMFILE'], calls: 2 },
  connect: { codes: ['ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'], calls: 25 },
  receive: { codes: ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'], calls: 400 },
}

const KINDS = [...(Object.keys(CALLS) as FailingCalls['kind'][]), 'clock'] as const

const MINUTE = 60_000

/** The failure for a seed, always the same. Every seventh seed is of the same kind. */
export function troubleOf(seed: number): Trouble {
  const kind = KINDS[seed % KINDS.length] as Trouble['kind']
  // Mostly early, where a failure matters more.
  const early = drawnAt(seed, 'after') ** 2
  if (kind === 'clock') {
    const by = Math.round(MINUTE * (1 + 59 * drawnAt(seed, 'by')))
    const forward = drawnAt(seed, 'forward') < 1 / 2
    return { kind, by: forward ? by : -by, after: Math.floor(early * CALLS.receive.calls) }
  }
  const { codes, calls } = CALLS[kind]
  return {
    kind,
    code: codes[Math.floor(drawnAt(seed, 'code') * codes.length)] ?? '',
    after: Math.floor(early * calls),
    lasts: drawnAt(seed, 'lasts') < 1 / 2,
  }
}

/** `seed 12: write gives ENOSPC after 37 calls, for good`. */
export function wordsOf(seed: number): string {
  const trouble = troubleOf(seed)
  const { kind, after } = trouble
  if (kind === 'clock') {
    const { by } = trouble
    const minutes = (Math.abs(by) / MINUTE).toFixed(1)
    return `seed ${seed}: the clock is set ${minutes} min ${by > 0 ? 'forward' : 'back'} after ${after} pieces`
  }
  const { code, lasts } = trouble
  return `seed ${seed}: ${kind} gives ${code} after ${after} calls, ${lasts ? 'for good' : 'once'}`
}

/** A file in the folder of a command that tells all its processes that the clock was set. */
export const CLOCK_SET = 'clock-was-set'
