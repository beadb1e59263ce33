import { isUtf8 } from 'node:buffer'

/** Bytes of a page in which a browser looks for the encoding that it declares (HTML 13.2.3.2). */
const PRESCAN = 1024

/**
 * The text of a page that is not UTF-8, by the encoding that it declares, as a browser reads it; undefined for
 * whatever is no page, and for one that is UTF-8.
 *
 * @param type the value of its Content-Type
 */
export function pageText(body: Buffer, type: string): string | undefined {
  if (!/^\s*(text\/html|application\/xhtml\+xml)/i.test(type) || isUtf8(body)) return undefined
  const declared = CHARSET.exec(type) ?? META.exec(body.toString('latin1', 0, PRESCAN))
  return decoderOf(declared?.[1]).decode(body)
}

const CHARSET = /charset\s*=\s*["']?([^\s"';]+)/i
const META = /<meta\b[^>]*charset\s*=\s*["']?([^\s"'/>]+)/i

/** What declares nothing, or what nobody knows, is read so by browsers. */
const DEFAULT = 'windows-1252'

function decoderOf(label = DEFAULT) {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder(DEFAULT)
  }
}
