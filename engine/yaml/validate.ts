import type { ValidateFunction } from 'ajv/dist/2020.js'
import { explain } from './explain.ts'
import type { Path, Source } from './source.ts'

/** Records each violation of a schema at its place in the file, and returns the places. */
export function noteViolations(source: Source, value: unknown, validate: ValidateFunction): Path[] {
  if (validate(value)) return []
  // `if` only repeats the errors of its branch, which are listed as well.
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if')
  return errors.slice(0, MOST_SHOWN).map((error) => {
    const { path, atKey, text } = explain(error, pathOf(error.instancePath, value))
    if (atKey) source.complainOfKey(path, text)
    else source.complain(path, text)
    return path
  })
}

/** Maximum number of violations shown. */
const MOST_SHOWN = 50

/** A JSON pointer as a path; an index of an array becomes a number. */
export function pathOf(pointer: string, value: unknown): Path {
  const path: Path = []
  let node = value
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    const key = Array.isArray(node) ? Number(name) : name
    path.push(key)
    node = (node as Record<string | number, unknown> | undefined)?.[key]
  }
  return path
}
