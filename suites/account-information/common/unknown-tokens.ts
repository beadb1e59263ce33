import { randomBytes } from 'node:crypto'
import type { CallDeviation } from '../../../engine/suite-api/flow.ts'

type Unknown = CallDeviation & { bearer: string; deviation: string }

/** Access tokens that the bank did not issue: one made up, and one that it did with something changed. */
export function unknownTokens(issued: string): Unknown[] {
  return [
    { bearer: randomBytes(32).toString('base64url'), deviation: 'a random access token' },
    {
      bearer: changedFrom(issued, issued.length >> 1),
      deviation: 'an access token with another character in its middle',
    },
    {
      bearer: changedFrom(issued, lastOf(issued)),
      deviation: 'an access token with another last character',
    },
    // Before its padding, behind which a decoder reads nothing.
    {
      bearer: `${issued.slice(0, lastOf(issued) + 1)}${MORE}${issued.slice(lastOf(issued) + 1)}`,
      deviation: 'an access token with more behind it',
    },
    { bearer: `${MORE}${issued}`, deviation: 'an access token with more before it' },
  ]
}

/** Three bytes of base64: fewer characters might be none to a decoder that is generous. */
const MORE = 'x7Qz'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The token with another character from a place on, one that differs in a bit that counts. */
function changedFrom(token: string, place: number): string {
  const known = [...token].map((character) => ALPHABET.indexOf(character))
  const at = known.findIndex((value, index) => value >= 0 && index >= place)
  const other = ALPHABET[((known[at] ?? 0) + 32) % 64] ?? 'A'
  return `${token.slice(0, at)}${other}${token.slice(at + 1)}`
}

/** The last place of a character that says something: no padding. */
function lastOf(token: string): number {
  return [...token].findLastIndex((character) => ALPHABET.includes(character))
}
