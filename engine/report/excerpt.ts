import { clip, visible } from './escape.ts'
import { jsonLines } from './json-lines.ts'
import type { CheckResult, ExchangeRecord } from './report.ts'

/** Lines of a body around the place that a finding is about. */
export interface Excerpt {
  /** Number of the first line in the body as it is shown, from 1. */
  from: number
  lines: { text: string; marked: boolean }[]
}

/** Lines before and after what is marked. */
const AROUND = 3
/** Lines of one row that are marked; the rest is left out. */
const MOST_MARKED = 16
/** Characters of one line. */
const WIDTH = 200

/** The place of a finding in the body of its exchange; undefined where there is no such place. */
export function excerptOf(
  check: Pick<CheckResult, 'place'>,
  exchange: Pick<ExchangeRecord, 'response'> | undefined,
): Excerpt | undefined {
  const { place } = check
  const body = exchange?.response?.body
  if (place === undefined || !body) return undefined
  const lines = jsonLines(body)
  if (!lines) return undefined
  const at = nearest(lines, place)
  if (at === undefined) return undefined
  const within = ({ pointer }: { pointer: string }) =>
    at === place ? pointer === at || pointer.startsWith(`${at}/`) : pointer === at
  const first = lines.findIndex(within)
  let last = first
  while (last + 1 < lines.length && within(lines[last + 1] as { pointer: string })) last += 1
  // Where the member itself is not there, what should hold it begins here.
  if (at !== place) last = first
  last = Math.min(last, first + MOST_MARKED - 1)
  const from = Math.max(0, first - AROUND)
  const shown = lines.slice(from, Math.min(lines.length, last + AROUND + 1))
  return {
    from: from + 1,
    lines: shown.map((line, i) => ({
      text: clip(visible(line.text), WIDTH),
      marked: from + i >= first && from + i <= last,
    })),
  }
}

/** The place itself, or the nearest thing around it that is there. */
function nearest(lines: { pointer: string }[], place: string): string | undefined {
  const there = new Set(lines.map(({ pointer }) => pointer))
  for (let at = place; ; at = at.slice(0, at.lastIndexOf('/'))) {
    if (there.has(at)) return at
    if (at === '') return undefined
  }
}

/** As lines of plain text: a mark, the number of the line, the line. */
export function excerptLines({ from, lines }: Excerpt): string[] {
  const digits = String(from + lines.length).length
  return lines.map(({ text, marked }, i) => {
    return `${marked ? '>' : ' '} ${String(from + i).padStart(digits)} ${text}`
  })
}
