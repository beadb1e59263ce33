import { dirname } from 'node:path'
import { readPlain } from '../record/read-plain.ts'
import { sourceOf } from '../yaml/source.ts'
import { checkSense } from './check-sense.ts'
import { checkShape } from './check-shape.ts'
import { type Environment, interpolate, reason } from './interpolate.ts'
import { type Target, targetFrom } from './resolve.ts'
import type { TargetDocument } from './target.ts'
import { TargetError, throwProblems } from './target-error.ts'

/** Options of the reference bank in a target file that says `bank: embedded`. */
export interface EmbeddedOptions {
  name: string
  port?: number
  transactions?: number
}

export type TargetFile =
  | { kind: 'embedded'; options: EmbeddedOptions }
  | { kind: 'bank'; target: Target }

/**
 * Reads a target file of either kind: YAML or JSON, values from the environment and from files
 * filled in, every key and certificate opened.
 *
 * @throws TargetError with all problems as `file:line:column: what is wrong. mend.`
 */
export async function readTargetFile(
  path: string,
  env: Environment = process.env,
): Promise<TargetFile> {
  const source = sourceOf(path, textOf(path))
  throwProblems(source)
  const filled = interpolate(source, env)
  // What could not be filled in would only be complained of again.
  throwProblems(source)
  const value = checkShape(source, filled)
  throwProblems(source)
  if ('bank' in (value as object)) {
    const { bank: _, ...options } = value as EmbeddedOptions & { bank: string }
    return { kind: 'embedded', options: { ...options, name: options.name ?? 'embedded' } }
  }
  const document = value as TargetDocument
  checkSense(source, document)
  throwProblems(source)
  return { kind: 'bank', target: targetFrom(document, dirname(path)) }
}

/**
 * Reads a target file that describes a bank by its addresses.
 *
 * @throws TargetError as readTargetFile, and when the file asks for the reference bank.
 */
export async function loadTarget(path: string, env: Environment = process.env): Promise<Target> {
  const read = await readTargetFile(path, env)
  if (read.kind === 'bank') return read.target
  const text = 'this asks for the reference bank, which is not running. Describe a bank.'
  throw new TargetError(path, [{ line: 1, column: 1, text }])
}

function textOf(path: string): string {
  try {
    return readPlain(path).toString('utf8')
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT'
    const why = absent ? 'there is no such file. Correct --target' : reason(error)
    const text = `the target file cannot be read: ${why}.`
    throw new TargetError(path, [{ line: 1, column: 1, text }])
  }
}
