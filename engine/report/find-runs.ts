import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '../record/input-error.ts'
import type { FoundRun } from './overview.ts'
import { readReport } from './read-run.ts'

/** Maximum depth below a named folder at which runs are searched for: reports/<target>/<time> is two. */
const DEPTH = 4

/**
 * The runs in these folders and below them. A report that cannot be read is reported as a problem; the others are still
 * read.
 *
 * @throws InputError if no run is found at all
 */
export async function findRuns(
  folders: readonly string[],
): Promise<{ runs: FoundRun[]; problems: string[] }> {
  const runs: FoundRun[] = []
  const problems: string[] = []
  const look = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error) => {
      problems.push(`${folder} can't be read: ${(error as NodeJS.ErrnoException).code}`)
      return []
    })
    if (entries.some((entry) => entry.isFile() && entry.name === 'report.json')) {
      try {
        const report = await readReport(folder)
        if (report.recording) problems.push(`${folder} judged recorded traffic, and is no run`)
        else runs.push({ folder, report })
      } catch (error) {
        problems.push((error as Error).message)
      }
      return
    }
    if (depth === 0) return
    for (const entry of entries) {
      if (entry.isDirectory()) await look(join(folder, entry.name), depth - 1)
    }
  }
  for (const folder of folders) await look(folder, DEPTH)
  if (runs.length > 0) return { runs, problems }
  const seen = problems.map((problem) => `\n${problem}`).join('')
  throw new InputError(`no run is in ${folders.join(', ')}: no report.json is there${seen}`)
}
