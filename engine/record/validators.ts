import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ajv2020, AnySchemaObject, Options, ValidateFunction } from 'ajv/dist/2020.js'
import { builtValidator, loadAjv } from './built-validators.ts'
import { root } from './root.ts'

const validators = new Map<string, ValidateFunction>()

/** Schemas of files that programs write: if somebody changed such a file, the first violation is enough. */
const WRITTEN_BY_PROGRAMS = ['report', 'exchange', 'statement', 'history', 'clients', 'journal']

/** The validator of a schema of schemas/assay, or of one of its $defs. */
export function validatorOf(name: string, definition?: string): ValidateFunction {
  const key = assayValidator(name, definition)
  const known = validators.get(key)
  if (known) return known
  const text = readFileSync(schemaFile(name), 'utf8')
  const validate =
    builtValidator(key, text) ?? ajvOfFiles(name).compile(wholeSchema(text, definition))
  validators.set(key, validate)
  return validate
}

export const schemaFile = (name: string) => join(root, 'schemas', 'assay', `${name}.schema.json`)

/** Its name among the built validators: assay/target/embedded. */
export const assayValidator = (name: string, definition?: string) =>
  ['assay', name, definition].filter(Boolean).join('/')

/** Ajv for a schema of schemas/assay. Tests verify once that each is a valid schema; no start does. */
export function ajvOfFiles(name: string, code: Options['code'] = {}): Ajv2020 {
  const { Ajv2020 } = loadAjv()
  const allErrors = !WRITTEN_BY_PROGRAMS.includes(name)
  return new Ajv2020({ allErrors, verbose: true, strict: true, validateSchema: false, code })
}

/** A schema of schemas/assay, or one of its definitions together with those that it refers to. */
export function wholeSchema(text: string, definition?: string): AnySchemaObject {
  const schema = JSON.parse(text)
  return definition ? { $defs: schema.$defs, $ref: `#/$defs/${definition}` } : schema
}
