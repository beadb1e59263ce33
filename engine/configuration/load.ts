import { dirname } from 'node:path'
import type { ErrorObject } from 'ajv/dist/2020.js'
import type { Document } from 'yaml'
import { isObject } from '../record/json.ts'
import { ASSAY, word } from '../record/program.ts'
import { validatorOf } from '../record/validators.ts'
import type { Source } from '../yaml/source.ts'
import { noteViolations, pathOf } from '../yaml/validate.ts'
import { checkSense } from './check-sense.ts'
import { type Environment, filledSource, reason } from './interpolate.ts'
import { type TargetFileDocument, withNobody } from './products-alone.ts'
import { type Target, targetFrom } from './resolve.ts'
import { throwProblems } from './target-error.ts'

/** Options of the reference bank in a target file with `bank: embedded`. */
export interface EmbeddedOptions {
  name: string
  port?: number
  transactions?: number
}

export type TargetFile =
  | { kind: 'embedded'; options: EmbeddedOptions }
  | { kind: 'bank'; target: Target }

/**
 * Reads a target file of either kind: YAML or JSON, with values from the environment and from files, and every key and
 * certificate loaded.
 *
 * @throws TargetError with all problems as `file:line:column: what is wrong. fix.`
 */
export async function readTargetFile(
  path: string,
  env: Environment = process.env,
): Promise<TargetFile> {
  const unread = (error: NodeJS.ErrnoException) => {
    const absent = error.code === 'ENOENT'
    const why = absent ? 'there is no such file. Correct --target' : reason(error)
    return `the target file cannot be read: ${why}.`
  }
  const ofATpp = (document: Document) =>
    document.hasIn(['client', 'driver'])
      ? `this file describes a TPP, not a bank. Name it with --tpp: ${ASSAY} tpp --tpp ${word(path)} judges it.`
      : undefined
  const { source, filled } = filledSource(path, env, unread, ofATpp)
  const value = checkShape(source, filled)
  throwProblems(source)
  if ('bank' in (value as object)) {
    const { bank: _, ...options } = value as EmbeddedOptions & { bank: string }
    return { kind: 'embedded', options: { ...options, name: options.name ?? 'embedded' } }
  }
  const document = withNobody(value as TargetFileDocument)
  checkSense(source, document)
  throwProblems(source)
  return { kind: 'bank', target: targetFrom(document, dirname(path)) }
}

/**
 * Validates a document against schemas/assay/target.schema.json and reports each problem at its position. The `bank`
 * member decides which of the two forms applies, so that errors refer to that form.
 *
 * @param filled paths of values from the environment or a file: numbers there may be written as strings.
 * @returns the document, with numbers and booleans among the filled values converted.
 */
function checkShape(source: Source, filled: Set<string>): unknown {
  const value: unknown = source.document.toJS()
  if (!isObject(value)) {
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
  const converted = spelled(error.data.trim(), String(error.params.type))
  if (converted === undefined || !filled.has(JSON.stringify(path))) return
  const parent = path.slice(0, -1).reduce((node, key) => Reflect.get(node, key), value)
  Reflect.set(parent, path.at(-1) ?? '', converted)
}

function spelled(text: string, type: string): number | boolean | undefined {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return undefined
}
