import { parseRedirect } from '../../../engine/suite-api/client.ts'
import {
  charactersIn,
  type Exchange,
  header,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'

/** What a stranger could guess. Requirements: specs/account-information/security.yaml */

/** So many texts of one kind and one length tell which of their characters are always the same. */
const ENOUGH = 8

/** RFC 6749 10.10 asks for 128. A random UUID has 122, and is what many servers issue. */
const BITS = 96

/** What has been seen of texts of one kind and length: all of them, as long as they are judged. */
interface Seen {
  texts: Set<string>
  done: boolean
}

/**
 * Over codes, access tokens and refresh tokens of one length: eight different ones, and each more. Fails: in those
 * characters by which they differ there is room for less than 96 bits, however they were drawn.
 */
rule(
  'SEC-15/not-guessable',
  'A code, an access token or a refresh token cannot be guessed from others',
  {
    endpoints: ['token'],
    also: ['authorisation', 'elsewhere'],
    unseen: `no ${ENOUGH} different codes or tokens of one length were seen`,
  },
  (exchange, { earlier }) => {
    const judged = issuedIn(exchange).flatMap(([kind, text]) => {
      const key = `${kind} ${text.length}`
      const seen = (earlier.get(key) ?? { texts: new Set(), done: false }) as Seen
      earlier.set(key, seen)
      if (!seen.done) seen.texts.add(text)
      if (seen.texts.size < ENOUGH) return []
      const { characters, bits } = seen.done ? ROOM_ENOUGH : roomOf([...seen.texts])
      if (bits >= BITS) {
        seen.done = true
        return [undefined]
      }
      const actual = `${characters} of ${text.length}, of at most ${Math.floor(bits)} bits`
      const message = `${seen.texts.size} ${kind}s differ in few characters: ${actual}`
      return [{ message, expected: `characters of ${BITS} bits or more that differ`, actual }]
    })
    return judged.length === 0 ? undefined : judged.filter((finding) => finding !== undefined)
  },
)

const ROOM_ENOUGH = { characters: 0, bits: Number.POSITIVE_INFINITY }

/** What this answer issues, with its kind. */
function issuedIn(exchange: Exchange): [kind: string, text: string][] {
  const { endpoint, response } = exchange
  if (endpoint === 'token') {
    if (!succeeded(exchange)) return []
    const kinds = [
      ['access token', 'access_token'],
      ['refresh token', 'refresh_token'],
    ] as const
    return kinds.flatMap(([kind, name]): [string, string][] => {
      const text = charactersIn(response?.json, name)
      return text === undefined ? [] : [[kind, text]]
    })
  }
  if (!exchange.about.visit) return []
  const location = header(exchange, 'location')
  const { code } = (location !== undefined && parseRedirect(location)) || {}
  return code ? [['code', code]] : []
}

/** Sets of characters that texts are drawn from, the smallest first. */
const ALPHABETS: [RegExp, number][] = [
  [/^\d*$/, 10],
  [/^(?:[\da-f]*|[\dA-F]*)$/, 16],
  [/^(?:[\da-z]*|[\dA-Z]*)$/, 36],
  [/^[\da-zA-Z]*$/, 62],
]

/** In how many places texts of one length differ, and how much room there is in these. */
function roomOf(texts: string[]): { characters: number; bits: number } {
  const [first = ''] = texts
  const places = [...first.split('').keys()]
    .map((at) => new Set(texts.map((text) => text[at])))
    .filter(({ size }) => size > 1)
  const used = places.flatMap((place) => [...place]).join('')
  const [, size] = ALPHABETS.find(([pattern]) => pattern.test(used)) ?? [undefined, 95]
  return { characters: places.length, bits: places.length * Math.log2(size) }
}
