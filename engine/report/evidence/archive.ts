import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import { InputError } from '../../record/input-error.ts'
import { writeWhole } from '../../record/write-whole.ts'
import { readReport } from '../read-run.ts'
import {
  CONTENTS,
  contentOf,
  contentsOf,
  EXPLAINING,
  LARGEST,
  OF_THE_RUN,
  STATEMENT,
  sha256,
} from './sealed-files.ts'
import { sealedIn } from './statement.ts'
import { requireWhole } from './zip-form.ts'

/**
 * Writes a zip archive of all that an auditor needs: the run, its statement, the schemas that explain it, the
 * documents, and CONTENTS.txt with the digest of each file. The same run gives the same bytes. Schemas and documents
 * that a signed statement does not seal are left out.
 */
export async function pack(
  dir: string,
  file: string,
): Promise<{ file: string; bytes: number; holds: string[]; leftOut: string[] }> {
  await readReport(dir)
  const contents = new Map<string, Buffer>()
  for (const name of OF_THE_RUN) {
    const stats = await lstat(join(dir, name)).catch(() => undefined)
    // A link could add another file of the machine; a FIFO never ends.
    if (stats?.isFile()) contents.set(name, contentOf(join(dir, name)))
  }
  const seals = sealedIn(contents.get(STATEMENT))
  const leftOut: string[] = []
  for (const [name, path] of Object.entries(EXPLAINING)) {
    const content = await readFile(path)
    // Another version of the suite signed the run.
    if (seals && seals.get(name) !== sha256(content)) leftOut.push(name)
    else contents.set(name, content)
  }
  contents.set(CONTENTS, contentsOf(contents))
  // Zip stores local time: a fixed date gives the same bytes everywhere.
  const mtime = new Date(2000, 0, 1)
  const archive = zipSync(Object.fromEntries(contents), { mtime, level: 9 })
  writeWhole(file, archive)
  return { file, bytes: archive.length, holds: [...contents.keys()], leftOut }
}

/**
 * The files of an archive, by name.
 *
 * @throws InputError if it contains anything else, or two files with one name: programs would disagree about its
 *   content
 */
export function readArchive(archive: Buffer): Map<string, Buffer> {
  let size = 0
  try {
    requireWhole(archive)
    const files = unzipSync(archive, {
      filter: ({ originalSize }) => {
        size += originalSize
        if (size > LARGEST) throw new Error(`more than ${LARGEST} bytes`)
        return true
      },
    })
    return new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]))
  } catch (error) {
    const why = (error as Error).message
    throw new InputError(`the archive can't be unpacked, it was cut or changed: ${why}`)
  }
}
