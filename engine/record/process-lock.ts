import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Takes a lock for this process: a file with its process id. A lock of a process that no longer runs is ignored.
 *
 * @returns a function that releases the lock, or the process that holds it.
 * @throws the error of the file system where the file cannot be made.
 */
export function takeLock(file: string): { release(): void } | { owner: number } {
  const release = () => rmSync(file, { force: true })
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 })
      return { release }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const held = contentOf(file)
    const owner = Number(held)
    if (owner > 0 && owner !== process.pid && isAlive(owner)) return { owner }
    if (held !== undefined) putAway(file, held)
  }
  throw new Error(`${file} changes hands again and again`)
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
  const aside = `${file}.${process.pid}`
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
