import { bearerCredential } from '../../../values/bearer-credential.ts'
import { rowsOf } from '../../../values/value-type.ts'

/** A text that nobody issued, made from one that was issued. */
export interface Altered {
  text: string
  /** How it differs, behind “a code” or “a refresh token”. */
  words: string
}

/** None where all letters are of one case: hexadecimal digits, a UUID or base32 mean the same in both cases. */
export const OTHER_CASE = ['other-case']

/** A store that compares beginnings alone finds what was issued by each of these. */
export const OTHER_END = ['last-changed', 'more-behind', 'cut']

/** What these rows of the table of credentials make of a text that was issued. */
export function alteredBy(ids: readonly string[], issued: string): Altered[] {
  return rowsOf(bearerCredential)
    .filter(({ id }) => ids.includes(id))
    .flatMap(({ words, make }) => {
      const text = make({ token: issued })?.bearer
      return typeof text === 'string' ? [{ text, words }] : []
    })
}
