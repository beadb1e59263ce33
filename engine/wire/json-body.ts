/** Levels of nesting that are read; RFC 8259 section 9 lets a parser set a limit. */
export const DEEPEST = 200

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** [ and { differ by one bit, as do ] and }. */
const OPENING = 0x5b
const CLOSING = 0x5d
const EITHER = 0xdf

/**
 * A body as JSON, so that whatever walks it comes to an end: not nested deeper than DEEPEST, no half of
 * a surrogate pair in its texts, which no URL can carry (RFC 8259 section 8.2); U+FFFD stands for it.
 *
 * @returns undefined where the body is not JSON, or nested deeper.
 */
export function jsonOf(body: Buffer, text: string): unknown {
  if (nestsDeeper(body)) return undefined
  try {
    const json: unknown = JSON.parse(text)
    return /\\u[dD][89a-fA-F]/.test(text) ? JSON.parse(text, wellFormed) : json
  } catch {
    return undefined
  }
}

function wellFormed(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value
}

/** Counts brackets outside of texts, in one pass. */
export function nestsDeeper(body: Buffer): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] as number
    if (inText) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inText = false
    } else if (byte === QUOTE) inText = true
    else if ((byte & EITHER) === OPENING) {
      depth += 1
      if (depth > DEEPEST) return true
    } else if ((byte & EITHER) === CLOSING) depth -= 1
  }
  return false
}
