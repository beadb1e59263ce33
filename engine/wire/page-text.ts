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
  const charset = isUtf8(body) ? undefined : pageCharset(body, type)
  return charset === undefined ? undefined : decodedFrom(body, charset)
}

/**
 * The encoding of a page, in which a browser also sends its forms; undefined for whatever is no page, and for one
 * that is UTF-8, whatever it says.
 *
 * @param type the value of its Content-Type
 */
export function pageCharset(body: Buffer, type: string): string | undefined {
  if (!/^\s*(text\/html|application\/xhtml\+xml)/i.test(type)) return undefined
  const isPlain = isAscii(body)
  if (!isPlain && isUtf8(body)) return undefined
  const declared = CHARSET.exec(type) ?? META.exec(body.toString('latin1', 0, PRESCAN))
  // XML is UTF-8 unless it says otherwise.
  if (!declared && isPlain && /xml/i.test(type)) return undefined
  return charsetOf(declared?.[1] ?? DEFAULT) ?? DEFAULT
}

const CHARSET = /charset\s*=\s*["']?([^\s"';]+)/i
const META = /<meta\b[^<>]*?charset\s*=\s*["']?([^\s"'/>]+)/i

/** What declares nothing, or what nobody knows, is read so by browsers. */
const DEFAULT = 'windows-1252'
