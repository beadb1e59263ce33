import { parseRedirect } from '../../../engine/suite-api/client.ts'
import {
  charactersIn,
  type Exchange,
  header,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { roomOf } from '../../guessing.ts'

/** Values that a stranger could guess. Requirements: specs/account-information/security.yaml */

/** This many texts of one kind and length show which of their characters never change. */
const ENOUGH = 8

/** RFC 6749 10.10 asks for 128. A random UUID, which many servers issue, has 122. */
const BITS = 96

/** The texts of one kind and length so far; collected until they differ by enough bits. */
interface Seen {
  texts: Set<string>
  done: boolean
}

/**
 * Over codes, access tokens and refresh tokens of one length, from the eighth different one on.
 * Fails: the characters in which they differ hold less than 96 bits, even if drawn at random.
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

/** The codes and tokens that this answer issues, with their kinds. */
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
