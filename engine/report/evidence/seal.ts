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
  /** Sum of all bytes, and of each byte times its place from 1, modulo 2³¹ − 1: what one byte that
   * was changed does to both tells which it is, and what it was. */
  sums: [plain: number, weighted: number]
}

/** Characters of one block's digest in `blocks`. */
const DIGEST = 16
const MOST_BLOCKS = 1024
const SMALLEST_BLOCK = 512
/** A prime above the length of any file: sums are taken modulo it. */
const PRIME = 2 ** 31 - 1

/** The seal of a file: its digest, and digests of its blocks that tell where it was changed. */
export function seal(file: string, content: Buffer): Seal {
  let block = SMALLEST_BLOCK
  while (block * MOST_BLOCKS < content.length) block *= 2
  const blocks: string[] = []
  for (let at = 0; at < content.length; at += block) {
    blocks.push(blockDigest(content.subarray(at, at + block)))
  }
  return {
    file,
    bytes: content.length,
    sha256: sha256(content),
    block,
    blocks: blocks.join(''),
    sums: sumsOf(content),
  }
}

/** Where a file differs from its seal. */
export interface Difference {
  /** First byte that may differ, from 0. */
  byte: number
  /** Line of that byte, from 1. */
  line: number
  message: string
  /** That byte alone was changed. */
  single?: true
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
  const single = singleByte(sealed, content)
  if (single) {
    const { byte, was } = single
    const message = `was ${spelled(was)}, is ${spelled(content[byte])}`
    return { ...at(content, byte, message), single: true }
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

/** The one byte that was changed; undefined when more than one was. */
function singleByte(sealed: Seal, content: Buffer): { byte: number; was: number } | undefined {
  if (content.length !== sealed.bytes || content.length >= PRIME) return undefined
  if (!Array.isArray(sealed.sums)) return undefined
  const [plain, weighted] = sumsOf(content)
  const difference = modulo(plain - sealed.sums[0])
  const change = difference > 255 ? difference - PRIME : difference
  const byte = modulo(times(modulo(weighted - sealed.sums[1]), inverse(difference))) - 1
  const is = content[byte]
  if (is === undefined || is - change < 0 || is - change > 255) return undefined
  const candidate = Buffer.from(content)
  candidate[byte] = is - change
  return sha256(candidate) === sealed.sha256 ? { byte, was: is - change } : undefined
}

function sumsOf(content: Buffer): [plain: number, weighted: number] {
  let plain = 0
  let weighted = 0
  for (let i = 0; i < content.length; i++) {
    const byte = content[i] as number
    plain = (plain + byte) % PRIME
    weighted = (weighted + ((i + 1) % PRIME) * byte) % PRIME
  }
  return [plain, weighted]
}

function modulo(n: number): number {
  return ((n % PRIME) + PRIME) % PRIME
}

function times(a: number, b: number): number {
  return Number((BigInt(a) * BigInt(b)) % BigInt(PRIME))
}

/** n to the power of PRIME - 2, by Fermat. */
function inverse(n: number): number {
  let result = 1
  let power = n
  for (let left = PRIME - 2; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = times(result, power)
    power = times(power, power)
  }
  return result
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
