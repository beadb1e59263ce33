import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { WireResponse } from './exchange.ts'
import { jsonOf, sharedJsonOf } from './json-body.ts'
import { pageCharset, pageText } from './page-text.ts'
import { repeatedName } from './repeated-names.ts'

/** Maximum size, in bytes, of a body that is kept whole as text. */
const WHOLE = 64 * 1024
/** Number of bytes of a larger body that are kept as text: more than a report shows. */
const BEGINNING = 48 * 1024

/**
 * The bodies of one run. Saves memory and time, because a run requests the same data many times: an answer that equals
 * an earlier one byte by byte is parsed once, and equal elements of long arrays share one object. So code that reads
 * bodies must not change them. Of a large JSON body only the beginning is kept as text; a body that is not JSON is kept
 * whole.
 */
export function createBodies() {
  /** Parsed bodies by SHA-256, as long as something refers to them. */
  const known = new Map<string, WeakRef<object>>()
  const texts = new WeakMap<object, string>()
  const elements = new Map<string, object>()
  /** Repeated member names, by body. */
  const repeated = new WeakMap<object, string>()

  return {
    /**
     * The parts of a body that an exchange keeps.
     *
     * @param body after content decoding.
     * @param type its Content-Type, which decides how a page is read.
     */
    keep(
      body: Buffer,
      type = '',
    ): Pick<
      WireResponse,
      'body' | 'bytes' | 'json' | 'digest' | 'notUtf8' | 'charset' | 'repeated'
    > {
      const charset = pageCharset(body, type)
      const page = pageText(body, type)
      if (page !== undefined) return { body: page, bytes: body.length, charset }
      const sha256 = hash('sha256', body, 'hex')
      const large = body.length > WHOLE
      const told = {
        bytes: body.length,
        ...(large && { digest: sha256 }),
        ...(!isUtf8(body) && { notUtf8: true as const }),
      }
      const kept = (json: object) => {
        const name = repeated.get(json)
        const twice = name !== undefined && { repeated: name }
        return { ...told, body: texts.get(json) ?? '', json, ...twice }
      }
      const same = known.get(sha256)?.deref()
      if (same) return kept(same)
      const text = body.toString('utf8', 0, large ? BEGINNING : body.length)
      const json = large ? sharedJsonOf(body, elements) : jsonOf(body, text)
      if (typeof json === 'object' && json !== null) {
        known.set(sha256, new WeakRef(json))
        texts.set(json, text)
        const name = repeatedName(body, json)
        if (name !== undefined) repeated.set(json, name)
        return kept(json)
      }
      const whole = large ? body.toString('utf8') : text
      return {
        body: whole,
        bytes: body.length,
        ...(charset && { charset }),
        ...(json !== undefined && { json }),
      }
    },
  }
}
