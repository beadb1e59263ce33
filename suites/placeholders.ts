import { brief } from '../engine/suite-api/responses.ts'
import type { Finding } from '../engine/suite-api/rule.ts'

/** What a program writes where it has no value, and where it could not read a character. */
const PLACEHOLDER = /^(?:null|undefined|NaN|\[object Object\])(?:, (?:null|undefined))*$/

/** The first text of a JSON value that stands for nothing, by its place; none where there is no such. */
export function placeholdersIn(json: unknown): Finding[] {
  const found = placeOf(json, '')
  if (!found) return []
  const { place, text } = found
  const what = text.includes('\ufffd') ? 'a character that nobody could read' : 'no value'
  return [
    {
      message: `the text ${brief(text)} stands for ${what}`,
      expected: 'a text, or no member',
      actual: brief(text),
      place,
    },
  ]
}

function placeOf(value: unknown, place: string): { place: string; text: string } | undefined {
  if (typeof value === 'string') {
    return PLACEHOLDER.test(value) || value.includes('\ufffd') ? { place, text: value } : undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const found = placeOf(member, `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    if (found) return found
  }
  return undefined
}
