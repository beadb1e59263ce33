/** Alphabets from which texts are drawn, with their sizes, the smallest first. */
const ALPHABETS: [RegExp, number][] = [
  [/^\d*$/, 10],
  [/^(?:[\da-f]*|[\dA-F]*)$/, 16],
  [/^(?:[\da-z]*|[\dA-Z]*)$/, 36],
  [/^[\da-zA-Z]*$/, 62],
]

/** In how many places texts of one length differ, and how many bits these places hold. */
export function roomOf(texts: string[]): { characters: number; bits: number } {
  const [first = ''] = texts
  const places = [...first.split('').keys()]
    .map((at) => new Set(texts.map((text) => text[at])))
    .filter(({ size }) => size > 1)
  const used = places.flatMap((place) => [...place]).join('')
  const [, size] = ALPHABETS.find(([pattern]) => pattern.test(used)) ?? [undefined, 95]
  return { characters: places.length, bits: places.length * Math.log2(size) }
}
