import { createHash } from 'node:crypto'

/** A file as a statement remembers it. */
export interface Seal {
  file: string
  bytes: number
  /** SHA-256, hex. */
  sha256: string
  /** Bytes in a block; the last one may be shorter. */
  block: number
  /** First 12 bytes of the SHA-256 of each block, base64url, one after the other. */
  blocks: string
}

/** Characters of one block's digest in `blocks`. */
const DIGEST = 16
const MOST_BLOCKS = 1024
const SMALLEST_BLOCK = 512
/** Longest stretch in which a changed byte is searched for: some 500,000 digests. */
const MOST_SEARCHED = 2048

/** The seal of a file: its digest, and digests of its blocks that tell where it was changed. */
export function seal(file: string, content: Buffer): Seal {
  let block = SMALLEST_BLOCK
  while (block * MOST_BLOCKS < content.length) block *= 2
  const blocks: string[] = []
  for (let at = 0; at < content.length; at += block) {
    blocks.push(blockDigest(content.subarray(at, at + block)))
  }
  return { file, bytes: content.length, sha256: sha256(content), block, blocks: blocks.join('') }
}

/** Where a file differs from its seal. */
export interface Difference {
  /** First byte that may differ, from 0. */
  byte: number
  /** Line of that byte, from 1. */
  line: number
  message: string
}

/** Undefined when the file is as it was sealed. */
export function difference(sealed: Seal, content: Buffer): Difference | undefined {
  if (sealed.sha256 === sha256(content)) return undefined
  const wanted = sealed.blocks.match(new RegExp(`.{${DIGEST}}`, 'g')) ?? []
  const changed = wanted.findIndex((digest, i) => {
    const at = i * sealed.block
    return blockDigest(content.subarray(at, at + sealed.block)) !== digest
  })
  const from = changed < 0 ? sealed.bytes : changed * sealed.block
  const to = Math.min(from + sealed.block, content.length)
  if (content.length === sealed.bytes && changed >= 0) {
    const digest = wanted[changed] ?? ''
    const found = changedByte(content.subarray(from, to), (b) => blockDigest(b) === digest)
    if (found)
      return at(
        content,
        from + found.at,
        `was ${spelled(found.was)}, is ${spelled(content[from + found.at])}`,
      )
  }
  const size =
    content.length === sealed.bytes
      ? ''
      : `; the file had ${sealed.bytes} bytes and has ${content.length}`
  return at(
    content,
    from,
    `the first difference is in bytes ${from} to ${Math.max(from, to - 1)}${size}`,
  )
}

function at(content: Buffer, byte: number, message: string): Difference {
  let line = 1
  for (let i = content.indexOf(10); i >= 0 && i < byte; i = content.indexOf(10, i + 1)) line += 1
  return { byte, line, message }
}

/**
 * The one byte whose replacement makes `holds` true again; undefined when the stretch is too long or
 * more than one byte was changed. Printable bytes are tried first.
 */
export function changedByte(
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

/** A byte as a reader names it. */
export function spelled(byte: number | undefined): string {
  if (byte === undefined) return 'nothing'
  return byte > 32 && byte < 127
    ? `“${String.fromCharCode(byte)}”`
    : `0x${byte.toString(16).padStart(2, '0')}`
}

export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex')
}

function blockDigest(content: Buffer): string {
  return createHash('sha256').update(content).digest().toString('base64url', 0, 12)
}
