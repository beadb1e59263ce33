/** Character encodings, by the names that TextDecoder uses. */

/** The encoding for a label; undefined for an unknown label. */
export function charsetOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

export function decodedFrom(body: Uint8Array, charset: string): string {
  const decoder = new TextDecoder(charset)
  // When it decodes in one piece, Node 20 uses windows-1252 for ISO 8859-1.
  return decoder.decode(body, { stream: true }) + decoder.decode()
}

/** Encodings in which a character may take several bytes. */
const SEVERAL_BYTES = /^(utf|gb|big5|euc|iso-2022|shift)/

/** Single-byte encodings that pages use. */
export const LEGACY: readonly string[] = [
  ...[2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15].map((part) => `iso-8859-${part}`),
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((page) => `windows-125${page}`),
  ...['windows-874', 'koi8-r', 'koi8-u', 'macintosh', 'x-mac-cyrillic', 'ibm866'],
]

/** By encoding: the byte of each of its characters. */
const tables = new Map<string, Map<string, number>>()

/**
 * The byte of each character of a single-byte encoding; undefined for other encodings, for which TextDecoder cannot be
 * inverted.
 */
export function singleBytes(charset: string): Map<string, number> | undefined {
  if (SEVERAL_BYTES.test(charset)) return undefined
  const known = tables.get(charset)
  if (known) return known
  const characters = decodedFrom(
    Uint8Array.from({ length: 256 }, (_, byte) => byte),
    charset,
  )
  const bytes = [...characters].map((character, byte) => [character, byte] as const)
  const table = new Map(bytes.filter(([character]) => character !== '\ufffd'))
  tables.set(charset, table)
  return table
}
