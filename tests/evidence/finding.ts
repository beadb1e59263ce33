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

  return (text) => {
    const hits = new Set<string>()
    const once = undone(text)
    for (const one of [text, ungrouped(text), ...once, ...once.flatMap(undone)]) seek(one, hits)
    return [...hits]
  }
}

function undone(text: string): string[] {
  const decoded = [...text.matchAll(/[A-Za-z0-9+/_-]{8,}/g)].flatMap(([run]) =>
    [0, 1, 2, 3].map((at) => Buffer.from(run.slice(at), 'base64url').toString('latin1')),
  )
  const unquoted = text.replaceAll('+', ' ').replace(/(?:%[0-9A-Fa-f]{2})+/g, unescaped)
  return [decoded.join('\n'), unquoted]
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
