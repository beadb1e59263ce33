import { createHash } from 'node:crypto'
import { CHAIN_START, chainHash } from '../chain.ts'
import { spelled } from './seal.ts'
import type { Finding } from './verify-run.ts'

const FILE = 'exchanges.jsonl'
/** Longest stretch in which a changed byte is searched for: some 500,000 digests. */
const MOST_SEARCHED = 2048
const HASH = /,"hash":"([0-9a-f]{64})"\}$/

/**
 * Walks the bytes of exchanges.jsonl: each line must be exactly what the recorder wrote, and its hash
 * must follow from it and the line before. A broken line is named once, with the byte where a single
 * one was changed.
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
    if (!hash) findings.push({ file: FILE, line, byte: start, message: 'does not end in a hash' })
    else if (feed < 0)
      findings.push({ file: FILE, line, byte: end, message: 'does not end in a line feed' })
    else if (!follows(head, bytes, hash)) {
      findings.push({ file: FILE, line, ...whereBroken(head, bytes, hash, start) })
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

function whereBroken(
  previous: string,
  bytes: Buffer,
  hash: string,
  start: number,
): { byte: number; message: string } {
  // The hashed text is the line up to its hash, closed again.
  const content = bytes.subarray(0, bytes.length - ',"hash":""}'.length - hash.length)
  const holds = (candidate: Buffer) =>
    createHash('sha256')
      .update(previous)
      .update('\n')
      .update(candidate)
      .update('}')
      .digest('hex') === hash
  if (holds(content)) return { byte: start, message: 'is not written as it was recorded' }
  const found = changedByte(content, holds)
  if (!found)
    return {
      byte: start,
      message: 'was changed, or the line before it was changed, added or removed',
    }
  return {
    byte: start + found.at,
    message: `was ${spelled(found.was)}, is ${spelled(content[found.at])}`,
  }
}

/**
 * The one byte whose replacement makes `holds` true again; undefined when the stretch is too long or
 * more than one byte was changed. Printable bytes are tried first.
 */
function changedByte(
  stretch: Buffer,
  holds: (candidate: Buffer) => boolean,
): { at: number; was: number } | undefined {
  if (stretch.length > MOST_SEARCHED) return undefined
  const candidate = Buffer.from(stretch)
  const printable = Array.from({ length: 256 }, (_, i) => (i + 32) % 256)
  for (const values of [printable.slice(0, 95), printable.slice(95)]) {
    for (let i = 0; i < stretch.length; i++) {
      const original = candidate[i] as number
      for (const value of values) {
        candidate[i] = value
        if (value !== original && holds(candidate)) return { at: i, was: value }
      }
      candidate[i] = original
    }
  }
  return undefined
}
