import { createHash } from 'node:crypto'

/** What every line of exchanges.jsonl carries beside its own content. */
export interface Chained {
  hash: string
}

/** Where a chain stops holding together. */
export interface ChainBreak {
  /** Line of the file, from 1. */
  line: number
  expected: string
  actual: string
}

/** `previous` of the first line. */
export const CHAIN_START = ''

/**
 * Hash of one line of exchanges.jsonl: SHA-256, hex, over the previous line's hash, a line feed and
 * the JSON of this line without its `hash`. A `hash` that the record already has is left out.
 */
export function chainHash(previous: string, record: object): string {
  const { hash: _, ...content } = record as Partial<Chained>
  return hashOf(previous, JSON.stringify(content))
}

/** The record's line of exchanges.jsonl, with its place in the chain: `hash` is its last member. */
export function chainedLine(previous: string, record: object): Chained & { line: string } {
  const { hash: _, ...content } = record as Partial<Chained>
  const json = JSON.stringify(content)
  const hash = hashOf(previous, json)
  return { hash, line: `${json.slice(0, -1)}${json === '{}' ? '' : ','}"hash":"${hash}"}\n` }
}

function hashOf(previous: string, json: string): string {
  return createHash('sha256').update(`${previous}\n${json}`).digest('hex')
}

/**
 * Walks the chain from its start. `head` is the hash of the last line, CHAIN_START when there is
 * none; `breaks` are the lines whose hash does not follow from their content and their
 * predecessor. Each is compared with the hash that is written before it, so that one changed line
 * is one break.
 */
export function verifyChain(lines: Iterable<Chained>): { head: string; breaks: ChainBreak[] } {
  const breaks: ChainBreak[] = []
  let head = CHAIN_START
  let line = 0
  for (const record of lines) {
    line += 1
    const expected = chainHash(head, record)
    if (record.hash !== expected) breaks.push({ line, expected, actual: String(record.hash) })
    head = String(record.hash)
  }
  return { head, breaks }
}
