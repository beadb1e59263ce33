import type { Layer } from './layered-text.ts'

/** A place in a text, and what is put there. */
export interface Hit {
  start: number
  end: number
  pseudonym: string
}

/** A place in a layer, as one of the original text. */
export function placed({ from, to }: Layer, at: number, end: number, pseudonym: string): Hit {
  return {
    start: from ? (from[at] as number) : at,
    end: to ? (to[end - 1] as number) : end,
    pseudonym,
  }
}

/** The text with something else at these places; those that overlap become one. */
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

/** In order, the longer before what begins with it. */
function apart(hits: Hit[]): Hit[] {
  const result: Hit[] = []
  for (const hit of hits.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1)
    if (!last || hit.start >= last.end) result.push({ ...hit })
    else last.end = Math.max(last.end, hit.end)
  }
  return result
}
