import type { ErrorObject } from 'ajv/dist/2020.js'
import { InputError } from './input-error.ts'
import { validatorOf } from './validators.ts'

/** The form that a value must have, where the value comes from, and how to fix it. */
export interface Form {
  /** Name of a schema of schemas/assay; with `#`, one of its $defs: report#check. */
  schema: string
  /** File, or file:line. */
  where: string
  /** A sentence. */
  mend: string
}

/** Maximum nesting depth of objects and lists; Assay's own files have about twelve levels. */
export const DEEPEST = 100

/** @throws InputError, one line, if the text is not JSON of this form */
export function formedJson<T>(text: string, form: Form): T {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw malformed(form, `is not JSON: ${(error as Error).message}`)
  }
  return formed<T>(value, form)
}

/** @throws InputError, one line, if the value is not of this form */
export function formed<T>(value: unknown, form: Form): T {
  const problem = problemOf(value, form.schema)
  if (problem !== undefined) throw malformed(form, problem)
  return value as T
}

/** Why a value does not have a form, in words that follow its position; undefined if it does. */
export function problemOf(value: unknown, schema: string): string | undefined {
  if (deeperThan(value, DEEPEST)) return `holds more than ${DEEPEST} levels in each other`
  const [name = '', definition] = schema.split('#')
  const validate = validatorOf(name, definition)
  if (validate(value)) return undefined
  const [error] = validate.errors ?? []
  return error ? inWords(error) : 'is not of its form'
}

const malformed = ({ where, mend }: Form, problem: string) =>
  new InputError(`${where} ${problem.replaceAll(/\s+/g, ' ')}. ${mend}`)

/** A longer path has member names that only somebody who changed the file can have added. */
const LONGEST_PLACE = 200

/** `at checks[3].outcome must be string`; the text contains no value. */
function inWords({ instancePath, keyword, params, message = 'is wrong' }: ErrorObject): string {
  const place = instancePath
    .replaceAll(/\/([0-9]+)(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
    .replace(/^\./, '')
    .slice(0, LONGEST_PLACE)
  const values = keyword === 'enum' ? ` (${params.allowedValues.join(', ')})` : ''
  const known = keyword === 'const' ? ` (${params.allowedValue})` : ''
  return `${place === '' ? '' : `at ${place} `}${message}${values}${known}`
}

/** True if a value has more levels of objects and lists in each other than `most`. */
export function deeperThan(value: unknown, most: number): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    )
  }
  return false
}
