/**
 * C0 and C1 controls, invisible and bidirectional controls, noncharacters, lone surrogates; except tab and line feed.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/**
 * Text from a bank in a form that is safe to show: what a terminal or an XML parser would interpret, and what a reader
 * can't see, is spelled out (`\u001b`). Tab and line feed are kept.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE, spelled)
}

/** A character as its code: `\u001b`. */
export function spelled(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Like `visible`, on one line. */
export function oneLine(text: string): string {
  const shown = visible(text)
  if (!/[\n\t]/.test(shown)) return shown
  return shown.replace(/\s+/g, (space) =>
    space.includes('\n') ? ' ' : space.replaceAll('\t', ' '),
  )
}

/** About `max` characters of a text, on one line. It is cut first, because a megabyte is not worth escaping. */
export function brief(text: string, max: number): string {
  return oneLine(clip(text, max))
}

/** At most `max` characters of a text, with the number of omitted ones; never splits a surrogate pair. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  const end = /[\ud800-\udbff]/.test(text.charAt(max - 1)) ? max - 1 : max
  return `${text.slice(0, end)} … (${text.length - end} more characters)`
}

/** Text as XML or HTML content or attribute value; line feeds in attributes are preserved. */
export function escapeMarkup(text: string): string {
  return visible(text).replace(/[&<>"'\n\t]/g, (c) => `&#${c.charCodeAt(0)};`)
}

/** A number with thousands separators: 12,345. */
export function count(n: number): string {
  return n.toLocaleString('en-GB')
}

/** Quoted words of a document; for a table row its cells, without the table's delimiters. */
export function quoted(words: string): string {
  const row = /^\|(.*)\|$/.exec(words.trim())?.[1]
  if (row === undefined) return `“${words}”`
  const cells = row.split('|').map((cell) => cell.trim())
  return `“${cells.filter((cell) => cell !== '').join(' · ')}”`
}

/** `1 check`, `2 checks`. */
export function counted(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`
}

/** A duration for a reader: `340 ms`, `12.4 s`, `3 min 20 s`. */
export function span(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** Wraps a text between words into lines of at most `width` characters; all lines except the first are indented. */
export function wrapped(text: string, width: number, indent: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of oneLine(text).split(' ')) {
    let rest = word
    const start = () => (lines.length === 0 ? '' : indent)
    if (line !== '' && start().length + line.length + 1 + rest.length > width) {
      lines.push(start() + line)
      line = ''
    } else if (line !== '') {
      line += ` ${rest}`
      continue
    }
    // A word longer than a line is broken at the end of the line.
    while (start().length + rest.length > width) {
      const fits = Math.max(1, width - start().length)
      lines.push(start() + rest.slice(0, fits))
      rest = rest.slice(fits)
    }
    line = rest
  }
  return [...lines, (lines.length === 0 ? '' : indent) + line]
}
