import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { driverProblem } from '../engine/authorisation-drivers/driver-problem.ts'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { targetFrom } from '../engine/configuration/resolve.ts'
import { consoleSummary } from '../engine/report/console-summary.ts'
import { diffReports } from '../engine/report/diff.ts'
import { diffText } from '../engine/report/diff-text.ts'
import { readKey } from '../engine/report/evidence/sign-run.ts'
import { annotations } from '../engine/report/github.ts'
import { readReport, readRun } from '../engine/report/read-run.ts'
import type { PreflightLine, Report } from '../engine/report/report.ts'
import { writeReports } from '../engine/report/write-reports.ts'
import { writeUnjudged } from '../engine/run/crash-report.ts'
import { type Deviation, loadDeviations } from '../engine/run/deviations.ts'
import { follow } from '../engine/run/follow.ts'
import type { Assignment } from '../engine/run/judging-process.ts'
import { supervise } from '../engine/run/supervise.ts'
import { openTargetOf } from './earlier-target.ts'
import { list } from './list.ts'
import { placesNamed } from './locate-member.ts'
import { openPage } from './open-page.ts'
import type { OpenedTarget } from './open-target.ts'
import { announced } from './plan.ts'
import { type RunProgress, screen } from './progress.ts'
import { sign } from './reports.ts'
import { holdFolders, reportsFolder } from './reports-folder.ts'
import type { RunOptions } from './run-options.ts'
import { assertProfile, scopeOf } from './selection.ts'
import { textOf, UsageError } from './usage.ts'
import { version } from './version.ts'

/** Judges a target, or lists what would be judged; the exit code is that of the verdict. */
export async function runTarget(options: RunOptions, progress: RunProgress): Promise<void> {
  assertProfile(options.profile)
  if (options.json && !options.list) throw new UsageError('--json goes with --list')
  if (options.failOn !== undefined && (options.failOn !== 'new' || !options.baseline)) {
    throw new UsageError('--fail-on takes new, and needs --baseline')
  }
  const deadline = deadlineOf(options.deadline)
  const deviations = deviationsOf(options.deviations)
  // What is needed at the end must not be missed at the end.
  if (options.baseline) await readReport(options.baseline)
  if (options.sign) readKey(textOf('--sign', options.sign), process.env.ASSAY_SIGNING_PASSPHRASE)
  if (options.out) assertFree(options.out, options.force)
  const only = [...(options.only ?? []), ...(await failedOf(options.failed))]
  const scope = await scopeOf(options.profile, only, loadCatalogue())
  if (options.list) {
    await list(scope, options.json)
    return
  }
  // What runs the checks is loaded while the reference bank waits for its keys.
  import('vitest/node').catch(() => {})
  const opened = await openTargetOf(options.target, options.failed)
  let release = () => {}
  try {
    const problem = driverProblem(opened.document)
    if (problem !== undefined) throw new UsageError(problem)
    const out = resolve(options.out ?? defaultFolder(opened.document.name))
    release = holdFolders({ out, memory: opened.memory, name: opened.document.name })
    forgetEarlier(out)
    await judge(
      {
        target: opened.document,
        targetFile: opened.file,
        configurationDigest: opened.configurationDigest,
        base: opened.base,
        scope,
        suites: join(import.meta.dirname, '..', 'suites'),
        out,
        version,
        deviations,
        memory: opened.memory,
        fresh: options.fresh,
        deadline,
        terminal: process.stdin.isTTY === true && process.stderr.isTTY === true,
        announced: await announced(opened.document, scope),
      },
      opened,
      progress,
    )
    await report(out, opened, options)
  } finally {
    progress.end()
    release()
    await opened.close()
  }
}

/** Judges the target, or says why it could not be judged: report.json is there afterwards. */
async function judge(
  assignment: Assignment,
  opened: OpenedTarget,
  progress: RunProgress,
): Promise<void> {
  const { name } = opened.document
  const startedAt = new Date()
  if (!opened.ours) {
    progress.doing(`Looking whether ${name} is there`, true)
    const { preflight } = await import('../engine/doctor/preflight.ts')
    const lines = await preflight(targetFrom(opened.document, opened.base))
    if (lines.length > 0) {
      const found = lines.map((line) => located(line, opened.file))
      await writeUnjudged(assignment, found, startedAt)
      progress.end()
      return
    }
  }
  progress.doing(`Judging ${name}`)
  progress.follows(follow(assignment.out))
  await supervise({ assignment, progress })
  progress.end()
}

const WHOSE = {
  'your configuration': 'configuration',
  'the bank': 'bank',
  'the network': 'network',
} as const

type DoctorsLine = Awaited<
  ReturnType<typeof import('../engine/doctor/preflight.ts').preflight>
>[number]

/** A line of the doctor, with the lines of the target file that its mend is about. */
export function located(line: DoctorsLine, file: string): PreflightLine {
  const { name, level, text } = line
  if (line.level !== 'wrong') return { name, level, text }
  const places = placesNamed(line.mend, file)
  const mend = places === undefined ? line.mend : `${line.mend} See ${places}.`
  return { name, level, text, whose: WHOSE[line.whose], mend }
}

/** Every output of a run, what the terminal says of it, and the exit code. */
export async function report(
  out: string,
  opened: Pick<OpenedTarget, 'ours'> & { side?: 'TPP' },
  options: Pick<RunOptions, 'baseline' | 'history' | 'sign' | 'open' | 'failOn'>,
): Promise<void> {
  const { baseline } = options
  const { report, exchanges } = await readRun(out)
  // A part of a run would look like a bank that lost its checks.
  const partial = report.scope.only.length > 0
  if (options.history && partial) console.log(`Not added to ${options.history}: a selection.`)
  await writeReports(out, { baseline, history: partial ? undefined : options.history })
  if (options.sign) await sign(typed(out), { key: options.sign })
  const { colour, width } = screen()
  const page = join(out, 'report.html')
  console.log(
    consoleSummary(report, exchanges, {
      colour,
      width,
      path: typed(page),
      // What reproduces a finding sends requests to a bank.
      folder: opened.side === 'TPP' ? undefined : typed(out),
    }).trimEnd(),
  )
  tellGitHub(out, report)
  process.exitCode = report.exitCode
  if (options.open) openPage(page)
  if (!baseline) return
  const changes = diffReports(await readReport(baseline), report)
  console.log(diffText(changes))
  // Only the choice to look at what is new turns a nonconformant bank's exit code into 0.
  const fresh = changes.new.some(({ known }) => !known) || report.problems.length > 0
  if (options.failOn === 'new' && report.exitCode === 1 && !fresh) process.exitCode = 0
}

/** A path as one would type it here. */
function typed(path: string): string {
  const shown = relative(process.cwd(), path)
  return shown.startsWith('..') ? path : shown
}

/** @throws UsageError for the folder of a signed run: it is evidence, and there is one of it */
export function assertFree(folder: string, force = false): void {
  if (force || !existsSync(join(folder, 'statement.jws'))) return
  throw new UsageError(`${folder} holds a signed run. Name another folder, or give --force.`)
}

/** What an earlier run left in the folder and this one may not make again: it would speak of that run. */
export function forgetEarlier(folder: string): void {
  for (const file of ['statement.jws', 'diff.md', 'diff.json']) {
    rmSync(join(folder, file), { force: true })
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
export async function failedOf(folder: string | undefined): Promise<string[]> {
  if (folder === undefined) return []
  const { checks } = await readReport(folder)
  const ids = checks
    .filter(({ outcome }) => ['fail', 'warn', 'blocked', 'not-run', 'error'].includes(outcome))
    .map(({ id }) => id)
  if (ids.length === 0) throw new UsageError(`${folder}: nothing failed in this run`)
  return ids
}

/** Minutes of a run. */
function deadlineOf(text = '240'): number {
  const minutes = Number(text)
  if (minutes > 0 && Number.isFinite(minutes)) return minutes
  throw new UsageError(`--deadline is a number of minutes, not ${text}`)
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
export function defaultFolder(name: string): string {
  const time = new Date()
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')
  return join(reportsFolder(name), time)
}
