import { createHash } from 'node:crypto'

/** What every line of exchanges.jsonl has in addition to its own content. */
export interface Chained {
  hash: string
}

/** `previous` of the first line. */
export const CHAIN_START = ''

/**
 * Hash of one line of exchanges.jsonl: SHA-256, hex, over the previous line's hash, a line feed and the JSON of this
 * line without its `hash`. A `hash` that the record already has is ignored.
 */
export function chainHash(previous: string, record: object): string {
  const { hash: _, ...content } = record as Partial<Chained>
  return hashOf(previous, JSON.stringify(content))
}

/** The record's line of exchanges.jsonl with its hash in the chain: `hash` is its last member. */
export function chainedLine(previous: string, record: object): Chained & { line: string } {
  const { hash: _, ...content } = record as Partial<Chained>
  const json = JSON.stringify(content)
  const hash = hashOf(previous, json)
  return { hash, line: `${json.slice(0, -1)}${json === '{}' ? '' : ','}"hash":"${hash}"}\n` }
}

function hashOf(previous: string, json: string): string {
  return createHash('sha256').update(`${previous}\n`).update(json).digest('hex')
}
