import { spawn } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { driverProblem } from '../engine/authorisation-drivers/find-browser.ts'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { root } from '../engine/record/root.ts'
import { consoleSummary } from '../engine/report/console-summary.ts'
import { diffReports } from '../engine/report/diff.ts'
import { diffText } from '../engine/report/diff-text.ts'
import { counted } from '../engine/report/escape.ts'
import { annotations } from '../engine/report/github.ts'
import { readReport, readRun } from '../engine/report/read-run.ts'
import type { Report } from '../engine/report/report.ts'
import { command, complain, composed, say, shown, shownLines } from '../engine/report/terminal.ts'
import { writeReports } from '../engine/report/write-reports.ts'
import { writeUnjudged } from '../engine/run/crash-report.ts'
import { follow } from '../engine/run/follow.ts'
import type { Assignment } from '../engine/run/judging-process.ts'
import type { Profile } from '../engine/run/scope.ts'
import { supervise } from '../engine/run/supervise.ts'
import { defaultFolder, holdFolders, SUITES, typed, version } from './folders.ts'
import { keptCases } from './kept-cases.ts'
import { notify, webhookOf } from './notify.ts'
import { obstaclesTo } from './obstacles.ts'
import { type OpenedTarget, openTargetOf } from './open-target.ts'
import { announced } from './plan.ts'
import { forgetEarlier, type JudgingOptions, prepared, requireMemory } from './preparation.ts'
import { type RunProgress, screen } from './progress.ts'
import { sign } from './reports.ts'
import { list, scopeOf, seedOf } from './selection.ts'
import { number, UsageError } from './usage.ts'

export interface RunOptions extends JudgingOptions {
  target?: string
  profile: Profile
  json?: boolean
  /** A number, or `night`. */
  seed?: string
  fresh?: boolean
  /** Minutes. */
  deadline?: string
  /** A case of explore, or a folder of cases. */
  cases?: string
}

/** Judges a target, or lists what would be judged. The exit code is that of the verdict. */
export async function runTarget(options: RunOptions, progress: RunProgress): Promise<void> {
  // vitest takes paths for addresses.
  if (/[#?%]/.test(root)) {
    throw new UsageError(
      `Assay cannot run in ${root}: move it to a folder without # ? % in its path`,
    )
  }
  if (options.json && !options.list) throw new UsageError('--json goes with --list')
  const deadline = Number(options.deadline ?? '240')
  if (!(deadline > 0 && Number.isFinite(deadline))) {
    throw new UsageError(`--deadline is a number of minutes, not ${options.deadline}`)
  }
  const catalogue = loadCatalogue()
  const { only, deviations, ...before } = await prepared(options, catalogue)
  const seed = { ...before, ...seedOf(options.seed) }
  const scope = { ...(await scopeOf(options.profile, only, catalogue)), ...seed }
  const cases = options.cases === undefined ? undefined : keptCases(options.cases, catalogue)
  if (options.list) return list(scope, options.json)
  // Load the test runner while the reference bank generates its keys.
  import('vitest/node').catch(() => {})
  const opened = await openTargetOf(options.target, options.failed)
  const { document, base, memory, configurationDigest } = opened
  let release = () => {}
  try {
    const problem = driverProblem(document, base)
    if (problem !== undefined) throw new UsageError(problem)
    const out = resolve(options.out ?? defaultFolder(document.name))
    release = holdFolders({ out, memory, name: document.name })
    if (memory !== undefined) requireMemory(memory, document.name)
    forgetEarlier(out)
    const assignment: Assignment = {
      target: document,
      targetFile: opened.file,
      configurationDigest,
      base,
      scope,
      suites: SUITES,
      out,
      version,
      deviations,
      ...(cases && { cases }),
      memory,
      fresh: options.fresh,
      ...share(),
      deadline,
      terminal: process.stdin.isTTY === true && process.stderr.isTTY === true,
      announced: await announced(document, scope),
    }
    await judgeTarget(assignment, opened, progress)
    await report(out, 'bank', options)
  } finally {
    progress.end()
    release()
    await opened.close()
  }
}

/** `ASSAY_SHARE`: seconds that a check may take without any sign of progress. */
function share(): Pick<Assignment, 'share'> {
  const seconds = number('ASSAY_SHARE', process.env.ASSAY_SHARE, 3600)
  return seconds === undefined ? {} : { share: seconds }
}

/** Judges the target, or records why it could not be judged. In both cases report.json exists afterwards. */
async function judgeTarget(
  assignment: Assignment,
  opened: OpenedTarget,
  progress: RunProgress,
): Promise<void> {
  const startedAt = new Date()
  const { name } = opened.document
  if (!opened.ours) progress.doing(`Checking that ${name} answers`, true)
  const obstacles = await obstaclesTo(opened)
  if (obstacles.length > 0) await writeUnjudged(assignment, obstacles, startedAt)
  else {
    progress.doing(`Judging ${name}`)
    progress.follows(follow(assignment.out))
    await supervise({ assignment, progress })
  }
  progress.end()
}

/** Writes every output of a run, prints the summary, and sets the exit code. */
export async function report(
  out: string,
  side: 'bank' | 'TPP',
  options: Pick<RunOptions, 'baseline' | 'history' | 'sign' | 'open' | 'failOn' | 'notify'> = {},
): Promise<void> {
  const { baseline, history } = options
  const report = await readReport(out)
  // In a history, a part of a run would look like a bank that lost its checks.
  const partial = report.scope.only.length > 0 && !report.recording
  if (history && partial) say(shown`Not added to ${history}: a selection.`)
  await writeReports(out, { baseline, history: partial ? undefined : history })
  if (options.sign) await sign(typed(out), { key: options.sign })
  const { colour, width } = screen()
  const page = join(out, 'report.html')
  // Reproducing a finding sends requests to a bank, so this is only possible for a run of a bank.
  const folder = side === 'TPP' || report.recording ? undefined : typed(out)
  const { exchanges } = await readRun(out)
  const summary = consoleSummary(report, exchanges, { colour, width, path: typed(page), folder })
  say(composed(summary.trimEnd()))
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY } = process.env
  if (GITHUB_ACTIONS === 'true') {
    command(...annotations(report))
    if (GITHUB_STEP_SUMMARY) summarise(GITHUB_STEP_SUMMARY, join(out, 'step-summary.md'))
  }
  process.exitCode = report.exitCode
  if (options.failOn === 'should' && report.exitCode === 0) failOnShoulds(report)
  if (options.open) openPage(page)
  const changes = baseline ? diffReports(await readReport(baseline), report) : undefined
  for (const url of options.notify ?? []) await notify(webhookOf(url), report, changes)
  if (!changes) return
  say(shownLines(diffText(changes)))
  // Only --fail-on new turns the exit code of a nonconformant bank into 0.
  const fresh = changes.new.some(({ known }) => !known) || report.problems.length > 0
  if (options.failOn === 'new' && report.exitCode === 1 && !fresh) process.exitCode = 0
}

/** Adds the summary to the page of the job. What cannot be written there changes no verdict. */
function summarise(page: string, summary: string): void {
  try {
    appendFileSync(page, readFileSync(summary))
  } catch (error) {
    complain(shown`The summary is not on the page of the job: ${(error as Error).message}`)
  }
}

/** A conformant bank that breaks a should without a known deviation: the verdict stays, the exit code becomes 1. */
function failOnShoulds({ checks }: Report): void {
  const broken = checks.filter(({ outcome, deviation }) => outcome === 'warn' && !deviation)
  if (broken.length === 0) return
  say(shown`exit code 1 by --fail-on should: ${counted(broken.length, 'warning')}`)
  process.exitCode = 1
}

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Opens a page in the user's browser. If that fails, the terminal shows its path anyway. */
function openPage(path: string): void {
  const [command = 'xdg-open', ...words] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(command, [...words, path], { stdio: 'ignore', detached: true })
  child.on('error', () => complain(shown`${command} is not there to open ${path}.`))
  child.unref()
}
