import { isAscii, isUtf8 } from 'node:buffer'
import { charsetOf, decodedFrom } from './charsets.ts'

/** Number of bytes of a page in which a browser searches for the declared encoding (HTML 13.2.3.2). */
const PRESCAN = 1024

/**
 * The text of a page that is not UTF-8, decoded by its declared encoding, as a browser reads it; undefined for anything
 * that is not a page, and for a page in UTF-8.
 *
 * @param type the value of its Content-Type
 */
export function pageText(body: Buffer, type: string): string | undefined {
  const charset = pageCharset(body, type)
  // ASCII letters in UTF-16, and the zeros between them, are valid UTF-8 as well.
  if (charset === undefined || (isUtf8(body) && !isUtf16(charset))) return undefined
  return decodedFrom(body, charset)
}

/**
 * The encoding of a page, in which a browser also sends its forms; undefined for anything that is not a page, and for a
 * page in UTF-8, whatever it declares.
 *
 * @param type the value of its Content-Type
 */
export function pageCharset(body: Buffer, type: string): string | undefined {
  if (!/^\s*(text\/html|application\/xhtml\+xml)/i.test(type)) return undefined
  const [told] = CHARSET.exec(type)?.slice(1).map(charsetOf) ?? []
  // "BOM sniffing" comes before any declaration.
  const marked = MARKS.find(({ mark }) => body.subarray(0, 2).equals(mark))?.charset
  if (marked || isUtf16(told)) return marked ?? told
  const isPlain = isAscii(body)
  if (!isPlain && isUtf8(body)) return undefined
  const declared = CHARSET.exec(type) ?? META.exec(body.toString('latin1', 0, PRESCAN))
  // XML is UTF-8 unless it declares another encoding.
  if (!declared && isPlain && /xml/i.test(type)) return undefined
  const charset = charsetOf(declared?.[1] ?? DEFAULT) ?? DEFAULT
  // If this declaration can be read as single bytes, the page is in UTF-8.
  return isUtf16(charset) ? undefined : charset
}

const isUtf16 = (charset: string | undefined) => charset?.startsWith('utf-16') === true

/** The byte order marks of UTF-16. The mark of UTF-8 is valid UTF-8. */
const MARKS = [
  { mark: Buffer.from([0xff, 0xfe]), charset: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), charset: 'utf-16be' },
]

const CHARSET = /charset\s*=\s*["']?([^\s"';]+)/i
const META = /<meta\b[^<>]*?charset\s*=\s*["']?([^\s"'/>]+)/i

/** What browsers use where no known encoding is declared. */
const DEFAULT = 'windows-1252'
