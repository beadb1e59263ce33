/** Maximum number of characters quoted from the bank. */
const MOST_WORDS = 160
/** Number of characters at the start of a page that are searched for words. */
const LOOKED_AT = 4096

/** The first words of a page or text, without markup, scripts and styles; empty if there are none. */
export function wordsOf(body: string): string {
  const shown = body
    .slice(0, LOOKED_AT)
    .replace(/<(script|style)\b[^<>]*>[\s\S]*?(?:<\/\1>|$)/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
  return once(shown.replace(/\s+/g, ' ').trim()).slice(0, MOST_WORDS)
}

/**
 * Words on a page that were not there when it was last shown, such as an error message beside a form; empty if none.
 */
export function wordsAdded(before: string, after: string): string {
  const [old, now] = [before, after].map((text) => text.trim().split(/\s+/)) as [string[], string[]]
  const start = now.findIndex((word, index) => word !== old[index])
  if (start < 0) return ''
  let end = 0
  while (end < now.length - start && end < old.length - start) {
    if (now.at(-1 - end) !== old.at(-1 - end)) break
    end += 1
  }
  const longest = added(old.slice(start, old.length - end), now.slice(start, now.length - end))
  return longest.join(' ').slice(0, MOST_WORDS)
}

/**
 * The longest run of new words: besides a message, a page may show the values filled in, after the labels of their
 * fields.
 */
function added(old: readonly string[], now: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const word of old) left.set(word, (left.get(word) ?? 0) + 1)
  let end = now.length
  let longest: readonly [from: number, to: number] = [0, 0]
  // From the end: a message stands before the labels and may contain the same words.
  for (let at = now.length - 1; at >= 0; at -= 1) {
    const word = now[at] ?? ''
    const times = left.get(word) ?? 0
    if (times > 0) {
      left.set(word, times - 1)
      end = at
    } else if (end - at > longest[1] - longest[0]) longest = [at, end]
  }
  return now.slice(...longest)
}

/** Removes the repetition where title and heading of a page are the same. */
export function once(words: string): string {
  const half = (words.length - 1) / 2
  const isTwice = words[half] === ' ' && words.slice(0, half) === words.slice(half + 1)
  return isTwice ? words.slice(0, half) : words
}
