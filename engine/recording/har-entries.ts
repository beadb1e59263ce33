import {
  BACKSLASH,
  CLOSING_ARRAY,
  COLON,
  COMMA,
  EITHER,
  OPENING_ARRAY,
  QUOTE,
} from '../record/json-bytes.ts'

/** Maximum size of one entry in bytes: bodies above the limit of a target do not belong to this interface. */
const LARGEST = 128 * 1024 ** 2

/** One entry of a HAR file as text; `cut` if it is longer than the limit. */
export interface HarEntry {
  number: number
  text: string
  cut?: true
}

/**
 * Yields the entries of `log.entries` while the file streams in: no more than one entry is in memory. It looks only at
 * brackets, quotes and the names above the list; the caller parses each entry.
 *
 * @throws Error if the file ends within the list, or has no such list
 */
export async function* harEntries(chunks: AsyncIterable<Buffer>): AsyncGenerator<HarEntry> {
  const scanner = createScanner()
  let number = 0
  for await (const chunk of chunks) {
    for (const found of scanner.take(chunk)) {
      number += 1
      yield { number, ...found }
    }
    if (scanner.ended) return
  }
  if (!scanner.begun) throw new Error('has no log.entries: it is not a HAR file')
  throw new Error(`ends within log.entries, after ${number} whole entries`)
}

function createScanner() {
  /** Nesting depth. The list is at 3: the file, `log`, `entries`. */
  let depth = 0
  let inText = false
  let escaped = false
  /** The name of the member that is being read, at depths 1 and 2. */
  let name: number[] = []
  let last = ''
  const path: string[] = []
  let inList = false
  let parts: Buffer[] = []
  let size = 0
  const state = { begun: false, ended: false }

  const keep = (part: Buffer) => {
    size += part.length
    if (size <= LARGEST) parts.push(part)
    else parts = []
  }

  const ended = (): { text: string; cut?: true } => {
    const found =
      size > LARGEST
        ? { text: '', cut: true as const }
        : { text: Buffer.concat(parts).toString('utf8') }
    parts = []
    size = 0
    return found
  }

  const text = (byte: number) => {
    if (escaped) escaped = false
    else if (byte === BACKSLASH) escaped = true
    else if (byte === QUOTE) {
      inText = false
      if (depth <= 2) last = Buffer.from(name).toString('utf8')
    } else if (depth <= 2 && name.length < 64) name.push(byte)
  }

  const open = (byte: number) => {
    depth += 1
    if (depth === 3 && byte === OPENING_ARRAY && path[1] === 'log' && path[2] === 'entries') {
      inList = true
      state.begun = true
    }
  }

  return {
    get begun() {
      return state.begun
    },
    get ended() {
      return state.ended
    },
    /** Entries that end in this part of the file. */
    take(chunk: Buffer): { text: string; cut?: true }[] {
      const found: { text: string; cut?: true }[] = []
      /** Start of the current entry in this part; -1 where there is none. */
      let from = inList && depth > 3 ? 0 : -1
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at] as number
        if (inText) text(byte)
        else if (byte === QUOTE) {
          inText = true
          name = []
        } else if (byte === COLON && depth <= 2) path[depth] = last
        else if (byte === COMMA && depth <= 2) path[depth] = ''
        else if ((byte & EITHER) === OPENING_ARRAY) {
          if (inList && depth === 3) from = at
          open(byte)
        } else if ((byte & EITHER) === CLOSING_ARRAY) {
          depth -= 1
          if (inList && depth === 3 && from >= 0) {
            keep(chunk.subarray(from, at + 1))
            found.push(ended())
            from = -1
          } else if (inList && depth === 2) {
            inList = false
            state.ended = true
            return found
          }
        }
      }
      if (from >= 0) keep(chunk.subarray(from))
      return found
    },
  }
}
