import { numbersOfStrings, othersOf, repeated, twoInOne } from './enumeration-lists.ts'
import type { Row } from './enumeration-rows.ts'
import { shapesOf } from './enumeration-shapes.ts'
import { spellingsOf } from './enumeration-spellings.ts'
import type { Enumeration, Terms } from './enumeration-terms.ts'
import type { Part, ValueType } from './value-type.ts'

/**
 * Values of an enumeration: spelling, JSON shape and number of values, separately.
 * A parameter that is an array is sent once for each value. If two rows make the
 * same value, the first one has it. A row that makes no usual value is left out.
 */
export function enumeration(terms: Terms): ValueType<Enumeration, unknown> {
  const parts = [
    ...(terms.shape === 'array' ? numbersOfStrings(terms) : [twoInOne(terms)]),
    othersOf(terms),
    ...spellingsOf(terms),
    ...(terms.in === 'body' ? shapesOf(terms) : [repeated(terms)]),
    ...(terms.more ?? []),
  ]
  return { name: terms.name, grammar: terms.grammar, parts: distinct(parts, usual(terms)) }
}

/** Usual correct values: each alone, and several together. */
function usual({ values, shape }: Terms): Enumeration[] {
  const alone = values.map((one) => ({ allowed: values, chosen: [one] }))
  const several = [values.slice(0, -1), values.slice(-2), values].filter(({ length }) => length > 1)
  if (shape === 'string') return alone
  return [...alone, ...several.map((chosen) => ({ allowed: values, chosen }))]
}

function distinct(
  parts: readonly Part<Enumeration, unknown>[],
  rights: readonly Enumeration[],
): Part<Enumeration, unknown>[] {
  const all = parts.flatMap(({ rows = [] }) => rows)
  const firsts = new WeakMap<Enumeration, ReadonlyMap<Row, unknown>>()
  const firstsOf = (right: Enumeration) => {
    const known = firsts.get(right) ?? firstOfEach(all, right)
    firsts.set(right, known)
    return known
  }
  const found = new Set(rights.flatMap((right) => [...firstsOf(right).keys()]))
  return parts.map(({ part, rows = [], none }) => {
    const kept = rows.filter((row) => found.has(row))
    if (kept.length === 0) return { part, none: none ?? 'No right value can be spelled so.' }
    return {
      part,
      rows: kept.map((row) => ({ ...row, make: (right) => firstsOf(right).get(row) })),
    }
  })
}

/** The values that each row makes and no earlier row makes. */
function firstOfEach(rows: readonly Row[], right: Enumeration): ReadonlyMap<Row, unknown> {
  const texts = new Set<string>()
  const made = new Map<Row, unknown>()
  for (const row of rows) {
    const value = row.make(right)
    const text = value === undefined ? undefined : JSON.stringify(value)
    if (text === undefined || texts.has(text)) continue
    texts.add(text)
    made.set(row, value)
  }
  return made
}
