import { gunzipSync, inflateSync } from 'node:zlib'
import { folded } from './folded-text.ts'
import { layersOf } from './layered-text.ts'
import { SHORTEST, SHORTEST_INSIDE } from './secret-encodings.ts'
import { hashesOf } from './start-hashes.ts'

/** Base64 in either alphabet, on one or several lines. */
export const BASE64 = /[A-Za-z0-9+/_-]{8,}(?:(?:\r\n?|\n)[ \t]*[A-Za-z0-9+/_-]{2,})*/g

/** Base32 of RFC 4648. */
export const BASE32 = /[A-Z2-7]{10,}/g

/** Bytes as debuggers, loggers and programming languages print them, and how to read a run of them. */
export const DUMPS: [pattern: RegExp, read: (run: string) => string[]][] = [
  // 4A-6F-73, 4a:6f:73
  [
    /\b[0-9a-fA-F]{2}(?:([-: ])[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2}){4,}/g,
    (run) => textsOf(Buffer.from(run.replace(/[-: ]/g, ''), 'hex')),
  ],
  // [74, 111, 115]; [74 111 115] of Go; [74, -61, 115] of Java
  [
    /(?<![\w.-])-?\d{1,3}(?:(?:,[ \n]?| )-?\d{1,3}){5,}/g,
    (run) => textsOf(Buffer.from(run.split(/[, \n]+/).map(Number))),
  ],
  // 0x4a, 0x6f
  [
    /\b0[xX][0-9a-fA-F]{1,2}(?:(?:,[ \n]?| )0[xX][0-9a-fA-F]{1,2}){5,}/g,
    (run) => textsOf(Buffer.from(run.split(/[, \n]+/).map(Number))),
  ],
]

/** Every text that bytes may represent, folded and without its escapes. */
function textsOf(bytes: Buffer): string[] {
  return (['utf8', 'latin1', 'utf16le'] as const).flatMap((encoding) =>
    layersOf(bytes.toString(encoding)).map((layer) => folded(layer).text),
  )
}

/** The texts that base32 may represent. */
export function inBase32(run: string): string[] {
  const bytes: number[] = []
  let held = 0
  let bits = 0
  for (const character of run) {
    held = ((held << 5) | ALPHABET.indexOf(character)) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((held >> bits) & 0xff)
  }
  return textsOf(Buffer.from(bytes))
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Maximum nesting of encodings that is searched, such as base64 of base64. */
const DEEPEST = 3

/** Number of base64 runs whose content is remembered: names and ids of a bank repeat. */
const REMEMBERED = 20_000
const LONGEST_REMEMBERED = 200

/** The texts that a run of base64 may represent. */
export interface Insides {
  views: readonly string[]
  /** Hashes of every four consecutive characters in them, where they are remembered. */
  hashes?: Uint32Array
}

/**
 * Decodes base64 and remembers the result. For a run, it returns every text that the run may contain, starting at any
 * offset, folded and without escapes, and the content of base64 nested in it. Decoded bytes without readable text are
 * left out.
 */
export function createEncodedTexts(): (run: string) => Insides {
  const known = new Map<string, Insides>()
  return (run) => {
    const before = known.get(run)
    if (before) return before
    const views = insidesOf(run, 1)
    if (run.length >= LONGEST_REMEMBERED || known.size >= REMEMBERED) return { views }
    const insides = { views, hashes: hashesOf(views) }
    known.set(run, insides)
    return insides
  }
}

function insidesOf(run: string, depth: number): string[] {
  const line = run.replace(/\s+/g, '')
  return [0, 1, 2, 3].flatMap((offset) => {
    const bytes = Buffer.from(line.slice(offset), 'base64')
    if (bytes.length < SHORTEST_INSIDE) return []
    const inflated = offset === 0 ? inflatedFrom(bytes) : undefined
    if (inflated) return textsOf(inflated)
    const layers = layersOf(bytes.toString('utf8')).filter(({ text }) => READABLE.test(text))
    return layers.flatMap((layer) => {
      const runs = depth < DEEPEST ? (layer.text.match(BASE64) ?? []) : []
      return [folded(layer).text, ...runs.flatMap((inner) => insidesOf(inner, depth + 1))]
    })
  })
}

/** Maximum number of decompressed bytes that are searched. */
const MOST_INFLATED = 256 * 1024

/** The bytes that gzip or zlib compressed; undefined if the first two bytes show neither format. */
function inflatedFrom(bytes: Buffer): Buffer | undefined {
  const [first = 0, second = 0] = bytes
  const isZlib = first === 0x78 && (first * 256 + second) % 31 === 0
  const undo = first === 0x1f && second === 0x8b ? gunzipSync : isZlib ? inflateSync : undefined
  if (!undo) return undefined
  const { stackTraceLimit } = Error
  // Most data that looks compressed is not, and building a stack costs more than the attempt.
  Error.stackTraceLimit = 0
  try {
    return undo(bytes, { maxOutputLength: MOST_INFLATED })
  } catch {
    return undefined
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** As many consecutive characters as the shortest secret has; U+FFFD marks invalid bytes. */
const READABLE = new RegExp(`[^\\ufffd]{${SHORTEST}}`)
