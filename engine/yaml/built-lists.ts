import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../record/root.ts'
import { schemaFile } from '../record/validators.ts'

/** A list as the build read it: each element, and where it begins. */
export interface BuiltList {
  /** Of the file and of its schema, as they were. */
  digest: string
  entries: { line: number; column: number; value: unknown }[]
}

/** Where the build writes lists by file and schema; reading YAML costs more than everything else at a start. */
export const BUILT_LISTS = join(root, 'dist', 'lists.json')

let built: Record<string, BuiltList> | undefined

/** The list that the build read from this very text; undefined where it read another, or none. */
export function builtList(file: string, schema: string, text: string): BuiltList | undefined {
  // What runs from source may be newer than the build.
  if (import.meta.url.endsWith('.ts')) return undefined
  built ??= existsSync(BUILT_LISTS) ? JSON.parse(readFileSync(BUILT_LISTS, 'utf8')) : {}
  const known = built?.[listKey(file, schema)]
  return known?.digest === listDigest(schema, text) ? known : undefined
}

export const listKey = (file: string, schema: string) => `${schema} ${relative(root, file)}`

export function listDigest(schema: string, text: string): string {
  return createHash('sha256')
    .update(readFileSync(schemaFile(schema)))
    .update(text)
    .digest('hex')
}
