import { isAscii, isUtf8 } from 'node:buffer'
import { charsetOf, decodedFrom } from './charsets.ts'

/** Bytes of a page in which a browser looks for the encoding that it declares (HTML 13.2.3.2). */
const PRESCAN = 1024

/**
 * The text of a page that is not UTF-8, by the encoding that it declares, as a browser reads it; undefined for
 * whatever is no page, and for one that is UTF-8.
 *
 * @param type the value of its Content-Type
 */
export function pageText(body: Buffer, type: string): string | undefined {
  const charset = pageCharset(body, type)
  // The letters of ASCII in UTF-16, and the zeros between them, are UTF-8 as well.
  if (charset === undefined || (isUtf8(body) && !isUtf16(charset))) return undefined
  return decodedFrom(body, charset)
}

/**
 * The encoding of a page, in which a browser also sends its forms; undefined for whatever is no page, and for one
 * that is UTF-8, whatever it says.
 *
 * @param type the value of its Content-Type
 */
export function pageCharset(body: Buffer, type: string): string | undefined {
  if (!/^\s*(text\/html|application\/xhtml\+xml)/i.test(type)) return undefined
  const [told] = CHARSET.exec(type)?.slice(1).map(charsetOf) ?? []
  // "BOM sniffing" comes before whatever is declared.
  const marked = MARKS.find(({ mark }) => body.subarray(0, 2).equals(mark))?.charset
  if (marked || isUtf16(told)) return marked ?? told
  const isPlain = isAscii(body)
  if (!isPlain && isUtf8(body)) return undefined
  const declared = CHARSET.exec(type) ?? META.exec(body.toString('latin1', 0, PRESCAN))
  // XML is UTF-8 unless it says otherwise.
  if (!declared && isPlain && /xml/i.test(type)) return undefined
  const charset = charsetOf(declared?.[1] ?? DEFAULT) ?? DEFAULT
  // Where this can be read letter by letter, it is UTF-8.
  return isUtf16(charset) ? undefined : charset
}

const isUtf16 = (charset: string | undefined) => charset?.startsWith('utf-16') === true

/** The byte order marks of UTF-16: that of UTF-8 is UTF-8. */
const MARKS = [
  { mark: Buffer.from([0xff, 0xfe]), charset: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), charset: 'utf-16be' },
]

const CHARSET = /charset\s*=\s*["']?([^\s"';]+)/i
const META = /<meta\b[^<>]*?charset\s*=\s*["']?([^\s"'/>]+)/i

/** What declares nothing, or what nobody knows, is read so by browsers. */
const DEFAULT = 'windows-1252'
