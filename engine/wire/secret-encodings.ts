import { isObject, parsedJson } from '../record/json.ts'
import { LEGACY, singleBytes } from './charsets.ts'
import { foldedText } from './folded-text.ts'

/** Values shorter than this are redacted where their place reveals them, but not searched for. */
export const SHORTEST = 4

/** From this length on, a value is also searched for inside encoded data. */
export const SHORTEST_INSIDE = 6

/** Up to this length a value may be personal or known to a person, and is searched for in more encodings. */
const LONGEST_OF_PEOPLE = 40

/** True if a value may be part of another word, as `account` in `accounts`; it is searched for as a whole word only. */
export function isPlainWord(value: string): boolean {
  if (value.length < 8 && /^[A-Za-z0-9]+$/.test(value)) return true
  return value.length <= LONGEST_WORD && /^(\p{Lu}?\p{Ll}+|\p{Lu}+)$/u.test(value)
}

const LONGEST_WORD = 16

/**
 * The folded spellings under which a secret may appear once a text is unescaped: as it is, read in the wrong character
 * set, in hexadecimal, and in base64 or base64url, also as part of longer encoded data (a JWT's payload, Basic
 * credentials), at any alignment.
 */
export function formsOf(value: string): string[] {
  const forms = new Set<string>()
  for (const text of [value, ...partsOf(value)]) {
    if (text.length < SHORTEST) continue
    const bytes = Buffer.from(text)
    for (const read of [...misread(text, bytes), ...lossy(text), ...doubled(text)]) {
      forms.add(foldedText(read))
    }
    if (text.length < SHORTEST_INSIDE) continue
    for (const encoded of encodings(text, bytes)) forms.add(foldedText(encoded))
  }
  return [...forms].filter((form) => form.length >= SHORTEST)
}

function* encodings(text: string, bytes: Buffer): Generator<string> {
  yield bytes.toString('hex')
  yield* inBase64(bytes)
  const json = JSON.stringify(text).slice(1, -1)
  if (json !== text) yield* inBase64(Buffer.from(json))
  if (text.length > LONGEST_OF_PEOPLE) return
  const single = bytes.length > text.length ? [Buffer.from(text, 'latin1')] : []
  const wide = Buffer.from(text, 'utf16le')
  for (const other of [...single, wide]) yield* inBase64(other)
  yield wide.toString('hex')
  yield wide.swap16().toString('hex')
}

/** The text in a character set without accents: other signs replace the letters. */
function lossy(text: string): string[] {
  const kept = text.replace(/[^A-Za-z0-9]/g, '')
  if (kept.length < SHORTEST || !/[^ -~]/.test(text)) return []
  return ['?', '\ufffd'].flatMap((sign) => [
    text.replace(/[^ -~]/gu, sign),
    text.replace(/[^ -~]/gu, (each) => sign.repeat(Buffer.byteLength(each))),
  ])
}

/** Quotes as SQL, CSV and shells escape them inside quotes. */
function doubled(text: string): string[] {
  const found: string[] = []
  if (text.includes("'")) found.push(text.replaceAll("'", "''"), text.replaceAll("'", "'\\''"))
  if (text.includes('"')) found.push(text.replaceAll('"', '""'))
  return found
}

/** The text, its UTF-8 bytes read in an older character set, and its bytes in older character sets. */
function misread(text: string, bytes: Buffer): string[] {
  if (bytes.length === text.length) return [text]
  const taken = [text, ...takenForOlder(bytes)]
  if (text.length > LONGEST_OF_PEOPLE) return taken
  const twice = taken.slice(1).flatMap((once) => takenForOlder(Buffer.from(once)))
  return [...taken, ...twice, ...inOlder(text)]
}

function takenForOlder(bytes: Buffer): string[] {
  return [bytes.toString('latin1'), new TextDecoder('windows-1252').decode(bytes)]
}

/** The bytes of the text in older character sets, as forms of such pages send it; each byte as a character. */
function inOlder(text: string): string[] {
  return LEGACY.flatMap((charset) => {
    const table = singleBytes(charset)
    if (!table) return []
    const read = [...text].map((one) => {
      const byte = table.get(one)
      return byte === undefined ? one : String.fromCharCode(byte)
    })
    return read.join('')
  })
}

/** The base64 text of a key without its header and footer, the members of a private JWK, the signature of a JWT. */
function partsOf(value: string): string[] {
  const pem = /-----BEGIN [^-]+-----([^-]*)-----END/.exec(value)?.[1]
  if (pem !== undefined) {
    const lines = pem.split(/\s+/).filter((line) => line.length >= 32)
    return [lines.join(''), ...lines]
  }
  const signature = /^eyJ[\w-]+\.[\w-]*\.([\w-]{16,})$/.exec(value)?.[1]
  if (signature !== undefined) return [signature]
  const jwk = parsedJson(value)
  if (!isObject(jwk)) return []
  const secret = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].map((name) => jwk[name])
  return secret.filter((member) => typeof member === 'string')
}

/** The part of the base64 text that is the same wherever the value starts in longer data: at offset 0, 1 or 2. */
function inBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64url')
    const begins = Math.ceil((offset * 8) / 6)
    const ends = Math.floor(((offset + bytes.length) * 8) / 6)
    const url = encoded.slice(begins, ends)
    return [url, url.replaceAll('-', '+').replaceAll('_', '/')]
  })
}
