import { mkdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { root } from '../engine/catalogue/root.ts'
import { consoleSummary } from '../engine/report/console-summary.ts'
import { diffReports } from '../engine/report/diff.ts'
import { diffText } from '../engine/report/diff-text.ts'
import { readReport, readRun } from '../engine/report/read-run.ts'
import { writeReports } from '../engine/report/write-reports.ts'
import { type Deviation, loadDeviations } from '../engine/run/deviations.ts'
import type { Scope } from '../engine/run/scope.ts'
import { supervise } from '../engine/run/supervise.ts'
import { openTarget } from './open-target.ts'
import { createProgress } from './progress.ts'
import { sign } from './reports.ts'
import { UsageError } from './usage.ts'
import { version } from './version.ts'

export interface RunOptions {
  target: string
  out?: string
  profile: 'core' | 'full'
  only?: string[]
  baseline?: string
  failOn?: string
  history?: string
  sign?: string
  deviations?: string
}

/** `assay run`: judges a target; the exit code is that of the verdict. */
export async function run(options: RunOptions): Promise<void> {
  if (!['core', 'full'].includes(options.profile)) {
    throw new UsageError(`--profile is core or full, not ${options.profile}`)
  }
  if (options.failOn !== undefined && (options.failOn !== 'new' || !options.baseline)) {
    throw new UsageError('--fail-on takes new, and needs --baseline')
  }
  const deviations = deviationsOf(options.deviations)
  const opened = await openTarget(options.target)
  try {
    const out = resolve(options.out ?? defaultFolder(opened.document.name))
    mkdirSync(out, { recursive: true })
    const scope: Scope = { profile: options.profile, only: options.only ?? [] }
    const progress = createProgress(opened.document.name)
    await supervise({
      assignment: {
        target: opened.document,
        base: opened.base,
        scope,
        suites: join(import.meta.dirname, '..', 'suites'),
        out,
        version,
        deviations,
        keptClients: opened.keptClients,
      },
      progress,
    })
    progress.end()
    const { baseline, history } = options
    await writeReports(out, { baseline, history })
    if (options.sign) await sign(out, { key: options.sign })
    const { report, exchanges } = await readRun(out)
    const colour = process.stdout.isTTY === true && !process.env.NO_COLOR
    const shown = relative(process.cwd(), join(out, 'report.html'))
    const path = shown.startsWith('..') ? join(out, 'report.html') : shown
    console.log(consoleSummary(report, exchanges, { colour, path }))
    process.exitCode = report.exitCode
    if (!baseline) return
    const changes = diffReports(await readReport(baseline), report)
    console.log(diffText(changes))
    // Only the choice to look at what is new turns a nonconformant bank's exit code into 0.
    if (options.failOn === 'new' && report.exitCode === 1 && changes.new.length === 0) {
      process.exitCode = 0
    }
  } finally {
    await opened.close()
  }
}

/** Known deviations, read before anything is sent: a mistake in them is one of usage. */
function deviationsOf(file: string | undefined): Deviation[] | undefined {
  if (file === undefined) return undefined
  try {
    return loadDeviations(file, loadCatalogue())
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** reports/<target>/<UTC time>/, below the working directory's package or the working directory. */
function defaultFolder(name: string): string {
  const time = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
  const base = process.cwd() === root ? root : process.cwd()
  return join(base, 'reports', name.replace(/[^\w.-]+/g, '-'), time)
}
