import { relative } from 'node:path'
import { readText } from '../record/read-plain.ts'
import { validatorOf } from '../record/validators.ts'
import { builtList } from './built-lists.ts'
import { sourceOf } from './source.ts'
import { noteViolations } from './validate.ts'

/** One element of a file that holds a list, with the place where it begins. */
export interface Entry<T> {
  /** file:line:column */
  place: string
  value: T
}

/**
 * The elements of a YAML file that holds one list.
 *
 * @param schema name of the schema in schemas/assay that the file must follow. Unknown keys are errors: a typo in
 *   `checks` would otherwise leave a requirement unjudged.
 * @param problems each error is appended as `file:line:column: what is wrong. fix.`
 * @returns the elements that follow the schema.
 */
export function readList<T>(file: string, schema: string, problems: string[]): Entry<T>[] {
  const name = relative(process.cwd(), file)
  const text = textOf(file)
  const entries = builtList(file, schema, text)?.entries ?? parseList(name, schema, text, problems)
  return entries.map(({ line, column, value }) => {
    return { place: `${name}:${line}:${column}`, value: value as T }
  })
}

function textOf(file: string): string {
  try {
    return readText(file)
  } catch (error) {
    throw new Error(`${file} can't be read: ${(error as Error).message}`)
  }
}

/** The elements of a text that the build has not read. */
export function parseList(name: string, schema: string, text: string, problems: string[]) {
  const source = sourceOf(name, text)
  const isYaml = source.problems.length === 0
  const list: unknown = isYaml ? source.document.toJS() : []
  const violations = isYaml ? noteViolations(source, list, validatorOf(schema)) : []
  for (const { line, column, text: words } of source.problems) {
    problems.push(`${name}:${line}:${column}: ${words}`)
  }
  if (!Array.isArray(list)) return []
  const broken = new Set(violations.map(([index]) => index))
  return list.flatMap((value: unknown, index) =>
    broken.has(index) ? [] : [{ ...source.at([index]), value }],
  )
}
