import { parseFragment } from 'parse5'

/** A text after removing escapes, and the original position of each of its characters. */
export interface Layer {
  text: string
  /** Original start and end of the character at an index; absent if they are the same. */
  from?: Int32Array
  to?: Int32Array
}

/** Maximum number of nested escapings: JSON in a form in JSON in a page. */
const MOST_LAYERS = 8

/**
 * The text itself, then the result of each round of removing the escapes of JSON (and of scripts), of HTML and of URLs,
 * as long as there are any.
 */
export function layersOf(text: string): Layer[] {
  const top: Layer = { text }
  if (!/[\\%&]/.test(text)) return [top]
  const kinds = [BACKSLASHED, PERCENT, ENTITY].filter((kind) => text.search(kind) >= 0)
  if (kinds.length === 0) return [top]
  const all = [top, ...below(top, ESCAPE)]
  // What looks like an escape may not be one: a backslash in a path, a percent sign in a password.
  if (kinds.length === 1 && kinds[0] !== BACKSLASHED) return all
  const others = kinds.length === 3 ? [...SINGLE, ...PAIRS] : SINGLE
  return [...all, ...others.flatMap((kind) => below(top, kind))]
}

function below(top: Layer, escapes: RegExp): Layer[] {
  const layers: Layer[] = []
  for (let next = unescaped(top, escapes); next && layers.length < MOST_LAYERS; ) {
    layers.push(next)
    next = unescaped(next, escapes)
  }
  return layers
}

/** \u00e9 of JSON, \u{e9} and \xe9 of scripts, \U000000e9 of Python, \303\251 of C and of logs. */
const BACKSLASHED =
  /\\u\{[0-9a-fA-F]{1,6}\}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\x[0-9a-fA-F]{2}|\\[0-3][0-7]{2}|\\["'\\/bfnrt]/g
/** ASP writes %u00e9. */
const PERCENT = /(?:%[0-9a-fA-F]{2})+|%u[0-9a-fA-F]{4}/g
const ENTITY =
  /&#[xX][0-9a-fA-F]{1,6};?|&#[0-9]{1,7};?|&[A-Za-z]{2,24};|&(?:[AEIOUYaeiouy](?:acute|grave|circ|uml|slash)|[ANOano]tilde|[Aa]ring|[Cc]cedil|szlig|AElig|aelig|amp|lt|gt|quot|nbsp|shy)/g
const SINGLE = [BACKSLASHED, PERCENT, ENTITY]
const either = (kinds: RegExp[]) => new RegExp(kinds.map(({ source }) => source).join('|'), 'g')
const PAIRS = SINGLE.map((left) => either(SINGLE.filter((kind) => kind !== left)))
const ESCAPE = either(SINGLE)

/**
 * The text with these escapes replaced by what they represent; undefined if there are none.
 *
 * @param meaning what an escape represents: the escape itself if it is not one, and never longer than it; undefined
 *   for bytes of UTF-8, each a sign and two hexadecimal digits.
 */
export function unescaped(
  { text, from, to }: Layer,
  escapes: RegExp,
  meaning: (spelled: string) => string | undefined = meant,
): Layer | undefined {
  if (meaning === meant && !/[\\%&]/.test(text)) return undefined
  const parts: string[] = []
  const begins = new Int32Array(text.length)
  const ends = new Int32Array(text.length)
  let length = 0
  let copied = 0
  let found = false
  const put = (piece: string, start: number, end: number) => {
    parts.push(piece)
    begins.fill(from ? (from[start] as number) : start, length, length + piece.length)
    ends.fill(to ? (to[end - 1] as number) : end, length, length + piece.length)
    length += piece.length
  }
  const copy = (start: number, end: number) => {
    if (start === end) return
    parts.push(text.slice(start, end))
    for (let at = start; at < end; at += 1) {
      begins[length] = from ? (from[at] as number) : at
      ends[length] = to ? (to[at] as number) : at + 1
      length += 1
    }
  }
  for (const match of text.matchAll(escapes)) {
    const [spelled] = match
    const plain = meaning(spelled)
    if (plain === spelled) continue
    found = true
    copy(copied, match.index)
    copied = match.index + spelled.length
    if (plain !== undefined) put(plain, match.index, copied)
    else
      for (const { character, start, end } of percentDecoded(
        spelled,
        ENDS.test(text.slice(copied, copied + 3)),
      )) {
        put(character, match.index + start, match.index + end)
      }
  }
  if (!found) return undefined
  copy(copied, text.length)
  return { text: parts.join(''), from: begins, to: ends }
}

const meant = (spelled: string) => (/^%[^u]/.test(spelled) ? undefined : plainOf(spelled))

/** Nothing, or a truncated escape. */
const ENDS = /^(?:%[0-9a-fA-F]?)?$/

const SHORT: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** What an escape of JSON or HTML represents; the escape itself if it is not one. Never longer than the escape. */
function plainOf(spelled: string): string {
  if (/^[\\%]/.test(spelled)) {
    if (spelled.length === 2) return SHORT[spelled.charAt(1)] ?? spelled.charAt(1)
    if (/^\\[0-3]/.test(spelled)) return String.fromCharCode(Number.parseInt(spelled.slice(1), 8))
    return character(Number.parseInt(spelled.slice(2).replace(/[{}]/g, ''), 16)) ?? spelled
  }
  if (spelled.startsWith('&#')) {
    const hex = /^&#x/i.test(spelled)
    const code = Number.parseInt(spelled.slice(hex ? 3 : 2), hex ? 16 : 10)
    return character(code) ?? spelled
  }
  return named(spelled)
}

function character(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

const names = new Map<string, string>()

function named(entity: string): string {
  const known = names.get(entity)
  if (known !== undefined) return known
  const [node] = parseFragment(entity).childNodes
  const plain = node && 'value' in node ? node.value : entity
  if (names.size < 3000) names.set(entity, plain)
  return plain
}

/**
 * Decodes bytes as UTF-8, and one by one where they are not UTF-8.
 *
 * @param last nothing follows: an incomplete character at the end was cut.
 */
function* percentDecoded(escapes: string, last: boolean) {
  const bytes = Buffer.from(escapes.replace(/[%=\\]/g, ''), 'hex')
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] as number
    const length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 1
    const one = bytes.subarray(at, at + length)
    const text = one.toString('utf8')
    const whole = one.length === length && !text.includes('\ufffd')
    const cut = last && one.length < length
    const taken = whole ? length : cut ? one.length : 1
    const plain = whole ? text : cut ? '\ufffd' : String.fromCharCode(first)
    yield { character: plain, start: at * 3, end: (at + taken) * 3 }
    at += taken
  }
}

/** A range of a text and its replacement. */
export interface Hit {
  start: number
  end: number
  pseudonym: string
}

/** Converts a range of a layer to a range of the original text. */
export function placed({ from, to }: Layer, at: number, end: number, pseudonym: string): Hit {
  return {
    start: from ? (from[at] as number) : at,
    end: to ? (to[end - 1] as number) : end,
    pseudonym,
  }
}

/** Replaces these ranges of the text; overlapping ranges are merged. */
export function withHits(text: string, hits: Hit[]): string {
  if (hits.length === 0) return text
  let result = ''
  let copied = 0
  for (const { start, end, pseudonym } of apart(hits)) {
    result += text.slice(copied, start) + pseudonym
    copied = end
  }
  return result + text.slice(copied)
}

/** Sorts ranges by position, longer ones first, and merges overlapping ones. */
function apart(hits: Hit[]): Hit[] {
  const result: Hit[] = []
  for (const hit of hits.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1)
    if (!last || hit.start >= last.end) result.push({ ...hit })
    else last.end = Math.max(last.end, hit.end)
  }
  return result
}
