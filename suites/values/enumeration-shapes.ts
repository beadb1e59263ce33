import type { Make, Row } from './enumeration-rows.ts'
import type { Enumeration, Terms } from './enumeration-terms.ts'
import type { Part } from './value-type.ts'

type Shape = readonly [id: string, words: string, make: Make]

/** Several values in one string of an array: correct type, wrong value. */
const JOINED: readonly Shape[] = [
  [
    'commas-in-array',
    'in one string of an array, with commas',
    ofSeveral((all) => [all.join(',')]),
  ],
  [
    'spaces-in-array',
    'in one string of an array, with spaces',
    ofSeveral((all) => [all.join(' ')]),
  ],
]

/** JSON values that are not a string, or not an array of strings. */
export function shapesOf(terms: Terms): Part<Enumeration, unknown>[] {
  const { level, because } = terms.type ?? terms
  const rows = (shapes: readonly Shape[], grounds = { level, because }): Row[] =>
    shapes.map(([id, words, make]) => ({ id, words, ...grounds, make }))
  const none: Row = {
    ...{ id: 'null', words: 'that is null', make: () => null },
    ...(terms.required === undefined
      ? { level, because }
      : { level: 'must', because: terms.required }),
  }
  const array = terms.shape === 'array'
  return [
    {
      part: 'JSON shape: strings for arrays, and arrays for strings',
      rows: rows(array ? ONE_STRING : IN_ARRAYS),
    },
    ...(array
      ? [
          {
            part: 'several values in one string of an array',
            rows: rows(JOINED, { level: terms.level, because: terms.because }),
          },
        ]
      : []),
    { part: 'JSON shape: objects', rows: rows(array ? ARRAY_IN_OBJECTS : STRING_IN_OBJECTS) },
    {
      part: 'JSON shape: numbers and literals',
      rows: [none, ...rows([...LITERALS, ...(array ? AMONG_THEM : [EMPTY_ARRAY])])],
    },
    {
      part: 'escapes of a JSON string',
      none: 'They are undone before the value is read (RFC 8259 7), so they belong to the place that writes the body.',
    },
  ]
}

const ONE_STRING: readonly Shape[] = [
  ['one-string', 'that is one string', ({ chosen }) => chosen[0]],
  ['joined-by-commas', 'in one string, joined by commas', ofSeveral((all) => all.join(','))],
  ['joined-by-spaces', 'in one string, joined by spaces', ofSeveral((all) => all.join(' '))],
  ['json-text', 'that is a string of JSON', ({ chosen }) => JSON.stringify(chosen)],
  ['nested', 'in an array in an array', ({ chosen }) => [[...chosen]]],
  ['each-nested', 'of which each is in an array', ofSeveral((all) => all.map((one) => [one]))],
  [
    'last-nested',
    'of which the last is in an array',
    ofSeveral((all) => [...all.slice(0, -1), all.slice(-1)]),
  ],
]

const IN_ARRAYS: readonly Shape[] = [
  ['json-text', 'that is a string of JSON', ({ chosen }) => JSON.stringify(chosen[0])],
  ['in-array', 'in an array', ({ chosen }) => [...chosen]],
  ['nested', 'in an array in an array', ({ chosen }) => [[...chosen]]],
]

const ARRAY_IN_OBJECTS: readonly Shape[] = [
  ['empty-object', 'that is an empty object', () => ({})],
  ['by-index', 'in an object, by their numbers', ({ chosen }) => ({ ...chosen })],
  [
    'by-name',
    'that are names of an object',
    ({ chosen }) => Object.fromEntries(chosen.map((one) => [one, true])),
  ],
  [
    'in-objects',
    'of which each is in an object',
    ({ chosen }) => chosen.map((value) => ({ value })),
  ],
]

const STRING_IN_OBJECTS: readonly Shape[] = [
  ['empty-object', 'that is an empty object', () => ({})],
  ['in-object', 'in an object', ({ chosen: [value] }) => ({ value })],
  ['by-name', 'that is a name of an object', ({ chosen: [value = ''] }) => ({ [value]: true })],
]

const LITERALS: readonly Shape[] = [
  ['number', 'that is a number', () => 1],
  ['zero', 'that is zero', () => 0],
  ['true', 'that is true', () => true],
  ['false', 'that is false', () => false],
]

/** For arrays this row is about the number of values. */
const EMPTY_ARRAY: Shape = ['empty-array', 'that is an empty array', () => []]

const AMONG_THEM: readonly Shape[] = [
  ['null-inside', 'with null among them', ({ chosen }) => [...chosen, null]],
  ['number-inside', 'with a number among them', ({ chosen }) => [...chosen, 1]],
  ['true-inside', 'with true among them', ({ chosen }) => [...chosen, true]],
  ['object-inside', 'with an object among them', ({ chosen }) => [...chosen, {}]],
]

/** Only for two or more values: a single value is covered by another row. */
function ofSeveral(make: (all: readonly string[]) => unknown): Make {
  return ({ chosen }) => (chosen.length > 1 ? make(chosen) : undefined)
}
