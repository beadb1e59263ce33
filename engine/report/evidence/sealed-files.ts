import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { InputError } from '../../record/input-error.ts'
import { readPlain } from '../../record/read-plain.ts'
import { root } from '../../record/root.ts'

export const STATEMENT = 'statement.jws'
export const CONTENTS = 'CONTENTS.txt'

/** The files that make up a run; a statement must seal them. */
export const RESULTS = ['report.json', 'exchanges.jsonl']

/** Files made from the results, for people and machines: sealed as well if they exist. */
export const MADE = [
  'report.html',
  'junit.xml',
  'ctrf.json',
  'step-summary.md',
  'observations.json',
  'test-result.intoto.json',
  'assay.prom',
  'diff.md',
  'diff.json',
]

/** Files of a run that an archive contains if they exist. */
export const OF_THE_RUN: readonly string[] = [...RESULTS, STATEMENT, ...MADE]

/** What an archive contains in addition to the run, with the path of each: sealed as it was when the run was signed. */
export const EXPLAINING: Readonly<Record<string, string>> = Object.fromEntries([
  ...['report.schema.json', 'exchange.schema.json'].map((name) => [
    `schemas/${name}`,
    join(root, 'schemas', 'assay', name),
  ]),
  ...['account-information.md', 'product-information.md'].map((name) => [
    `documents/${name}`,
    join(root, 'documents', name),
  ]),
])

/** All files that a folder or an archive of a run may contain and a statement may list. */
export const KNOWN: readonly string[] = [...OF_THE_RUN, ...Object.keys(EXPLAINING), CONTENTS]

/** A file as recorded in a statement. */
export interface Seal {
  file: string
  bytes: number
  /** SHA-256, hex. */
  sha256: string
}

export function seal(file: string, content: Buffer): Seal {
  return { file, bytes: content.length, sha256: sha256(content) }
}

export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex')
}

const EXPLANATION = `A run of Assay. report.html shows it; report.json and exchanges.jsonl are what it is made from.
statement.jws, where there is one, is signed over all of them, the schemas and the documents, and this
list follows from them: \`assay verify <this archive>\` checks it and says which file differs where
something was changed. It proves that nothing was edited since it was signed. It does not prove that the run was honest: who runs the suite could have run it against
another bank, or changed the suite. SHA-256 of each file:
`

/** CONTENTS.txt for these files, not listing itself. */
export function contentsOf(files: ReadonlyMap<string, Buffer>): Buffer {
  const named = [...files].filter(([name]) => name !== CONTENTS)
  const lines = named.map(([name, content]) => `${sha256(content)}  ${name}\n`)
  return Buffer.from(`${EXPLANATION}\n${lines.join('')}`)
}

/** Maximum size, in bytes, of an archive, of its unpacked content, and of one file of a run. */
export const LARGEST = 1024 ** 3

/**
 * The named files that exist in a folder.
 *
 * @throws InputError if one exists and can't be read
 */
export function filesIn(dir: string, names: readonly string[]): Map<string, Buffer> {
  const files = new Map<string, Buffer>()
  for (const name of names) {
    const file = join(dir, name)
    if (existsSync(file)) files.set(name, contentOf(file))
  }
  return files
}

/** @throws InputError if it is not a plain file, is too large, or can't be read */
export function contentOf(file: string): Buffer {
  try {
    return readPlain(file, LARGEST)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new InputError(`${file} can't be read: ${code ?? message}`)
  }
}
