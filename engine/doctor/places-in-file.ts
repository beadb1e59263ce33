import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { PreflightLine, ReportedCause } from '../report/report.ts'
import { sourceOf } from '../yaml/source.ts'

/** What is wrong, with the lines of the target file that its fix is about. */
export function withPlaces<Line extends PreflightLine | ReportedCause>(
  line: Line,
  file: string,
): Line {
  const { mend } = line
  const places = mend === undefined ? undefined : placesNamed(mend, file)
  return places ? { ...line, mend: `${mend} See ${places}.` } : line
}

/** A member of a target file as our texts name it: `addresses.base_url`, `clients.first.clientId`. */
const MEMBER =
  /\b(?:addresses|authorisation(?=\.)|clients|customers|hooks|overrides|trust|proxy|timeout|issuer)\b(?:\.\w+)*/g

/** Where the members that a text names stand in a target file: `staging/bank.yaml:3 (and lines 4, 5)`. */
function placesNamed(text: string, file: string): string | undefined {
  const paths = [...text.matchAll(MEMBER)].map(([member]) => member.split('.'))
  // A long run may outlive the file.
  if (paths.length === 0 || !existsSync(file)) return undefined
  const { document, at } = sourceOf(file, readFileSync(file, 'utf8'))
  const named = paths.filter((path) => document.hasIn(path))
  // What is left out has no line: where it belongs has one.
  const around = paths.map((path) => path.slice(0, -1)).filter((path) => path.length > 1)
  const known = named.length > 0 ? named : around.filter((path) => document.hasIn(path))
  const lines = known.map((path) => at(path).line)
  const [first, ...more] = [...new Set(lines)].sort((a, b) => a - b)
  const others = more.length > 1 ? `lines ${more.join(', ')}` : `line ${more[0]}`
  const shown = relative(process.cwd(), file)
  const path = shown.startsWith('..') ? file : shown
  if (first === undefined) return /\bunder trust\b/.test(text) ? path : undefined
  return `${path}:${first}${more.length > 0 ? ` (and ${others})` : ''}`
}
