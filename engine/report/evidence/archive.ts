import { lstat, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import { root } from '../../record/root.ts'
import { InputError } from '../input-error.ts'
import { readReport } from '../read-run.ts'
import { MADE, RESULTS, STATEMENT, sha256 } from './sign-run.ts'

/** Files of a run that an archive holds where they exist. */
const OF_THE_RUN: string[] = [...RESULTS, STATEMENT, ...MADE]
const SCHEMAS = ['report.schema.json', 'exchange.schema.json']
/** Bytes of an archive, of what it unpacks to, or of one file of a run. */
export const LARGEST = 1024 ** 3

/**
 * Writes a zip archive of all that an auditor needs: the run, its statement, the schemas that explain
 * it, and CONTENTS.txt with the digest of each file. The same run gives the same bytes.
 *
 * @param more further files, name in the archive → path: the documents, a target file without secrets
 */
export async function pack(
  dir: string,
  file: string,
  { more = {} }: { more?: Record<string, string> } = {},
): Promise<{ file: string; bytes: number; holds: string[] }> {
  await readReport(dir)
  const sources = [
    ...OF_THE_RUN.map((name) => [name, join(dir, name)] as const),
    ...SCHEMAS.map((name) => [`schemas/${name}`, join(root, 'schemas', 'assay', name)] as const),
    ...Object.entries(more),
  ]
  const contents = new Map<string, Buffer>()
  for (const [name, path] of sources) {
    const stats = await lstat(path).catch(() => undefined)
    // A link would pack a file of the machine; a FIFO never ends.
    const left = OF_THE_RUN.includes(name) && !stats?.isFile()
    if (!left) contents.set(name, await readFile(path))
  }
  const list = [...contents].map(([name, content]) => `${sha256(content)}  ${name}\n`).join('')
  contents.set('CONTENTS.txt', Buffer.from(`${EXPLANATION}\n${list}`))
  // Zip keeps local time: one fixed date gives the same bytes everywhere.
  const mtime = new Date(2000, 0, 1)
  const archive = zipSync(Object.fromEntries(contents), { mtime, level: 9 })
  await writeFile(`${file}.tmp`, archive)
  await rename(`${file}.tmp`, file)
  return { file, bytes: archive.length, holds: [...contents.keys()] }
}

const EXPLANATION = `A run of Assay. report.html shows it; report.json and exchanges.jsonl are what it is made from.
statement.jws, where there is one, is signed over both: \`assay verify <this archive>\` checks it and
says which byte differs where something was changed. It proves that nothing was edited since it was
signed. It does not prove that the run was honest: who runs the suite could have run it against
another bank, or changed the suite. SHA-256 of each file:
`

/** The files of an archive, by name. */
export function readArchive(archive: Uint8Array): Map<string, Buffer> {
  let size = 0
  try {
    const files = unzipSync(archive, {
      filter: ({ name, originalSize }) => {
        size += originalSize
        if (size > LARGEST) throw new Error(`more than ${LARGEST} bytes`)
        return !name.endsWith('/')
      },
    })
    return new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]))
  } catch (error) {
    const why = (error as Error).message
    throw new InputError(`the archive can't be unpacked, it was cut or changed: ${why}`)
  }
}
