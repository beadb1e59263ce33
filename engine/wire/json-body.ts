import { hash, randomUUID } from 'node:crypto'
import {
  BACKSLASH,
  CLOSING_ARRAY,
  COMMA,
  EITHER,
  OPENING_ARRAY,
  QUOTE,
} from '../record/json-bytes.ts'

/** Maximum nesting depth; RFC 8259 section 9 lets a parser set a limit. */
export const DEEPEST = 200

/**
 * A body as JSON that can be walked safely: not nested deeper than DEEPEST, and no lone surrogates in its strings,
 * which no URL can carry (RFC 8259 section 8.2); U+FFFD replaces them.
 *
 * @returns undefined if the body is not JSON, or nested deeper.
 */
export function jsonOf(body: Buffer, text: string): unknown {
  if (longestArray(body) === undefined) return undefined
  try {
    return parsed(text)
  } catch {
    return undefined
  }
}

/** @throws SyntaxError */
function parsed(text: string): unknown {
  const json: unknown = JSON.parse(text)
  return /\\u[dD][89a-fA-F]/.test(text) ? JSON.parse(text, wellFormed) : json
}

function wellFormed(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value
}

/** Minimum number of elements for an array to be searched for elements received before. */
const LONG = 32
/** Below this size in bytes an element is parsed faster than it is recognised. */
const SHORT = 64
/** Maximum depth at which such arrays are searched for: Data.Transaction is at 3. */
const DEPTH = 3

/** Placeholder for the long array while the rest is parsed. */
const PLACE = randomUUID()

/**
 * Like jsonOf, for a large body: an element of its longest array that equals an element of an earlier body, byte by
 * byte, becomes the same object. Such elements are not parsed again, and the body is never converted to one string.
 *
 * @param elements the elements parsed so far, by SHA-256; the function adds to it.
 */
export function sharedJsonOf(body: Buffer, elements: Map<string, object>): unknown {
  const marks = longestArray(body)
  if (marks === undefined) return undefined
  const [open, ...ends] = marks
  const close = ends.at(-1)
  try {
    if (open === undefined || close === undefined || close - open < ends.length * SHORT) {
      return parsed(body.toString('utf8'))
    }
    let start = open + 1
    const array = ends.map((end) => {
      const part = body.subarray(start, end)
      start = end + 1
      return element(part, elements)
    })
    const before = body.toString('utf8', 0, open)
    return withArray(parsed(`${before}"${PLACE}"${body.toString('utf8', close + 1)}`), array)
  } catch {
    return undefined
  }
}

/** @throws SyntaxError */
function element(part: Buffer, elements: Map<string, object>): unknown {
  const digest = hash('sha256', part, 'base64url')
  const known = elements.get(digest)
  if (known) return known
  const value = parsed(part.toString('utf8'))
  if (typeof value === 'object' && value !== null) elements.set(digest, value)
  return value
}

/** Puts the array in its place in the value; of two members with the same name the last counts, as in JSON.parse. */
function withArray(value: unknown, array: unknown[]): unknown {
  if (value === PLACE) return array
  if (typeof value !== 'object' || value === null) return value
  const members = value as Record<string, unknown>
  for (const [name, member] of Object.entries(members)) members[name] = withArray(member, array)
  return value
}

/**
 * Positions of the longest array that is not too deep: its opening bracket, the commas between its elements, and its
 * closing bracket; empty if no array is long. One pass that looks only at brackets, commas and quotes.
 *
 * @returns undefined if the body is nested deeper than DEEPEST.
 */
function longestArray(body: Buffer): number[] | undefined {
  let longest: number[] = []
  /** The positions of arrays that are still open, by depth. */
  const open: number[][] = []
  let depth = 0
  let inText = false
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] as number
    if (inText) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inText = false
    } else if (byte === QUOTE) inText = true
    else if ((byte & EITHER) === OPENING_ARRAY) {
      depth += 1
      if (depth > DEEPEST) return undefined
      if (depth <= DEPTH) open[depth] = byte === OPENING_ARRAY ? [at] : []
    } else if ((byte & EITHER) === CLOSING_ARRAY) {
      const marks = open[depth] ?? []
      depth -= 1
      const isArray = byte === CLOSING_ARRAY && body[marks[0] ?? -1] === OPENING_ARRAY
      if (!isArray || depth >= DEPTH || marks.length < Math.max(LONG, longest.length)) continue
      marks.push(at)
      longest = marks
    } else if (byte === COMMA && depth <= DEPTH) open[depth]?.push(at)
  }
  return longest
}
