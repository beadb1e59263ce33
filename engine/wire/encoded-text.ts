import { folded } from './folded-text.ts'
import { layersOf } from './layered-text.ts'
import { SHORTEST, SHORTEST_INSIDE } from './secret-encodings.ts'
import { hashesOf } from './start-hashes.ts'

/** Base64 of either alphabet, in one line or several. */
export const BASE64 = /[A-Za-z0-9+/_-]{8,}(?:(?:\r\n?|\n)[ \t]*[A-Za-z0-9+/_-]{2,})*/g

/** Bytes as debuggers and loggers write them: 4A-6F-73, 4a:6f:73, [74, 111, 115]. */
export const DUMP =
  /\b[0-9a-fA-F]{2}(?:([-: ])[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2}){4,}\b|\b\d{1,3}(?:, ?\d{1,3}){5,}\b/g

/** Every text that a dump may stand for, folded and without its escapes. */
export function dumped(run: string, mark: string | undefined): string[] {
  const bytes = mark
    ? Buffer.from(run.replaceAll(mark, ''), 'hex')
    : Buffer.from(run.split(',').map(Number))
  return (['utf8', 'latin1', 'utf16le'] as const).flatMap((encoding) =>
    layersOf(bytes.toString(encoding)).map((layer) => folded(layer).text),
  )
}

/** How deep what was encoded as a whole is looked into: base64 of base64. */
const DEEPEST = 3

/** Runs of base64 whose insides are remembered: the names and ids of a bank come again and again. */
const REMEMBERED = 20_000
const LONGEST_REMEMBERED = 200

/** What a run of base64 may stand for. */
export interface Insides {
  views: readonly string[]
  /** Hashes of every four characters in them, where they are remembered. */
  hashes?: Uint32Array
}

/**
 * Remembers what base64 holds. It is told a run and says every text that this may stand for, wherever in
 * it one begins, folded and without its escapes, and what base64 inside of it stands for; those in which no
 * text can stand are left out.
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
    const layers = layersOf(bytes.toString('utf8')).filter(({ text }) => READABLE.test(text))
    return layers.flatMap((layer) => {
      const runs = depth < DEEPEST ? (layer.text.match(BASE64) ?? []) : []
      return [folded(layer).text, ...runs.flatMap((inner) => insidesOf(inner, depth + 1))]
    })
  })
}

/** As many characters beside each other as the shortest secret has; U+FFFD stands for bytes that are none. */
const READABLE = new RegExp(`[^\\ufffd]{${SHORTEST}}`)
