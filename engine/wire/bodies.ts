import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { WireResponse } from './exchange.ts'
import { jsonOf, sharedJsonOf } from './json-body.ts'
import { pageCharset, pageText } from './page-text.ts'
import { repeatedName } from './repeated-names.ts'

/** Bytes up to which a body is kept as text. */
const WHOLE = 64 * 1024
/** Bytes that are kept as text of a larger one: more than a report shows. */
const BEGINNING = 48 * 1024

/**
 * The bodies of one run. Keeps memory and time to what is needed instead of what was received. A bank is asked for the same many
 * times: an answer that equals an earlier one to the byte is parsed once, an element of a long array that
 * equals an earlier one is the very same object. So whoever reads bodies must not change them. Of a large
 * body only the beginning stays as text; one that is no JSON stays whole.
 */
export function createBodies() {
  /** By SHA-256, as long as anybody looks at them. */
  const known = new Map<string, WeakRef<object>>()
  const texts = new WeakMap<object, string>()
  const elements = new Map<string, object>()
  /** Names that stand twice, by the body. */
  const repeated = new WeakMap<object, string>()

  return {
    /**
     * What an exchange keeps of a body.
     *
     * @param body after content decoding.
     * @param type its Content-Type, by which a page is read.
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
