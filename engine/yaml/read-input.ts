import { relative } from 'node:path'
import { InputError } from '../record/input-error.ts'
import { readText } from '../record/read-plain.ts'
import { validatorOf } from '../record/validators.ts'
import { sourceOf } from './source.ts'
import { noteViolations } from './validate.ts'

/**
 * The content of a YAML file that the user named, valid for its schema in schemas/assay.
 *
 * @throws InputError with each mistake as `file:line:column: what is wrong. fix.`
 */
export function readInput(file: string, schema: string): unknown {
  const name = relative(process.cwd(), file) || file
  const source = sourceOf(name, textIn(file))
  const value: unknown = source.problems.length === 0 ? source.document.toJS() : undefined
  if (source.problems.length === 0) noteViolations(source, value, validatorOf(schema))
  if (source.problems.length === 0) return value
  const lines = source.problems.map(
    ({ line, column, text }) => `${name}:${line}:${column}: ${text}`,
  )
  throw new InputError(lines.join('\n'))
}

function textIn(file: string): string {
  try {
    return readText(file)
  } catch (error) {
    throw new InputError(`${file} can't be read: ${(error as Error).message}`)
  }
}
