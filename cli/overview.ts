import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findRuns } from '../engine/report/find-runs.ts'
import { overviewPage } from '../engine/report/html/overview.ts'
import { overviewOf } from '../engine/report/overview.ts'
import { typed } from './folders.ts'

/**
 * `assay overview DIR…`: one page and one JSON of any runs, also those that other machines made.
 * The exit code says whether they could be made, and nothing of the banks.
 */
export async function overview(folders: string[], options: { out?: string }): Promise<void> {
  const { runs, problems } = await findRuns(folders)
  const out = resolve(options.out ?? folders[0] ?? '.')
  mkdirSync(out, { recursive: true })
  const all = overviewOf(runs, Date.now())
  writeFileSync(join(out, 'overview.json'), `${JSON.stringify(all, null, 2)}\n`)
  writeFileSync(join(out, 'overview.html'), overviewPage(all, problems))
  for (const problem of problems) console.error(problem)
  const width = Math.max(...all.banks.map(({ name }) => name.length))
  for (const { name, verdict, startedAt, changes } of all.banks) {
    const fresh = changes && changes.new.length > 0 ? `, ${changes.new.length} new` : ''
    console.log(`${name.padEnd(width)}  ${verdict}${fresh}  (${startedAt})`)
  }
  for (const { bank, what, at, daysLeft } of all.ending) {
    console.log(`${bank}: ${what} ${daysLeft < 0 ? 'ended' : 'ends'} ${at}`)
  }
  console.log(`overview  ${typed(join(out, 'overview.html'))}`)
}
