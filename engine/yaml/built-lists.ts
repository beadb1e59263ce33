import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../record/root.ts'
import { schemaFile } from '../record/validators.ts'

/** A list as the build read it: each element, and where it begins. */
export interface BuiltList {
  /** Of the file and its schema at build time. */
  digest: string
  entries: { line: number; column: number; value: unknown }[]
}

/** Where the build writes lists by file and schema: reading YAML takes most of the time of a start. */
export const BUILT_LISTS = join(root, 'dist', 'lists.json')

let built: Record<string, BuiltList> | undefined

/** The list that the build read from exactly this text; undefined if the build read another text, or none. */
export function builtList(file: string, schema: string, text: string): BuiltList | undefined {
  // When run from source, the files may be newer than the build.
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
