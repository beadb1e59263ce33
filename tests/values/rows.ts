import { rowsOf, type Value, type ValueType } from '../../suites/values/value-type.ts'

/** Wrong and lawful rows of a type. */
export function divided<Right, Made>(type: ValueType<Right, Made>) {
  const rows = rowsOf(type)
  return {
    wrong: rows.filter(({ lawful }) => !lawful),
    lawful: rows.filter(({ lawful }) => lawful),
  }
}

/** The row of an id. */
export function rowOf<Right, Made>(type: ValueType<Right, Made>, id: string): Value<Right, Made> {
  const found = rowsOf(type).find((row) => row.id === id)
  if (!found) throw new Error(`${type.name} has no row ${id}`)
  return found
}

/** What rows make of a correct value: the ids of those that have such, with it. */
export function madeOf<Right, Made>(
  rows: readonly Value<Right, Made>[],
  right: Right,
): [id: string, made: Made][] {
  return rows.flatMap(({ id, make }) => {
    const made = make(right)
    return made === undefined ? [] : [[id, made] as [string, Made]]
  })
}
