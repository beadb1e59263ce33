import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { root } from './root.ts'

const require = createRequire(import.meta.url)

/** Where the build puts validators: standalone code of ajv. Compiling one takes longer than most of its uses. */
export const BUILT_VALIDATORS = join(root, 'dist', 'validators')

/** The module that the build writes for one schema. */
interface BuiltValidator {
  /** Digest of the schema's text at build time. */
  digest: string
  /** @param pass what the keywords of engine/judge/schema-keywords.ts write to. */
  make(pass?: unknown): ValidateFunction
}

/**
 * The validator that the build made from exactly this text; undefined if the text differs or there is none.
 *
 * @param name of the schema's file below schemas/, without its ending, optionally with one of its $defs.
 */
export function builtValidator(name: string, text: string, pass?: unknown) {
  // Code that runs from source may be newer than the build.
  if (import.meta.url.endsWith('.ts')) return undefined
  const file = builtValidatorFile(name)
  if (!existsSync(file)) return undefined
  const { digest, make } = require(file) as BuiltValidator
  return digest === hash('sha256', text, 'hex') ? make(pass) : undefined
}

export const builtValidatorFile = (name: string) =>
  join(BUILT_VALIDATORS, `${name.replaceAll('/', '.')}.cjs`)

/** The content of a file that builtValidator reads. */
export function validatorModule(text: string, code: string): string {
  return `exports.digest = '${hash('sha256', text, 'hex')}'\nexports.make = (pass) => {\nconst module = { exports: {} }\n${code}\nreturn module.exports\n}\n`
}

/** Loads Ajv only when a validator must be compiled: a run with all validators built does not need it. */
export function loadAjv(): typeof import('ajv/dist/2020.js') {
  return require('ajv/dist/2020.js')
}
