import { brief, type Exchange, remembered } from '../engine/suite-api/responses.ts'
import type { Finding } from '../engine/suite-api/rule.ts'

/** A wrong text of an answer, and its place. */

interface Found {
  place: string
  text: string
}

/** A member that a bank returns as it was sent. */
const SENT = 'DebtorAccount'

/** Finds the first wrong text in a JSON value. Answers share bodies and rows: each is searched once. */
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

/** What programs write where they have no value. */
const PLACEHOLDER = /^(?:null|undefined|NaN|\[object Object\])(?:, (?:null|undefined))*$/

/** What programs for dates and tables write there. */
const BROKEN = /^(?:Invalid [Dd]ate|#(?:N\/A|REF!|DIV\/0!|VALUE!|NAME\?|NUM!|NULL!))$/

/** What a template leaves where a name is unknown, and an address that was made of nothing. */
const UNFILLED = [
  /\{\{[^{}]*\}\}/,
  /\$\{[\w.]+\}/,
  /^https?:\/\/[^?#\s]*\/(?:undefined|null|NaN|\[object Object\]|%5Bobject%20Object%5D)(?:[/?#]|$)/,
]

/** What Java, Go, C, .NET and Python write where a text is not one, but an object that holds it, or holds nothing. */
const OBJECT = [
  /^Optional(?:\.empty|\[.*\])$/,
  /^(?:\(null\)|<nil>)$/,
  /^(?:[a-z]\w*\.)+[A-Z][\w$]*@[\da-f]{4,8}$/,
  /^System\.(?:String|Object|Collections)\b[\w.`[\],]*$/,
  /^<[\w.]+ object at 0x[\da-f]+>$/i,
]

/**
 * UTF-8 that was read as windows-1252 or ISO 8859-1 and written as
 * UTF-8 again: Â£, Ã©, â€™. A quotation mark may follow any letter.
 */
const MISREAD = /Â[\u00a0-\u00bf]|Ã[\u0080-\u00aa\u00ac-\u00ba\u00bc-\u00bf‰Š]|â(?:€|\u0080)/

/**
 * Controls, except tabs and ends of lines: fillers of fields that are longer than their text, and characters of
 * windows-1252, such as its apostrophe, that were read as ISO 8859-1.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

/** Characters as HTML and XML escape them. In capitals they come from an acquirer that has no other letters. */
const ENTITY = /&(?:amp|lt|gt|quot|apos|nbsp|pound|#\d{2,5}|#[xX][\da-fA-F]{2,5});/

/** A character as JSON escapes it, in a text that was read from JSON. */
const ESCAPED_TWICE = /\\u[\da-fA-F]{4}/

/** A blank as a URL encodes it. */
const BLANK_OF_A_URL = /[A-Za-z,]%20[A-Za-z]/

/** RFC 3339 5.6 with an offset of some minutes, also without the colon of the offset, as Java writes it by default. */
const isElsewhere = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d:?\d\d$/i.test(text) &&
  !/[+-]00:?00$/.test(text)

const isPlaceholder = (text: string) =>
  PLACEHOLDER.test(text) || BROKEN.test(text) || OBJECT.some((written) => written.test(text))
const isUnread = (text: string) => text.includes('\ufffd')
const isMisread = (text: string) => MISREAD.test(text)
const hasControls = (text: string) => CONTROL.test(text)
const isEscaped = (text: string) => ENTITY.test(text)
const isOfJson = (text: string) => ESCAPED_TWICE.test(text)
/** Is it encoded as in a URL, and no URL? Then it has no blank. */
const isOfUrl = (text: string) =>
  BLANK_OF_A_URL.test(text) && !/\s/.test(text) && !text.includes('://')

const READ_WRONGLY = [isUnread, isMisread, isEscaped, isOfJson, isOfUrl]

/** Was the text read in another encoding than it was written in, or escaped twice? */
export const isWronglyRead = (text: string): boolean => READ_WRONGLY.some((is) => is(text))

const WRONG = [isPlaceholder, ...READ_WRONGLY, hasControls, isElsewhere]

/** Nearly all answers have no wrong text: a single search shows that. */
const wrong = searchFor((text) => WRONG.some((is) => is(text)))
const placeholder = searchFor(isPlaceholder)
const unread = searchFor(isUnread)
const misread = searchFor(isMisread)
const controlled = searchFor(hasControls)
const entity = searchFor(isEscaped)
const escapedTwice = searchFor(isOfJson)
const ofUrl = searchFor(isOfUrl)
const elsewhere = searchFor(isElsewhere)

/** A finding for the first text that is a placeholder for no value; undefined where the answer is no JSON. */
export function placeholdersIn({ response }: Exchange): Finding[] | undefined {
  const { json, notUtf8 } = response ?? {}
  if (typeof json !== 'object' || json === null) return undefined
  if (!wrong(json)) return []
  const none = placeholder(json)
  if (none) return [told(none, 'stands for no value')]
  // Bytes that are not UTF-8 are judged by another rule.
  const lost = notUtf8 ? undefined : unread(json)
  return lost ? [told(lost, 'stands for a character that nobody could read')] : []
}

const unfilled = searchFor((text) => UNFILLED.some((left) => left.test(text)))

/**
 * A finding for the first text in which a template left a name, or an address without its last part. Not for answers that
 * repeat what was asked for, such as Links.Self.
 */
export function unfilledIn({ response }: Exchange): Finding[] | undefined {
  const { json } = response ?? {}
  if (typeof json !== 'object' || json === null) return undefined
  const found = unfilled(json)
  return found ? [told(found, 'has a name in the place of a value')] : []
}

/**
 * A finding for the first text that was read in another encoding than it was written in.
 *
 * @param markup texts may be written as HTML.
 */
export function misreadIn({ response }: Exchange, markup = false): Finding[] | undefined {
  const { json } = response ?? {}
  if (typeof json !== 'object' || json === null) return undefined
  if (!wrong(json)) return []
  const other = misread(json)
  if (other) return [told(other, 'is UTF-8 that was read in another encoding')]
  const padded = controlled(json)
  if (padded) return [told(padded, 'has control characters, which no text needs')]
  const twice = escapedTwice(json)
  if (twice) return [told(twice, 'is escaped twice as JSON is')]
  const encoded = ofUrl(json)
  if (encoded) return [told(encoded, 'is encoded as a URL is')]
  const escaped = markup ? undefined : entity(json)
  return escaped ? [told(escaped, 'is escaped as HTML or XML is, and JSON is not')] : []
}

/** The first date-time of an answer that is in another zone than UTC, whichever member it is of. */
export function zonesIn({ response }: Exchange): Finding[] | undefined {
  const { json } = response ?? {}
  if (typeof json !== 'object' || json === null) return undefined
  const found = wrong(json) && elsewhere(json)
  return found ? [told(found, 'is a time of another zone than UTC')] : []
}

function told({ place, text }: Found, what: string): Finding {
  const actual = brief(text)
  return { message: `the text ${actual} ${what}`, expected: 'the text itself', actual, place }
}
