import { CHAIN_START, type Chained, chainHash } from '../../engine/record/chain.ts'

/** Where a chain stops holding together. */
interface ChainBreak {
  /** Line of the file, from 1. */
  line: number
  expected: string
  actual: string
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
