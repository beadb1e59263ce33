import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { driverProblem } from '../engine/journey/drivers/driver-problem.ts'
import { consoleSummary } from '../engine/report/console-summary.ts'
import { diffReports } from '../engine/report/diff.ts'
import { diffText } from '../engine/report/diff-text.ts'
import { readKey } from '../engine/report/evidence/sign-run.ts'
import { annotations } from '../engine/report/github.ts'
import { readReport, readRun } from '../engine/report/read-run.ts'
import type { Report } from '../engine/report/report.ts'
import { writeReports } from '../engine/report/write-reports.ts'
import { type Deviation, loadDeviations } from '../engine/run/deviations.ts'
import type { Scope } from '../engine/run/scope.ts'
import { supervise } from '../engine/run/supervise.ts'
import { list } from './list.ts'
import { openTarget } from './open-target.ts'
import { announced } from './plan.ts'
import { createProgress } from './progress.ts'
import { sign } from './reports.ts'
import { reportsFolder } from './reports-folder.ts'
import { assertSelects } from './selection.ts'
import { textOf, UsageError } from './usage.ts'
import { version } from './version.ts'

export interface RunOptions {
  target: string
  out?: string
  profile: 'core' | 'full'
  only?: string[]
  failed?: string
  list?: boolean
  baseline?: string
  failOn?: string
  history?: string
  sign?: string
  deviations?: string
  fresh?: boolean
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
  // What is needed at the end must not be missed at the end.
  if (options.baseline) await readReport(options.baseline)
  if (options.sign) readKey(textOf('--sign', options.sign), process.env.ASSAY_SIGNING_PASSPHRASE)
  const only = [...(options.only ?? []), ...(await failedOf(options.failed))]
  assertSelects(only, loadCatalogue())
  if (options.list) {
    await list({ profile: options.profile, only })
    return
  }
  const opened = await openTarget(options.target)
  try {
    const problem = driverProblem(opened.document)
    if (problem !== undefined) throw new UsageError(problem)
    const out = resolve(options.out ?? defaultFolder(opened.document.name))
    mkdirSync(out, { recursive: true })
    const scope: Scope = { profile: options.profile, only }
    const progress = createProgress(opened.document.name)
    await supervise({
      assignment: {
        target: opened.document,
        configurationDigest: opened.configurationDigest,
        base: opened.base,
        scope,
        suites: join(import.meta.dirname, '..', 'suites'),
        out,
        version,
        deviations,
        memory: opened.memory,
        fresh: options.fresh,
        terminal: process.stdin.isTTY === true && process.stderr.isTTY === true,
        announced: await announced(opened.document, scope),
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
    tellGitHub(out, report)
    process.exitCode = report.exitCode
    if (!baseline) return
    const changes = diffReports(await readReport(baseline), report)
    console.log(diffText(changes))
    // Only the choice to look at what is new turns a nonconformant bank's exit code into 0.
    const fresh = changes.new.some(({ known }) => !known) || report.problems.length > 0
    if (options.failOn === 'new' && report.exitCode === 1 && !fresh) process.exitCode = 0
  } finally {
    await opened.close()
  }
}

/** In a step of GitHub Actions: failures as annotations, the summary on the page of the run. */
function tellGitHub(out: string, report: Report): void {
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY } = process.env
  if (GITHUB_ACTIONS !== 'true') return
  for (const line of annotations(report)) console.log(line)
  if (!GITHUB_STEP_SUMMARY) return
  appendFileSync(GITHUB_STEP_SUMMARY, readFileSync(join(out, 'step-summary.md')))
}

/** Ids of what an earlier run did not find in order. */
async function failedOf(folder: string | undefined): Promise<string[]> {
  if (folder === undefined) return []
  const { checks } = await readReport(folder)
  const ids = checks
    .filter(({ outcome }) => ['fail', 'warn', 'blocked', 'not-run', 'error'].includes(outcome))
    .map(({ id }) => id)
  if (ids.length === 0) throw new UsageError(`${folder}: nothing failed in this run`)
  return ids
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

/** reports/<target>/<UTC time>/ */
function defaultFolder(name: string): string {
  const time = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
  return join(reportsFolder(name), time)
}
