import { brief, type Exchange, remembered } from '../engine/suite-api/responses.ts'
import type { Finding } from '../engine/suite-api/rule.ts'

/** What texts of answers say by mistake. */

interface Found {
  place: string
  text: string
}

/** What a bank gives back as it was sent. */
const SENT = 'DebtorAccount'

/** Finds the first text in a JSON value that is wrong. Answers share bodies and rows: each is looked through once. */
function searchFor(isWrong: (text: string) => boolean): (json: object) => Found | undefined {
  const isSuspect = remembered((value: object) => foundIn(value) !== undefined)
  const foundIn = (value: unknown): Found | undefined => {
    if (typeof value === 'string') return isWrong(value) ? { place: '', text: value } : undefined
    if (typeof value !== 'object' || value === null) return undefined
    const isList = Array.isArray(value)
    for (const [name, member] of Object.entries(value)) {
      if (name === SENT) continue
      if (isList && typeof member === 'object' && member && !isSuspect(member)) continue
      const found = foundIn(member)
      if (!found) continue
      const pointer = name.replaceAll('~', '~0').replaceAll('/', '~1')
      return { ...found, place: `/${pointer}${found.place}` }
    }
    return undefined
  }
  return (json) => (isSuspect(json) ? foundIn(json) : undefined)
}

/** What a program writes where it has no value. */
const PLACEHOLDER = /^(?:null|undefined|NaN|\[object Object\])(?:, (?:null|undefined))*$/

/**
 * UTF-8 that was read as windows-1252 or ISO 8859-1, and written as UTF-8 again: Â£, Ã©, â€™. Quotation marks may stand behind
 * any letter.
 */
const MISREAD = /Â[\u00a0-\u00bf]|Ã[\u0080-\u00aa\u00ac-\u00ba\u00bc-\u00bf‰Š]|â(?:€|\u0080)/

/** Characters as HTML and XML write them; in capitals they are an acquirer's, who knows no other letters. */
const ENTITY = /&(?:amp|lt|gt|quot|apos|nbsp|pound|#\d{2,5}|#[xX][\da-fA-F]{2,5});/

const isPlaceholder = (text: string) => PLACEHOLDER.test(text)
const isUnread = (text: string) => text.includes('\ufffd')
const isMisread = (text: string) => MISREAD.test(text)
const isEscaped = (text: string) => ENTITY.test(text)
const WRONG = [isPlaceholder, isUnread, isMisread, isEscaped]

/** Of nearly all answers nothing is wrong: one look tells it. */
const wrong = searchFor((text) => WRONG.some((is) => is(text)))
const placeholder = searchFor(isPlaceholder)
const unread = searchFor(isUnread)
const misread = searchFor(isMisread)
const entity = searchFor(isEscaped)

/** The first text of an answer that stands for nothing, by its place; undefined where the answer is no JSON. */
export function placeholdersIn({ response }: Exchange): Finding[] | undefined {
  const { json, notUtf8 } = response ?? {}
  if (typeof json !== 'object' || json === null) return undefined
  if (!wrong(json)) return []
  const none = placeholder(json)
  if (none) return [told(none, 'stands for no value')]
  // Bytes that are no UTF-8 are another one's finding.
  const lost = notUtf8 ? undefined : unread(json)
  return lost ? [told(lost, 'stands for a character that nobody could read')] : []
}

/**
 * The first text of an answer that was read in another way than it was written.
 *
 * @param markup texts may be written for a page.
 */
export function misreadIn({ response }: Exchange, markup = false): Finding[] | undefined {
  const { json } = response ?? {}
  if (typeof json !== 'object' || json === null) return undefined
  if (!wrong(json)) return []
  const other = misread(json)
  if (other) return [told(other, 'is UTF-8 that was read in another encoding')]
  const escaped = markup ? undefined : entity(json)
  return escaped ? [told(escaped, 'is escaped as HTML or XML is, and JSON is not')] : []
}

function told({ place, text }: Found, what: string): Finding {
  const actual = brief(text)
  return { message: `the text ${actual} ${what}`, expected: 'the text itself', actual, place }
}
