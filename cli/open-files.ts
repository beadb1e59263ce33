import { readFileSync } from 'node:fs'
import { UsageError } from './usage.ts'

/** Enough for the files, sockets and modules that a run has open at once. */
const FEWEST = 256

/** @throws UsageError when the limit of open files is too low: then a module seems to be missing */
export function requireOpenFiles(): void {
  const most = mostOpenFiles()
  if (most >= FEWEST) return
  throw new UsageError(
    `this process may open ${most} files at once, and needs ${FEWEST}: raise the limit, ulimit -n 1024`,
  )
}

/** The limit of this process; Node raises the soft limit to the hard one. Only Linux shows it. */
function mostOpenFiles(): number {
  try {
    const [, soft] =
      /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
