import type { Layer } from './layered-text.ts'

/**
 * A normalised text in which spellings that people and programs treat as equal are the same: lower case, no accents
 * however composed, one space for any white space (in forms, plus is one), no zero-width characters.
 */
export function folded(layer: Layer): Layer {
  const { text, from, to } = layer
  if (!MAYBE_UNEVEN.test(text)) return { text: ascii(text), from, to }
  const parts: string[] = []
  /** For characters that are not folded as plain ASCII: start, end and folded length. */
  const others: number[] = []
  let moved = false
  let at = 0
  for (const { 0: spelled, index } of text.matchAll(UNEVEN)) {
    parts.push(ascii(text.slice(at, index)))
    at = index + spelled.length
    const plain = foldedOnce(spelled)
    parts.push(plain)
    moved ||= plain.length !== spelled.length
    others.push(index, at, plain.length)
  }
  parts.push(ascii(text.slice(at)))
  const plain = parts.join('')
  return moved ? { text: plain, ...moves(layer, plain.length, others) } : { text: plain, from, to }
}

/** Consecutive spaces, terminal colours, and everything except plain ASCII. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: ESC begins a colour
const UNEVEN = /[\s+]{2,}|\x1b\[[0-9;]*[A-Za-z]|[^\x20-\x7e\t\r\n]/gu

/** Decides most texts at half the cost. */
const MAYBE_UNEVEN = /[^\x20-\x7e]|[\s+]{2}/

/** The original position of each character of a folded text, where folding changed lengths. */
function moves({ text, from, to }: Layer, length: number, others: number[]) {
  const begins = new Int32Array(length)
  const ends = new Int32Array(length)
  let put = 0
  const place = (start: number, end: number) => {
    begins[put] = from ? (from[start] as number) : start
    ends[put] = to ? (to[end - 1] as number) : end
    put += 1
  }
  let at = 0
  for (let index = 0; index < others.length; index += 3) {
    const [start = 0, end = 0, count = 0] = others.slice(index, index + 3)
    for (; at < start; at += 1) place(at, at + 1)
    for (let each = 0; each < count; each += 1) place(start, end)
    at = end
  }
  for (; at < text.length; at += 1) place(at, at + 1)
  return { from: begins, to: ends }
}

/** Like folded, for the text only. */
export function foldedText(text: string): string {
  return folded({ text }).text
}

function ascii(text: string): string {
  return text.toLowerCase().replace(/[+\t\r\n]/g, ' ')
}

const known = new Map<string, string>()

function foldedOnce(spelled: string): string {
  const before = known.get(spelled)
  if (before !== undefined) return before
  const plain = foldedOf(spelled)
  if (known.size < 10_000) known.set(spelled, plain)
  return plain
}

function foldedOf(spelled: string): string {
  if (/^[\s+]/.test(spelled)) return ' '
  if (spelled.startsWith('\u001b')) return ''
  return ascii(spelled.normalize('NFKD').replace(/[\p{M}\p{Cf}\p{Cc}]/gu, ''))
}
