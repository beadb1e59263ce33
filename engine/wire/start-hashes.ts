import { SHORTEST } from './secret-encodings.ts'

/** Number of hashes: the first characters of a form, five bits apart. */
export const HASHES = 2 ** (5 * SHORTEST)

/** The hash of the last four characters after adding a character: older ones are shifted out. */
export function hashed(before: number, code: number): number {
  return ((before << 5) ^ code) & (HASHES - 1)
}

/** The hash of the first four characters. */
export function hashOf(start: string): number {
  let hash = 0
  for (let at = 0; at < SHORTEST; at += 1) hash = hashed(hash, start.charCodeAt(at))
  return hash
}

/** The hashes of every four consecutive characters. */
export function hashesOf(texts: readonly string[]): Uint32Array {
  const found = new Set<number>()
  for (const text of texts) {
    let hash = 0
    for (let at = 0; at < text.length; at += 1) {
      hash = hashed(hash, text.charCodeAt(at))
      if (at + 1 >= SHORTEST) found.add(hash)
    }
  }
  return Uint32Array.from(found)
}
