/** The word of a list that was probably meant; undefined if none is similar. */
export function nearest(word: string, words: string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[_-]/g, '')
  const allowed = Math.max(1, Math.floor(word.length / 3))
  const [best] = words
    .map((known) => ({ known, apart: distance(plain(word), plain(known)) }))
    .sort((a, b) => a.apart - b.apart)
  return best && best.apart <= allowed ? best.known : undefined
}

/** Insertions, deletions, replacements and exchanges of neighbours between two words (optimal string alignment). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  let above: number[] = []
  for (const [i, a] of [...from].entries()) {
    const next = [i + 1]
    for (const [j, b] of [...to].entries()) {
      const replaced = (row[j] ?? 0) + (a === b ? 0 : 1)
      const isExchange = a === to[j - 1] && from[i - 1] === b
      const exchanged = isExchange ? (above[j - 1] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, exchanged, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    above = row
    row = next
  }
  return row.at(-1) ?? 0
}
