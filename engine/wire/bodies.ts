import { hash } from 'node:crypto'
import type { WireResponse } from './exchange.ts'
import { jsonOf, sharedJsonOf } from './json-body.ts'

/** What an exchange keeps of a body. */
export type KeptBody = Pick<WireResponse, 'body' | 'bytes' | 'json' | 'digest'>

/** The bodies of one run: what comes twice is kept once. */
export interface Bodies {
  /** @param body after content decoding. */
  keep(body: Buffer): KeptBody
}

/** Bytes up to which a body is kept as text. */
const WHOLE = 64 * 1024
/** Bytes that are kept as text of a larger one: more than a report shows. */
const BEGINNING = 48 * 1024

/**
 * Keeps memory to what is needed instead of what was received. A bank's whole history is asked for
 * many times: an answer that equals an earlier one to the byte is parsed once, an element of a long
 * array that equals an earlier one is the very same object. So whoever reads bodies must not change
 * them. Of a large body only the beginning stays as text; one that is no JSON stays whole.
 */
export function createBodies(): Bodies {
  const known = new Map<string, { beginning: string; json: WeakRef<object> }>()
  const elements = new Map<string, object>()

  const large = (body: Buffer): KeptBody => {
    const digest = hash('sha256', body, 'hex')
    const before = known.get(digest)
    const same = before?.json.deref()
    if (before && same) return { body: before.beginning, bytes: body.length, digest, json: same }
    const json = sharedJsonOf(body, elements)
    if (typeof json !== 'object' || json === null) {
      return { body: body.toString('utf8'), bytes: body.length, json }
    }
    const beginning = body.subarray(0, BEGINNING).toString('utf8')
    known.set(digest, { beginning, json: new WeakRef(json) })
    return { body: beginning, bytes: body.length, digest, json }
  }

  return {
    keep(body) {
      if (body.length > WHOLE) return large(body)
      const text = body.toString('utf8')
      const json = jsonOf(body, text)
      return { body: text, bytes: body.length, ...(json !== undefined && { json }) }
    },
  }
}
