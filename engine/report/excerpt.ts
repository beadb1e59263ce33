import { clip, visible } from './escape.ts'
import type { CheckResult, ExchangeRecord } from './report.ts'

/** Number of lines before and after the marked ones. */
const AROUND = 3
/** Maximum number of marked lines; the rest is left out. */
const MOST_MARKED = 16
/** Maximum number of characters per line. */
const WIDTH = 200
/** Maximum number of lines of one body; the rest is left out. */
const MOST_LINES = 50_000

/**
 * Lines of a body around the place of a finding; undefined if there is no such place. `from` is the number of the
 * first line in the displayed body, starting at 1.
 */
export function excerptOf({ place }: CheckResult, exchange: ExchangeRecord | undefined) {
  const body = exchange?.response?.body
  const lines = place === undefined || !body ? [] : jsonLines(body)
  const at = nearest(lines, place ?? '')
  if (at === undefined) return undefined
  const first = lines.findIndex(({ pointer }) => pointer === at)
  const next = lines.findIndex(
    ({ pointer }, i) => i > first && pointer !== at && !pointer.startsWith(`${at}/`),
  )
  const end = next < 0 ? lines.length : next
  // If the member itself is absent, only the first line of its parent is marked.
  const last = at === place ? Math.min(end, first + MOST_MARKED) - 1 : first
  const from = Math.max(0, first - AROUND)
  const shown = lines.slice(from, last + AROUND + 1)
  return {
    from: from + 1,
    lines: shown.map((line, i) => ({
      text: clip(visible(line.text), WIDTH),
      marked: from + i >= first && from + i <= last,
    })),
  }
}

/** The place itself, or its closest existing parent. */
function nearest(lines: JsonLine[], place: string): string | undefined {
  const there = new Set(lines.map(({ pointer }) => pointer))
  for (let at = place; ; at = at.slice(0, at.lastIndexOf('/'))) {
    if (there.has(at)) return at
    if (at === '') return undefined
  }
}

/** A line of pretty-printed JSON, and the JSON Pointer of its content. */
interface JsonLine {
  text: string
  pointer: string
}

/** JSON as lines; none when the text is not an array or object. */
function jsonLines(text: string): JsonLine[] {
  const lines: JsonLine[] = []
  const write = (value: unknown, pointer: string, start: string, indent: string, comma: string) => {
    if (lines.length > MOST_LINES) return
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
    const [open, close] = Array.isArray(value) ? '[]' : '{}'
    if (entries.length === 0) {
      lines.push({ text: `${start}${JSON.stringify(value)}${comma}`, pointer })
      return
    }
    lines.push({ text: `${start}${open}`, pointer })
    for (const [i, [key, inner]] of entries.entries()) {
      const name = Array.isArray(value) ? '' : `${JSON.stringify(key)}: `
      const member = `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      write(inner, member, `${indent}  ${name}`, `${indent}  `, i < entries.length - 1 ? ',' : '')
    }
    lines.push({ text: `${indent}${close}${comma}`, pointer })
  }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) write(value, '', '', '', '')
  } catch {
    // No JSON, no lines.
  }
  return lines
}

/** The excerpt as lines of plain text: a mark, the line number, the line. */
export function excerptLines(excerpt: ReturnType<typeof excerptOf>): string[] {
  const { from, lines } = excerpt ?? { from: 0, lines: [] }
  const digits = String(from + lines.length).length
  return lines.map(({ text, marked }, i) => {
    return `${marked ? '>' : ' '} ${String(from + i).padStart(digits)} ${text}`
  })
}
