import { CHAIN_START, chainHash } from '../../record/chain.ts'

export interface Finding {
  file: string
  /** Starts at 1. */
  line?: number
  message: string
}

const FILE = 'exchanges.jsonl'
const BROKEN = 'was changed, or the line before it was changed, added or removed'
const HASH = /,"hash":"([0-9a-f]{64})"\}$/

/**
 * Verifies the bytes of exchanges.jsonl: each line must be exactly what the recorder wrote, and its hash must match it
 * and the line before. A broken line is reported once.
 */
export function verifyLines(content: Buffer): { lines: number; head: string; findings: Finding[] } {
  const findings: Finding[] = []
  let head = CHAIN_START
  let line = 0
  let start = 0
  while (start < content.length) {
    const feed = content.indexOf(10, start)
    const end = feed < 0 ? content.length : feed
    line += 1
    const bytes = content.subarray(start, end)
    const hash = HASH.exec(bytes.toString('latin1', Math.max(0, bytes.length - 100)))?.[1]
    if (!hash) findings.push({ file: FILE, line, message: 'does not end in a hash' })
    else if (feed < 0) findings.push({ file: FILE, line, message: 'does not end in a line feed' })
    else if (!follows(head, bytes, hash)) {
      findings.push({ file: FILE, line, message: BROKEN })
    }
    head = hash ?? head
    start = end + 1
  }
  return { lines: line, head, findings }
}

function follows(previous: string, bytes: Buffer, hash: string): boolean {
  try {
    const text = bytes.toString('utf8')
    const record = JSON.parse(text) as object
    return JSON.stringify(record) === text && chainHash(previous, record) === hash
  } catch {
    return false
  }
}
