import { readFileSync } from 'node:fs'
import { targetFrom } from '../engine/configuration/resolve.ts'
import type { PreflightLine } from '../engine/report/report.ts'
import { sourceOf } from '../engine/yaml/source.ts'
import { typed } from './folders.ts'
import type { OpenedTarget } from './open-target.ts'

/**
 * What keeps every check from being judged, in the doctor's words, with the lines of the target file
 * that a mend is about. Nothing stands in the way of the reference bank.
 */
export async function obstaclesTo(opened: OpenedTarget): Promise<PreflightLine[]> {
  const { ours, document, base, file, memory } = opened
  if (ours) return []
  const { preflight } = await import('../engine/doctor/preflight.ts')
  return (await preflight(targetFrom(document, base), memory)).map((line) => {
    if (line.level !== 'wrong') return line
    const places = placesNamed(line.mend, file)
    return places ? { ...line, mend: `${line.mend} See ${places}.` } : line
  })
}

/** A member of a target file as our texts name it: `addresses.base_url`, `clients.first.clientId`. */
const MEMBER = /\b(?:addresses|clients|customers|overrides|trust|proxy|timeout|issuer)\b(?:\.\w+)*/g

/** Where the members that a text names stand in a target file: `staging/bank.yaml:3 (and lines 4, 5)`. */
function placesNamed(text: string, file: string): string | undefined {
  const { document, at } = sourceOf(file, readFileSync(file, 'utf8'))
  const lines = [...text.matchAll(MEMBER)].flatMap(([member]) => {
    const path = member.split('.')
    return document.hasIn(path) ? [at(path).line] : []
  })
  const [first, ...more] = [...new Set(lines)].sort((a, b) => a - b)
  if (first === undefined) return undefined
  const others = more.length > 1 ? `lines ${more.join(', ')}` : `line ${more[0]}`
  return `${typed(file)}:${first}${more.length > 0 ? ` (and ${others})` : ''}`
}
