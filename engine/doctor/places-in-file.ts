import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { PreflightLine, ReportedCause } from '../report/report.ts'
import { THIS_ADDRESS } from '../report/whose.ts'
import { sourceOf } from '../yaml/source.ts'

/** The line with the places in the target file that its fix refers to. */
export function withPlaces<Line extends PreflightLine | ReportedCause>(
  line: Line,
  file: string,
): Line {
  const { mend } = line
  if (mend === undefined) return line
  const said = 'text' in line ? line.text : line.title
  const members = mend.includes(THIS_ADDRESS) ? addressesOf(said, file) : []
  const named = members.length > 0 ? mend.replace(THIS_ADDRESS, () => members.join(', ')) : mend
  const places = placesNamed(named, file)
  return places ? { ...line, mend: `${named} ${places}.` } : line
}

/** The members of a target file that contain the server address that a text names: `addresses.auth_url`. */
function addressesOf(text: string, file: string): string[] {
  const [origin] = /https?:\/\/[^\s/]+(?=: )/.exec(text) ?? []
  if (origin === undefined || !existsSync(file)) return []
  const { document } = sourceOf(file, readFileSync(file, 'utf8'))
  const { addresses } = (document.toJS() ?? {}) as { addresses?: Record<string, unknown> }
  return Object.entries(addresses ?? {})
    .filter(
      ([, address]) => URL.canParse(String(address)) && new URL(String(address)).origin === origin,
    )
    .map(([name]) => `addresses.${name}`)
}

/** A member of a target file as our texts name it: `addresses.base_url`, `clients.first.clientId`. */
const MEMBER =
  /\b(?:addresses|authorisation(?=\.)|clients|customers|hooks|overrides|trust|proxy|timeout|issuer)\b(?:\.\w+)*/g

/** Places of the members that a text names in a target file: `See staging/bank.yaml:5 (and lines 3, 4)`. */
function placesNamed(text: string, file: string): string | undefined {
  const paths = [...text.matchAll(MEMBER)].map(([member]) => member.split('.'))
  // The file may be deleted during a long run.
  if (paths.length === 0 || !existsSync(file)) return undefined
  const { document, at } = sourceOf(file, readFileSync(file, 'utf8'))
  const named = paths.filter((path) => document.hasIn(path))
  // A missing member has no line, but its parent has one.
  const around = paths.map((path) => path.slice(0, -1)).filter((path) => path.length > 1)
  const known = named.length > 0 ? named : around.filter((path) => document.hasIn(path))
  const lines = known.map((path) => at(path).line)
  const [first, ...more] = new Set(lines)
  const others = more.length > 1 ? `lines ${more.join(', ')}` : `line ${more[0]}`
  const shown = relative(process.cwd(), file)
  const path = shown.startsWith('..') ? file : shown
  if (first === undefined) return /\bunder trust\b/.test(text) ? `See ${path}` : undefined
  const see = named.length > 0 ? 'See' : 'It belongs below'
  return `${see} ${path}:${first}${more.length > 0 ? ` (and ${others})` : ''}`
}
