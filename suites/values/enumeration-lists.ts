import { mayTake, type Row, right, strange, valueInstead } from './enumeration-rows.ts'
import type { Enumeration, Terms } from './enumeration-terms.ts'
import type { Part } from './value-type.ts'

/** The number of values in an array, and a wrong one among them. */
export function numbersOfStrings(terms: Terms): Part<Enumeration, unknown>[] {
  const beside = (
    id: string,
    words: string,
    place: (chosen: readonly string[], other: string) => readonly string[] | undefined,
  ): Row => ({
    ...{ id, words, level: terms.level, because: terms.because },
    make: (values) => {
      const other = strange(values, terms)
      return other === undefined ? undefined : place(values.chosen, other)
    },
  })
  return [
    {
      part: 'one or more of the values',
      rows: [
        right(terms, ['exact', 'as they are needed', ({ chosen }) => [...chosen]]),
        right(terms, ['all', 'of every allowed one', every], terms.all),
      ],
    },
    {
      part: 'their order',
      rows: [
        right(terms, ['reversed', 'in the other order', ({ chosen }) => turned(chosen)]),
        right(
          terms,
          [
            'all-reversed',
            'of every allowed one, in the other order',
            (values) => turned(every(values) ?? []),
          ],
          terms.all,
        ),
      ],
    },
    {
      part: 'one of the values twice',
      rows: [
        right(
          terms,
          [
            'duplicate',
            'with one of them twice',
            ({ chosen }) => [...chosen, ...chosen.slice(0, 1)],
          ],
          'observe',
        ),
        right(
          terms,
          [
            'duplicate-beside',
            'with one of them twice, side by side',
            ({ chosen }) => (chosen.length > 1 ? [...chosen.slice(0, 1), ...chosen] : undefined),
          ],
          'observe',
        ),
      ],
    },
    {
      part: 'another value among those allowed',
      rows: [
        beside('other-behind', 'with another value at their end', (chosen, other) => [
          ...chosen,
          other,
        ]),
        beside('other-before', 'with another value at their beginning', (chosen, other) => [
          other,
          ...chosen,
        ]),
        beside('other-between', 'with another value in their middle', (chosen, other) =>
          chosen.length > 1 ? chosen.toSpliced(chosen.length >> 1, 0, other) : undefined,
        ),
        beside('other-alone', 'of another value alone', (_, other) => [other]),
        beside('other-twice', 'of another value twice', (_, other) => [other, other]),
        beside('empty-behind', 'with an empty one at their end', (chosen) => [...chosen, '']),
        beside('empty-before', 'with an empty one at their beginning', (chosen) => ['', ...chosen]),
      ],
    },
  ]
}

function every({ allowed, chosen }: Enumeration): readonly string[] | undefined {
  return chosen.length < allowed.length ? [...allowed] : undefined
}

const turned = (values: readonly string[]) => (values.length > 1 ? values.toReversed() : undefined)

/** The correct value, and two values in one string. */
export function twoInOne(terms: Terms): Part<Enumeration, unknown> {
  const { because, level, spaces = level } = terms
  const row = (
    id: string,
    words: string,
    join: (value: string, other: string) => string,
    broken = level,
  ): Row => ({
    ...{ id, words, because, level: broken },
    make: (values) => {
      const [value] = values.chosen
      const other = values.allowed.find((one) => one !== value) ?? strange(values, terms)
      if (value === undefined || other === undefined) return undefined
      const made = join(value, other)
      return mayTake(values, terms, made) ? undefined : made
    },
  })
  return {
    part: 'one of the values, alone',
    rows: [
      right(terms, ['exact', 'as it is needed', ({ chosen }) => chosen[0]]),
      row('comma-and-other', 'with a comma and another value after it', (a, b) => `${a},${b}`),
      row('other-and-comma', 'with another value and a comma before it', (a, b) => `${b},${a}`),
      row('space-and-other', 'with a space and another value after it', (a, b) => `${a} ${b}`),
      row('bar-and-other', 'with a vertical bar and another value', (a, b) => `${a}|${b}`),
      row('comma-and-itself', 'with a comma and itself after it', (a) => `${a},${a}`),
      row('space-and-itself', 'with a space and itself after it', (a) => `${a} ${a}`, spaces),
    ],
  }
}

/** Values that exist elsewhere, each in place of the last correct one. */
export function othersOf(terms: Terms): Part<Enumeration, unknown> {
  const { because, level, others } = terms
  return {
    part: 'values that are none of them',
    rows: others.map(([id, value, own = level]) => ({
      ...{ id, because, level: own },
      words: `with ${value} for a value`,
      make: (right) =>
        mayTake(right, terms, value) ? undefined : valueInstead(right, terms, value),
    })),
  }
}

/** A parameter that is repeated. */
export function repeated(terms: Terms): Part<Enumeration, unknown> {
  const because =
    'RFC 6749 3.1 and 3.2: “parameters MUST NOT be included more than once”, 5.2 invalid_request: “repeats a parameter”'
  const twice = (
    id: string,
    words: string,
    order: (value: string, other: string) => readonly string[],
  ): Row => ({
    ...{ id, words, because, level: 'should' },
    make: (values) => {
      const [value] = values.chosen
      const other = strange(values, terms)
      return value === undefined || other === undefined ? undefined : order(value, other)
    },
  })
  return {
    part: 'the parameter: once',
    rows: [
      twice('sent-twice', 'that is sent twice', (value) => [value, value]),
      twice('sent-before-other', 'that is sent before another value', (a, b) => [a, b]),
      twice('sent-after-other', 'that is sent after another value', (a, b) => [b, a]),
    ],
  }
}
