import { createHash } from 'node:crypto'
import { CHAIN_START, chainHash } from '../chain.ts'
import { changedByte, spelled } from './seal.ts'
import type { Finding } from './verify-run.ts'

const FILE = 'exchanges.jsonl'
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
