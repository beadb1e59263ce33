import { readFileSync } from 'node:fs'
import { UsageError } from './usage.ts'

/** Files, sockets and modules that a run has open at once, and some to spare. */
const FEWEST = 256

/** @throws UsageError where this process may open too few files: a module that can't be opened looks like one that is not there */
export function requireOpenFiles(): void {
  const most = mostOpenFiles()
  if (most >= FEWEST) return
  throw new UsageError(
    `this process may open ${most} files at once, and needs ${FEWEST}: raise the limit, ulimit -n 1024`,
  )
}

/** The limit of this process, of which Node has raised the soft one to the hard one; Linux alone tells it. */
function mostOpenFiles(): number {
  try {
    const [, soft] =
      /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
