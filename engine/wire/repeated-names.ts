import {
  BACKSLASH,
  CLOSING_ARRAY,
  CLOSING_OBJECT,
  COLON,
  COMMA,
  OPENING_ARRAY,
  OPENING_OBJECT,
  QUOTE,
} from '../record/json-bytes.ts'

/**
 * Finds a name that occurs twice in one object: “The names within an object SHOULD be unique” (RFC 8259 section 4).
 * Parsers differ in which of the two counts.
 */

/** Remembered member counts of objects that bodies share, unless counting again is as fast. */
const counted = new WeakMap<object, number>()
const WORTH_KEEPING = 4

/**
 * Where such a name is, as a JSON pointer.
 *
 * @param body JSON, of which `json` is the value.
 */
export function repeatedName(body: Buffer, json: unknown): string | undefined {
  return colonsIn(body) === membersOf(json) ? undefined : place(body)
}

/** Counts the colons outside strings: each member has one. */
function colonsIn(body: Buffer): number {
  let colons = 0
  let inText = false
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]
    if (inText) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inText = false
    } else if (byte === QUOTE) inText = true
    else if (byte === COLON) colons += 1
  }
  return colons
}

/** Recursion is safe: the parser has limited the depth of the body. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const known = counted.get(value)
  if (known !== undefined) return known
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
  const own = Array.isArray(value) ? 0 : inner.length
  const sum = inner.reduce((total: number, one) => total + membersOf(one), own)
  if (inner.length >= WORTH_KEEPING) counted.set(value, sum)
  return sum
}

/** An object or array that has not ended yet. */
interface Open {
  pointer: string
  /** Names found so far; only for an object. */
  names?: Set<string>
  /** Name or index of the next value. */
  at: string | number
}

function place(body: Buffer): string | undefined {
  const open: Open[] = []
  let text: string | undefined
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]
    const inner = open.at(-1)
    if (byte === QUOTE) {
      const end = endOfText(body, at)
      text = JSON.parse(body.toString('utf8', at, end + 1)) as string
      at = end
    } else if (byte === COLON && inner?.names && text !== undefined) {
      inner.at = text
      if (inner.names.has(text)) return pointerIn(inner)
      inner.names.add(text)
    } else if (byte === COMMA && inner && !inner.names) {
      inner.at = Number(inner.at) + 1
    } else if (byte === OPENING_OBJECT || byte === OPENING_ARRAY) {
      const isObject = byte === OPENING_OBJECT
      open.push({
        pointer: inner ? pointerIn(inner) : '',
        at: isObject ? '' : 0,
        ...(isObject && { names: new Set<string>() }),
      })
    } else if (byte === CLOSING_OBJECT || byte === CLOSING_ARRAY) open.pop()
  }
  return undefined
}

function endOfText(body: Buffer, start: number): number {
  let at = start + 1
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1
  return at
}

function pointerIn({ pointer, at }: Open): string {
  return `${pointer}/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`
}
