import { createHash } from 'node:crypto'
import type { Level } from '../../engine/suite-api/check.ts'
import { IN_PATHS, LAWFUL_SEGMENTS, ROUTED, segmentOf } from './identifier-paths.ts'
import * as near from './identifier-rows.ts'
import type { Part, Value } from './value-type.ts'

/** Parts that the tables of ids share. */

/** An id, and ids that it may be confused with. */
export interface Ids {
  id: string
  ofOthers: Partial<Record<string, string>>
}

/** The level of accepting a wrong id, and the requirement. */
export interface Invalid {
  level: Level
  because: string
}

export type Others = readonly (readonly [kind: string, words: string, invalid: Invalid])[]

const OPAQUE = 'RFC 3986 3.3: “a path segment is considered opaque by the generic syntax”'

/** A non-existent id in the same format: its letters and digits are replaced. Undefined for a number. */
function neverExisting(id: string): string | undefined {
  const [prefix] = /^[a-z]+[-_.:]/i.exec(id) ?? ['']
  const rest = id.slice(prefix.length)
  if (rest.replace(/[^a-z\d]/gi, '').length < 16 || /^\d+$/.test(rest)) return undefined
  const last = /[g-z]/i.test(rest) ? 26 : 6
  const octets = createHash('sha512').update(`not ${id}`).digest()
  return `${prefix}${rest.replace(/[a-z\d]/gi, (one, at: number) => {
    const [first, size] = /\d/.test(one) ? ['0', 10] : [/[a-z]/.test(one) ? 'a' : 'A', last]
    const place = one.charCodeAt(0) - first.charCodeAt(0)
    const step = 1 + ((octets[at % octets.length] as number) % (size - 1))
    return String.fromCharCode(first.charCodeAt(0) + ((place + step) % size))
  })}`
}

function rowsOf<Right extends Ids>(
  rows: readonly near.NearRow[],
  { level, because }: Invalid,
  spell: (text: string) => string,
): Value<Right, string>[] {
  return rows.map(([id, words, of]) => ({
    ...{ id, words, level, because },
    make({ id: right, ofOthers }) {
      const text = of(right)
      const known = [right, ...Object.values(ofOthers)]
      return text === undefined || text === '' || known.includes(text) ? undefined : spell(text)
    },
  }))
}

/**
 * Ids that are similar to the correct one or do not exist, encoded for their place. A
 * bank that trims, unquotes or normalises one, or compares letters without case, returns only data of its owner: no must.
 */
export function nearParts<Right extends Ids>(
  invalid: Invalid,
  spell: (text: string) => string,
): Part<Right, string>[] {
  const part = (name: string, rows: readonly near.NearRow[], level = invalid.level) => ({
    part: name,
    rows: rowsOf<Right>(rows, { ...invalid, level }, spell),
  })
  const open = {
    level: 'observe' as const,
    because: `${OPAQUE}; no sentence says how ids are made, and to whoever decodes one it is the same`,
  }
  return [
    part('the whole string', near.WHOLE),
    part('the whole string: letters', near.LETTERS, 'should'),
    part('the whole string: spaces', near.SPACES, 'should'),
    part('the whole string: control characters', near.CONTROLS, 'should'),
    part('the whole string: patterns', near.PATTERNS),
    part('the whole string: query languages', near.INJECTIONS),
    part('the whole string: lists', near.LISTS),
    part('the whole string: quotation and encodings', near.QUOTED, 'should'),
    part('words that are no id', near.WORDS),
    part('numbers that a bank may count with', near.COUNTED),
    part('length', near.LONG),
    part('characters beyond ASCII', near.OTHER_LETTERS, 'should'),
    part('an id of its form that nobody has', [
      ['never-existing', 'of the same form that nobody has', neverExisting],
    ]),
    {
      part: 'other spellings of one UUID or number',
      rows: rowsOf<Right>(near.SAME_NUMBER, open, spell),
    },
  ]
}

/** Ids of something else, and lists that contain one. */
export function otherParts<Right extends Ids>(
  others: Others,
  lawful: Invalid & { words: string },
  invalid: Invalid,
  spell: (text: string) => string,
): Part<Right, string>[] {
  const idOf = (right: Right, kind: string) => {
    const other = right.ofOthers[kind]
    return other === right.id ? undefined : other
  }
  const withOwn =
    (join: (id: string, other: string) => string) =>
    (right: Right): string | undefined => {
      const other = idOf(right, 'own')
      return other === undefined ? undefined : spell(join(right.id, other))
    }
  return [
    {
      part: 'an id of something else',
      rows: others.map(([kind, words, { level, because }]) => ({
        ...{ id: kind.replace(/[A-Z]/g, (one) => `-${one.toLowerCase()}`), words, level, because },
        make: (right) => {
          const other = idOf(right, kind)
          return other === undefined ? undefined : spell(other)
        },
      })),
    },
    {
      part: 'another right one',
      rows: [
        {
          ...{ id: 'own', lawful: true, ...lawful },
          make: (right) => {
            const other = idOf(right, 'own')
            return other === undefined ? undefined : spell(other)
          },
        },
      ],
    },
    {
      part: 'two right ones',
      rows: [
        {
          ...{ id: 'comma-and-own', words: 'with a comma and another right one after it' },
          ...{ ...invalid, make: withOwn((id, other) => `${id},${other}`) },
        },
        {
          ...{
            id: 'bar-and-own',
            words: 'with a vertical bar and another right one after it',
          },
          ...{ ...invalid, make: withOwn((id, other) => `${id}|${other}`) },
        },
      ],
    },
  ]
}

export function pathParts<Right extends Ids>(
  invalid: Invalid,
  exact: Invalid,
): Part<Right, string>[] {
  return [
    {
      part: 'segment: the id',
      rows: [
        {
          ...{ id: 'exact', words: 'as it was given', lawful: true, ...exact },
          make: ({ id }) => segmentOf(id),
        },
      ],
    },
    ...LAWFUL_SEGMENTS.map(({ part, level, because, rows }) => ({
      part,
      rows: rows.map(([id, words, spell]) => ({
        ...{ id, words, level, because, lawful: true as const },
        make: (right: Right) => {
          const made = spell(right.id)
          return made === segmentOf(right.id) ? undefined : made
        },
      })),
    })),
    {
      part: 'segment: percent-encoding, once',
      rows: IN_PATHS.map(([id, words, spell]) => ({
        ...{ id, words, ...invalid, level: 'should' as const },
        make: (right: Right) => spell(right.id),
      })),
    },
    {
      part: 'segment: what servers add to it, or take from it',
      rows: ROUTED.map(([id, words, spell]) => ({
        ...{ id, words, level: 'observe' as const },
        because:
          'RFC 3986 3.3: “often used to delimit parameters and parameter values applicable to that segment”; 6.2.4: servers may serve both',
        make: (right: Right) => spell(right.id),
      })),
    },
    {
      part: 'segment: . and ..',
      none: '“Removed as part of the reference resolution process” (RFC 3986 6.2.2.3): they are never sent, also where they are encoded.',
    },
    {
      part: 'segment: empty',
      none: 'The path of the collection, with a slash after it, is another operation.',
    },
  ]
}
