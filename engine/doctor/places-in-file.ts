import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { PreflightLine } from '../report/report.ts'
import { sourceOf } from '../yaml/source.ts'

/** What is wrong, with the lines of the target file that its mend is about. */
export function withPlaces(line: PreflightLine, file: string): PreflightLine {
  const { mend } = line
  const places = mend === undefined ? undefined : placesNamed(mend, file)
  return places ? { ...line, mend: `${mend} See ${places}.` } : line
}

/** A member of a target file as our texts name it: `addresses.base_url`, `clients.first.clientId`. */
const MEMBER = /\b(?:addresses|clients|customers|overrides|trust|proxy|timeout|issuer)\b(?:\.\w+)*/g

/** Where the members that a text names stand in a target file: `staging/bank.yaml:3 (and lines 4, 5)`. */
function placesNamed(text: string, file: string): string | undefined {
  const { document, at } = sourceOf(file, readFileSync(file, 'utf8'))
  const members = [...text.matchAll(MEMBER)]
  const lines = members.flatMap(([member]) => {
    const path = member.split('.')
    return document.hasIn(path) ? [at(path).line] : []
  })
  const [first, ...more] = [...new Set(lines)].sort((a, b) => a - b)
  const others = more.length > 1 ? `lines ${more.join(', ')}` : `line ${more[0]}`
  const shown = relative(process.cwd(), file)
  const path = shown.startsWith('..') ? file : shown
  // What is left out has no line.
  if (first === undefined) return /\bunder trust\b/.test(text) ? path : undefined
  return `${path}:${first}${more.length > 0 ? ` (and ${others})` : ''}`
}
