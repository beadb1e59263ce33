import { randomUUID } from 'node:crypto'
import {
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { now } from './clock.ts'
import { every } from './every.ts'

/** Who holds a lock; with a host if it is not this one: a container has its own name, and its processes begin at 1. */
export interface Holder {
  owner: number
  host?: string
}

/**
 * Takes a lock for this process: a file with its process id and the name of its host. A lock of a process that no longer
 * runs is ignored. Of another host only the time of the file tells that: while a lock is held, it is kept new.
 *
 * @returns a function that releases the lock, or the process that holds it.
 * @throws the error of the file system where the file cannot be made.
 */
export function takeLock(file: string): { release(): void } | Holder {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    try {
      writeFileSync(file, `${process.pid} ${hostname()}`, { flag: 'wx', mode: 0o600 })
      return held(file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const content = contentOf(file)
    const holder = content === undefined ? undefined : holderIn(content, file)
    if (holder) return holder
    if (content !== undefined) putAway(file, content)
  }
  throw new Error(`${file} changes hands again and again`)
}

/** Milliseconds between two renewals, and the age from which a lock of another host is one of a process that is gone. */
const RENEWAL = 10_000
const STALE = 60_000

function held(file: string): { release(): void } {
  const renew = () => utimesSync(file, now() / 1000, now() / 1000)
  const timer = every(RENEWAL, renew).unref()
  return {
    release() {
      clearInterval(timer)
      rmSync(file, { force: true })
    },
  }
}

/** Undefined if the process that wrote this is gone. */
function holderIn(content: string, file: string): Holder | undefined {
  const [id, host = hostname()] = content.split(' ')
  const owner = Number(id)
  if (!(owner > 0)) return undefined
  if (host === hostname()) return owner !== process.pid && isAlive(owner) ? { owner } : undefined
  const since = ifThere(() => statSync(file).mtimeMs) ?? 0
  return Math.abs(now() - since) < STALE ? { owner, host } : undefined
}

const MOST_ATTEMPTS = 20

/** The result of an action on a file that may disappear meanwhile; undefined if it is gone. */
function ifThere<Result>(act: () => Result): Result | undefined {
  try {
    return act()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const contentOf = (file: string) => ifThere(() => readFileSync(file, 'utf8'))

/** Removes a stale lock, but not a new one that another process took meanwhile. */
function putAway(file: string, held: string): void {
  const aside = `${file}.${randomUUID()}`
  ifThere(() => {
    renameSync(file, aside)
    if (contentOf(aside) !== held && !existsSync(file)) renameSync(aside, file)
    else rmSync(aside, { force: true })
  })
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
