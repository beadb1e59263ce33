import type { Level } from '../../engine/suite-api/check.ts'
import type { Enumeration, Terms } from './enumeration-terms.ts'
import type { Value } from './value-type.ts'

export type Row = Value<Enumeration, unknown>

export type Make = Row['make']

/** A similar spelling of a value; it may return the value itself, or undefined, if there is none for it. */
export type Spelling = readonly [
  id: string,
  words: string,
  spell: (value: string) => string | undefined,
]

/** Puts a value in place of the last one of the request. */
export function valueInstead({ chosen }: Enumeration, { shape }: Terms, value: string): unknown {
  return shape === 'string' ? value : [...chosen.slice(0, -1), value]
}

/** May a bank accept this value? */
export function mayTake({ allowed }: Enumeration, { open }: Terms, value: string): boolean {
  return allowed.includes(value) || open?.(value) === true
}

/** The first value that is not allowed here. */
export function strange(values: Enumeration, terms: Terms): string | undefined {
  return terms.others.find(([, value]) => !mayTake(values, terms, value))?.[1]
}

/** Wrong spellings of a correct value; undefined where there is none, or where a bank may accept it. */
export function misspelt(terms: Terms, rows: readonly Spelling[], level = terms.level): Row[] {
  const { because } = terms
  return rows.map(([id, words, spell]) => ({
    ...{ id, words, level, because },
    make: (right) => {
      const value = right.chosen.at(-1)
      const other = value === undefined ? undefined : spell(value)
      if (other === undefined || mayTake(right, terms, other)) return undefined
      return valueInstead(right, terms, other)
    },
  }))
}

export function right(
  terms: Terms,
  [id, words, make]: readonly [string, string, Make],
  level: Level = terms.right.level,
): Row {
  return { id, words, lawful: true, level, because: terms.right.because, make }
}
