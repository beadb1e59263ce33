import { brief, type Exchange } from '../engine/suite-api/responses.ts'
import type { Finding } from '../engine/suite-api/rule.ts'

/** What a program writes where it has no value, and where it could not read a character. */
const PLACEHOLDER = /^(?:null|undefined|NaN|\[object Object\])(?:, (?:null|undefined))*$/

/** What a bank gives back as it was sent. */
const SENT = 'DebtorAccount'

/** The first text of an answer that stands for nothing, by its place; undefined where the answer is no JSON. */
export function placeholdersIn({ response }: Exchange): Finding[] | undefined {
  const { json, notUtf8 } = response ?? {}
  if (typeof json !== 'object' || json === null) return undefined
  // Bytes that are no UTF-8 are another one's finding.
  const found = placeOf(json, '', notUtf8 === true)
  if (!found) return []
  const { place, text } = found
  const what = text.includes('\ufffd') ? 'a character that nobody could read' : 'no value'
  const message = `the text ${brief(text)} stands for ${what}`
  return [{ message, expected: 'a text, or no member', actual: brief(text), place }]
}

function placeOf(
  value: unknown,
  place: string,
  anyCharacter: boolean,
): { place: string; text: string } | undefined {
  if (typeof value === 'string') {
    const isUnread = !anyCharacter && value.includes('\ufffd')
    return PLACEHOLDER.test(value) || isUnread ? { place, text: value } : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    if (name === SENT) continue
    const pointer = `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const found = placeOf(member, pointer, anyCharacter)
    if (found) return found
  }
  return undefined
}
