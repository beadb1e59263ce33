import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { html } from './html/page.ts'
import { junit } from './junit.ts'
import { readRun } from './read-run.ts'

export interface Written {
  /** Path below the folder of the run. */
  file: string
  bytes: number
}

/**
 * Makes every report of a run again from DIR/report.json and DIR/exchanges.jsonl, which stay as they
 * are. Each file is written beside its place and moved there, so that none is ever half there.
 */
export async function writeReports(dir: string): Promise<Written[]> {
  const { report, exchanges, problems } = await readRun(dir)
  const shown = { ...report, problems: [...report.problems, ...problems] }
  return [
    await place(dir, 'report.html', html(shown, exchanges)),
    await place(dir, 'junit.xml', junit(shown)),
  ]
}

async function place(dir: string, file: string, content: string): Promise<Written> {
  const path = join(dir, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.tmp`, content)
  await rename(`${path}.tmp`, path)
  return { file, bytes: Buffer.byteLength(content) }
}
