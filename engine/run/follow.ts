import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { JOURNAL, parsedLine } from './journal.ts'

/** What is known of a run that is under way, from what its judging process writes down. */
export interface Standing {
  /** Checks that are going to be judged; undefined until they are known. */
  total?: number
  requests: number
  /** What a person is waited for. */
  waiting?: string
}

/** Reads the folder of a run as it grows; each call of what it returns tells how the run stands. */
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

/** The whole lines that a file has gained since they were asked for last. */
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
        // A character that is cut in two only garbles words that nobody reads here.
        const parts = (rest + buffer.toString('utf8', 0, read)).split('\n')
        rest = parts.pop() ?? ''
        lines.push(...parts)
      }
    } finally {
      closeSync(descriptor)
    }
  }
}
