import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { JOURNAL, parsedLine } from './journal.ts'

/** The state of a running run, according to what its judging process records. */
export interface Standing {
  /** Number of checks to be judged; undefined until it is known. */
  total?: number
  requests: number
  /** What the run waits for a person to do. */
  waiting?: string
}

/** Reads the folder of a run as it grows; each call of the returned function gives the current state. */
export function follow(folder: string): () => Standing {
  const journal = growing(join(folder, JOURNAL))
  const exchanges = growing(join(folder, 'exchanges.jsonl'))
  const standing: Standing = { requests: 0 }
  return () => {
    standing.requests += exchanges().length
    for (const text of journal()) {
      const line = parsedLine(text)
      if (line?.kind === 'start') standing.total = line.checks.length
      if (line?.kind === 'waiting') standing.waiting = line.for
    }
    return { ...standing }
  }
}

const CHUNK = 256 * 1024

/** The complete lines that were added to a file since the last call. */
function growing(file: string): () => string[] {
  const buffer = Buffer.alloc(CHUNK)
  let at = 0
  let rest = ''
  return () => {
    if (!existsSync(file)) return []
    const descriptor = openSync(file, 'r')
    const lines: string[] = []
    try {
      for (;;) {
        const read = readSync(descriptor, buffer, 0, CHUNK, at)
        if (read === 0) return lines
        at += read
        // A character cut in two only garbles words that are not used here.
        const parts = (rest + buffer.toString('utf8', 0, read)).split('\n')
        rest = parts.pop() ?? ''
        lines.push(...parts)
      }
    } finally {
      closeSync(descriptor)
    }
  }
}
