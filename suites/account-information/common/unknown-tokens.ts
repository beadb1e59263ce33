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
    ...inOtherCase(issued).map((bearer) => ({ bearer, deviation: `an access token ${SWAPPED}` })),
  ]
}

/** What was done to a token of `inOtherCase`. */
export const SWAPPED = 'with its letters in the other case'

/**
 * The token with capitals for small letters and the reverse. None where all its letters are of one case: whoever
 * decodes hexadecimal digits, a UUID or base32 reads the same in the other.
 */
export function inOtherCase(issued: string): string[] {
  if (!/[a-z]/.test(issued) || !/[A-Z]/.test(issued)) return []
  const swap = (one: string) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())
  return [issued.replace(/[a-z]/gi, swap)]
}

/** The same of an id: none where what has capitals, or has none, may be hexadecimal behind a prefix. */
export function idInOtherCase(id: string): string[] {
  return /[g-z]/.test(id) && /[G-Z]/.test(id) ? inOtherCase(id) : []
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
