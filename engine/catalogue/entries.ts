import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'

/** One mapping of a YAML list, with the place where it begins. */
export interface Entry {
  /** file:line:column */
  place: string
  value: Record<string, unknown>
}

export function problem(entry: Entry, text: string): string {
  return `${entry.place}: ${text}`
}

/**
 * The mappings of a YAML file that holds one list. Unknown keys are mistakes: a typo in `checks`
 * would otherwise leave a requirement unjudged. Mistakes are appended to `problems`.
 */
export function readEntries(file: string, keys: string[], problems: string[]): Entry[] {
  const lines = new LineCounter()
  const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines })
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${relative(process.cwd(), file)}:${line}:${col}`
  }
  for (const error of document.errors) {
    problems.push(`${place(error.pos[0])}: ${error.message.split('\n')[0]}`)
  }
  if (document.errors.length > 0) return []
  if (!isSeq(document.contents)) {
    problems.push(`${place(0)}: the file does not hold a list`)
    return []
  }
  const entries: Entry[] = []
  for (const item of document.contents.items) {
    if (!isMap(item)) {
      problems.push(`${place(0)}: a list entry is not a mapping`)
      continue
    }
    for (const { key } of item.items) {
      const name = isScalar(key) ? String(key.value) : String(key)
      if (keys.includes(name)) continue
      const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0
      problems.push(`${place(offset)}: unknown key ${name}; known are ${keys.join(', ')}`)
    }
    entries.push({ place: place(item.range?.[0] ?? 0), value: item.toJSON() })
  }
  return entries
}
