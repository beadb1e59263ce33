/** Characters of the bank's own words that are quoted. */
const MOST_WORDS = 160
/** Characters of a page that are looked at for them. */
const LOOKED_AT = 4096

/** The first words of a page or a text, without markup, scripts and styles; empty where there are none. */
export function wordsOf(body: string): string {
  const shown = body
    .slice(0, LOOKED_AT)
    .replace(/<(script|style)\b[^<>]*>[\s\S]*?(?:<\/\1>|$)/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
  return shown.replace(/\s+/g, ' ').trim().slice(0, MOST_WORDS)
}
