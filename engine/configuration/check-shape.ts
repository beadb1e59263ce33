import type { ErrorObject } from 'ajv/dist/2020.js'
import type { Source } from '../yaml/source.ts'
import { noteViolations, pathOf, validatorOf } from '../yaml/validate.ts'

/**
 * Checks a document against schemas/assay/target.schema.json and notes each problem at its place.
 * The `bank` member decides which of the two shapes it must have, so that errors are of that shape.
 *
 * @param filled paths of values from the environment or a file: a number may be spelled as text.
 * @returns the document, numbers and booleans among the filled values converted.
 */
export function checkShape(source: Source, filled: Set<string>): unknown {
  const value: unknown = source.document.toJS()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    source.complain([], 'a target file is an object. Start with name: and addresses:.')
    return value
  }
  const validate = validatorOf('target', 'bank' in value ? 'embedded' : 'target')
  if (validate(value)) return value
  for (const error of validate.errors ?? []) convert(value, error, filled)
  noteViolations(source, value, validate)
  return value
}

function convert(value: object, error: ErrorObject, filled: Set<string>): void {
  if (error.keyword !== 'type' || typeof error.data !== 'string') return
  const path = pathOf(error.instancePath, value)
  if (!filled.has(JSON.stringify(path))) return
  const { type } = error.params as { type: string }
  const converted = spelled(error.data.trim(), type)
  const parent = path.slice(0, -1).reduce<unknown>((node, key) => member(node, key), value)
  const key = path.at(-1)
  if (converted === undefined || key === undefined || typeof parent !== 'object') return
  Object.assign(parent ?? {}, { [key]: converted })
}

function spelled(text: string, type: string): number | boolean | undefined {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return undefined
}

function member(node: unknown, key: string | number): unknown {
  return (node as Record<string | number, unknown> | undefined)?.[key]
}
