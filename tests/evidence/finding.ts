import { createHash } from 'node:crypto'

/** Short, so that a test says which secret it was without saying it. */
export function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 8)
}

/** Finds secrets in texts: whatever can be had by undoing encodings. */
export type Finder = (text: string) => string[]

/** Every secret is at least as long. */
const START = 4

/**
 * Which of these secrets can be had from a text, by whoever undoes base64, base64url and URL encoding
 * wherever they stand, and what is inside once more. Written apart from what redacts, so that both do
 * not miss the same.
 */
export function finder(secrets: Iterable<string>): Finder {
  const spelled = new Map<string, string>()
  for (const secret of secrets) {
    if (secret.length < START) throw new Error('a secret is too short to be looked for')
    for (const text of [secret, latin1(secret), JSON.stringify(secret).slice(1, -1)]) {
      spelled.set(text, secret)
    }
  }
  const byStart = new Map<string, string[]>()
  for (const text of spelled.keys()) {
    const start = text.slice(0, START)
    byStart.set(start, [...(byStart.get(start) ?? []), text])
  }
  /** By the code of four characters: whether a secret begins with some that have it. */
  const starts = new Uint8Array(CODES)
  for (const start of byStart.keys()) {
    let code = 0
    for (let at = 0; at < START; at += 1) code = codeWith(code, start.charCodeAt(at))
    starts[code] = 1
  }

  const seek = (text: string, hits: Set<string>) => {
    let code = 0
    for (let end = 0; end < text.length; end += 1) {
      code = codeWith(code, text.charCodeAt(end))
      const at = end + 1 - START
      if (starts[code] === 0 || at < 0) continue
      for (const form of byStart.get(text.slice(at, at + START)) ?? []) {
        if (text.startsWith(form, at)) hits.add(spelled.get(form) as string)
      }
    }
  }

  /** What runs of base64 hold, by how often encodings were undone before: the same come in many files. */
  const inRuns = Array.from({ length: MOST_UNDONE }, () => new Map<string, Set<string>>())

  const look = (text: string, undone: number): Set<string> => {
    const hits = new Set<string>()
    seek(text, hits)
    const known = inRuns[undone]
    if (!known) return hits
    const plain = unquoted(text)
    if (plain !== text) for (const hit of look(plain, undone + 1)) hits.add(hit)
    for (const run of new Set(text.match(BASE64))) {
      const inside = known.get(run) ?? look(decoded(run), undone + 1)
      known.set(run, inside)
      for (const hit of inside) hits.add(hit)
    }
    return hits
  }

  return (text) => {
    const hits = look(text, 0)
    seek(ungrouped(text), hits)
    return [...hits]
  }
}

/** Encodings within encodings that are undone. */
const MOST_UNDONE = 2

const BASE64 = /[A-Za-z0-9+/_-]{8,}/g

/** A run may begin within what was encoded. */
function decoded(run: string): string {
  return [0, 1, 2, 3]
    .map((at) => Buffer.from(run.slice(at), 'base64url').toString('latin1'))
    .join('\n')
}

function unquoted(text: string): string {
  return text.replaceAll('+', ' ').replace(/(?:%[0-9A-Fa-f]{2})+/g, unescaped)
}

/** Card numbers without the spaces between their groups. */
function ungrouped(text: string): string {
  return text.replace(/(\d) (?=\d{4})/g, '$1')
}

function latin1(secret: string): string {
  return Buffer.from(secret).toString('latin1')
}

function unescaped(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return run
  }
}

/** Five bits further for each character: of four, two may share a code. */
const CODES = 2 ** (5 * START)

function codeWith(before: number, next: number): number {
  return ((before << 5) ^ next) & (CODES - 1)
}
