import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ajv2020, AnySchemaObject, Options, ValidateFunction } from 'ajv/dist/2020.js'
import { builtValidator, loadAjv } from '../record/built-validators.ts'
import { root } from '../record/root.ts'
import { explain } from './explain.ts'
import type { Path, Source } from './source.ts'

const validators = new Map<string, ValidateFunction>()

/** The validator of a schema of schemas/assay, or of one of its $defs. */
export function validatorOf(name: string, definition?: string): ValidateFunction {
  const key = assayValidator(name, definition)
  const known = validators.get(key)
  if (known) return known
  const text = readFileSync(schemaFile(name), 'utf8')
  const validate = builtValidator(key, text) ?? ajvOfFiles().compile(wholeSchema(text, definition))
  validators.set(key, validate)
  return validate
}

export const schemaFile = (name: string) => join(root, 'schemas', 'assay', `${name}.schema.json`)

/** Its name among the built ones: assay/target/embedded. */
export const assayValidator = (name: string, definition?: string) =>
  ['assay', name, definition].filter(Boolean).join('/')

/** Ajv for files that people write. That each schema is one is shown by tests, once, not at every start. */
export function ajvOfFiles(code: Options['code'] = {}): Ajv2020 {
  const { Ajv2020 } = loadAjv()
  return new Ajv2020({ allErrors: true, verbose: true, strict: true, validateSchema: false, code })
}

/** A schema of schemas/assay, or one of its definitions with the others that it leads to. */
export function wholeSchema(text: string, definition?: string): AnySchemaObject {
  const schema = JSON.parse(text)
  return definition ? { ...schema, oneOf: undefined, $ref: `#/$defs/${definition}` } : schema
}

/** Notes each violation of a schema at its place in the file, and tells the places. */
export function noteViolations(source: Source, value: unknown, validate: ValidateFunction): Path[] {
  if (validate(value)) return []
  return (validate.errors ?? []).slice(0, MOST_SHOWN).map((error) => {
    const { path, atKey, text } = explain(error, pathOf(error.instancePath, value))
    if (atKey) source.complainOfKey(path, text)
    else source.complain(path, text)
    return path
  })
}

/** More violations than anybody reads at once. */
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
