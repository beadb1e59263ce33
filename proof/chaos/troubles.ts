import { drawnAt } from '../../engine/judge/cells.ts'

/** What happens to one kind of system call of a command, drawn from a seed. */
export interface Trouble {
  kind: 'write' | 'folder' | 'read' | 'spawn' | 'connect' | 'receive'
  /** The error that the call gives. */
  code: string
  /** Calls of that kind that succeed before. */
  after: number
  /** Whether all calls fail from then on, or one. */
  lasts: boolean
}

/** The errors of each kind, and about how many calls of it a run of some chapters makes. */
const KINDS: Record<Trouble['kind'], { codes: readonly string[]; calls: number }> = {
  write: { codes: ['ENOSPC', 'EIO', 'EDQUOT', 'EROFS', 'EFBIG'], calls: 400 },
  folder: { codes: ['EIO', 'EACCES', 'EROFS', 'EBUSY', 'ENOSPC'], calls: 12 },
  read: { codes: ['EIO', 'EACCES', 'EMFILE', 'ENFILE'], calls: 60 },
  spawn: { codes: ['EAGAIN', 'ENOMEM', 'EMFILE'], calls: 2 },
  connect: { codes: ['ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'], calls: 25 },
  receive: { codes: ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'], calls: 400 },
}

const NAMES = Object.keys(KINDS) as Trouble['kind'][]

/** The trouble of a seed: the same each time. Every sixth seed is of one kind. */
export function troubleOf(seed: number): Trouble {
  const kind = NAMES[seed % NAMES.length] as Trouble['kind']
  const { codes, calls } = KINDS[kind]
  return {
    kind,
    code: codes[Math.floor(drawnAt(seed, 'code') * codes.length)] ?? '',
    // Mostly early, where more is at stake.
    after: Math.floor(drawnAt(seed, 'after') ** 2 * calls),
    lasts: drawnAt(seed, 'lasts') < 1 / 2,
  }
}

/** `seed 12: write gives ENOSPC after 37 calls, for good`. */
export function wordsOf(seed: number): string {
  const { kind, code, after, lasts } = troubleOf(seed)
  return `seed ${seed}: ${kind} gives ${code} after ${after} calls, ${lasts ? 'for good' : 'once'}`
}
