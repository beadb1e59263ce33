/** Encodings of text, by the names that TextDecoder has for them. */

/** The encoding that a label stands for; undefined for one that nobody knows. */
export function charsetOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

export function decodedFrom(body: Uint8Array, charset: string): string {
  const decoder = new TextDecoder(charset)
  // Decoded in one piece, Node 20 takes windows-1252 for ISO 8859-1.
  return decoder.decode(body, { stream: true }) + decoder.decode()
}

/** Those of which a character may take several bytes. */
const SEVERAL_BYTES = /^(utf|gb|big5|euc|iso-2022|shift)/

/** By encoding: the byte of each character that it has. */
const tables = new Map<string, Map<string, number>>()

/**
 * The byte of each character that an encoding of single bytes has; undefined for any other encoding, of which
 * TextDecoder can't be turned round.
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
