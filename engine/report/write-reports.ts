import { rename, rm, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { makeFolder } from '../record/make-folder.ts'
import { writeWhole } from '../record/write-whole.ts'
import { allureResults } from './allure.ts'
import { ctrf } from './ctrf.ts'
import { diffReports } from './diff.ts'
import { diffMarkdown } from './diff-text.ts'
import { stepSummary } from './github.ts'
import { appendHistory } from './history.ts'
import { html } from './html/page.ts'
import { junit } from './junit.ts'
import { observationProfile } from './observation-profile.ts'
import { openMetrics } from './open-metrics.ts'
import { readReport, readRun } from './read-run.ts'
import { testResult } from './test-result.ts'

export interface Written {
  /** Path below the folder of the run; the path of a folder ends in `/`. */
  file: string
  bytes: number
}

export interface ReportOptions {
  /** Folder of an earlier run for comparison: report.html marks what is new, and diff.md and diff.json are made. */
  baseline?: string
  /** History file (JSON lines) to which this run is added once; report.html shows it as a trend. */
  history?: string
}

/**
 * Makes every report of a run again from DIR/report.json and DIR/exchanges.jsonl, which are not changed: report.html,
 * junit.xml, ctrf.json, step-summary.md, observations.json, test-result.intoto.json, assay.prom, allure-results/, and
 * with a baseline diff.md and diff.json. Each file is written atomically. What could not be read is listed among the
 * report's problems.
 */
export async function writeReports(dir: string, options: ReportOptions = {}): Promise<Written[]> {
  const { report, exchanges, problems } = await readRun(dir)
  const shown = { ...report, problems: [...report.problems, ...problems] }
  const diff = options.baseline
    ? diffReports(await readReport(options.baseline), report)
    : undefined
  const history = options.history ? await appendHistory(options.history, report) : undefined
  // Made one after the other, because each can be large.
  const files: [name: string, make: () => string | Promise<string>][] = [
    ['report.html', () => html(shown, exchanges, { diff, history, folder: typed(dir) })],
    ['junit.xml', () => junit(shown, exchanges)],
    ['ctrf.json', () => ctrf(shown, exchanges)],
    ['step-summary.md', () => stepSummary(shown, exchanges)],
    ['observations.json', () => observationProfile(shown)],
    ['assay.prom', () => openMetrics(shown)],
  ]
  // An attestation says that something was tested; nobody can say that of traffic that others sent.
  if (!report.recording) files.push(['test-result.intoto.json', () => testResult(dir, shown)])
  if (diff) {
    files.push(['diff.md', () => diffMarkdown(diff)])
    files.push(['diff.json', () => `${JSON.stringify(diff, null, 2)}\n`])
  }
  const written: Written[] = []
  for (const [file, make] of files) {
    const content = await make()
    writeWhole(join(dir, file), content)
    written.push({ file, bytes: Buffer.byteLength(content) })
  }
  written.push(await writeFolder(join(dir, 'allure-results'), allureResults(shown, exchanges)))
  return written
}

/** A folder as a user here would type it; for one that is elsewhere, its name is enough. */
function typed(dir: string): string {
  const shown = relative(process.cwd(), dir)
  return shown === '' || shown.startsWith('..') ? basename(dir) : shown
}

/** Writes a folder with exactly these files: earlier files in it are removed. */
async function writeFolder(path: string, files: Map<string, string>): Promise<Written> {
  const fresh = `${path}.tmp`
  await rm(fresh, { recursive: true, force: true })
  makeFolder(fresh)
  let bytes = 0
  for (const [file, content] of files) {
    await writeFile(join(fresh, file), content)
    bytes += Buffer.byteLength(content)
  }
  await rm(path, { recursive: true, force: true })
  await rename(fresh, path)
  return { file: `${basename(path)}/`, bytes }
}
