import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestCase, TestModule, Vitest } from 'vitest/node'
import { loadCatalogue } from '../catalogue/catalogue.ts'
import { root } from '../catalogue/root.ts'
import type { Result } from '../judge/fold.ts'
import type { CheckResult, Report } from '../report/report.ts'
import { targetFrom } from '../target/resolve.ts'
import { createRedactor } from '../wire/redaction.ts'
import { composeReport } from './compose.ts'
import { readJournal } from './journal.ts'
import { type Assignment, JOURNAL, notRun } from './judging.ts'
import { loadSuites } from './suites.ts'

/** Who is told how the run goes. */
export interface Progress {
  judged(chapter: string, result: CheckResult): void
  note(text: string): void
}

/** Seconds without any sign of life, beyond the target's own time-out, after which it is a hang. */
const SILENCE = 60

/**
 * Runs the judging in a process of its own, through vitest, and sees to it that report.json is there
 * at the end: also after Ctrl-C, a crash or a hang.
 */
export async function supervise(parts: {
  assignment: Assignment
  progress: Progress
}): Promise<void> {
  const { assignment, progress } = parts
  const startedAt = new Date()
  const raw: string[] = []
  // A folder that is used again must not pass an earlier run off as this one.
  for (const name of ['report.json', JOURNAL]) rmSync(join(assignment.out, name), { force: true })
  const { createVitest } = await import('vitest/node')
  const before = new Set(process.listeners('SIGINT'))
  const entry = join(import.meta.dirname, import.meta.url.endsWith('.ts') ? 'entry.ts' : 'entry.js')
  const vitest = await createVitest(
    'test',
    {
      root,
      config: false,
      watch: false,
      include: [entry],
      exclude: [],
      dir: import.meta.dirname,
      pool: 'forks',
      isolate: false,
      fileParallelism: false,
      testTimeout: 0,
      hookTimeout: 0,
      teardownTimeout: 30_000,
      server: { deps: { external: [/\/dist\//] } },
      reporters: [
        {
          onTestCaseResult(test: TestCase) {
            const { result } = test.meta()
            if (!result) return
            const chapter = test.parent.type === 'suite' ? test.parent.name : ''
            progress.judged(chapter, result)
          },
          onTestModuleEnd(module: TestModule) {
            raw.push(...module.errors().map((error) => String(error.message)))
          },
          onTestRunEnd(_modules: unknown, errors: readonly { message?: string }[]) {
            raw.push(...errors.map((error) => String(error.message)))
          },
        },
      ],
    },
    { logLevel: 'silent', clearScreen: false },
  )
  vitest.provide('assignment', JSON.stringify(assignment))

  const watch = watchdog(assignment, raw)
  const interrupt = interruption(vitest, progress, before)
  try {
    await vitest.start()
  } catch (error) {
    raw.push((error as Error).message)
  } finally {
    watch.stop()
    interrupt.stop()
    await vitest.close()
  }

  const redactor = createRedactor(targetFrom(assignment.target, assignment.base).secrets)
  const problems = raw.map((problem) => redactor.redactText(problem))
  const file = join(assignment.out, 'report.json')
  if (!existsSync(file)) {
    const why = interrupt.asked ? 'the run was interrupted' : (problems[0] ?? 'the run ended early')
    const report = await salvaged(assignment, startedAt, why)
    writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
  }
  amend(file, problems, interrupt.asked)
}

/** The report of a run whose process is gone, from what it had written down. */
async function salvaged(assignment: Assignment, startedAt: Date, why: string): Promise<Report> {
  const catalogue = loadCatalogue()
  const { checks } = await loadSuites(assignment.suites, catalogue)
  const lines = readJournal(join(assignment.out, JOURNAL))
  const results = new Map<string, Result>()
  const observations = lines.flatMap((line) => (line.kind === 'judged' ? line.observations : []))
  for (const line of lines) if (line.kind === 'judged') results.set(line.result.id, line.result)
  const planned = lines.flatMap((line) => (line.kind === 'start' ? line.checks : []))
  for (const check of checks) {
    if (results.has(check.id) || !planned.includes(check.id)) continue
    results.set(check.id, notRun(check, catalogue, why))
  }
  return composeReport({
    version: assignment.version,
    target: {
      name: assignment.target.name,
      configurationDigest: assignment.configurationDigest,
    },
    scope: assignment.scope,
    startedAt,
    finishedAt: new Date(),
    catalogue,
    results,
    observations,
    approvals: [],
    requests: 0,
    latency: [],
    leftBehind: [],
    partial: why,
    deviations: assignment.deviations,
    redact: (text) => text,
  })
}

/** Adds our own trouble to the report: it makes the run an error, never a verdict on the bank. */
function amend(file: string, problems: string[], interrupted: boolean): void {
  if (problems.length === 0 && !interrupted) return
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report
  report.problems.push(...problems)
  if (interrupted) {
    report.exitCode = 130
    report.partial ??= 'the run was interrupted'
    if (report.verdict === 'conformant') report.verdict = 'incomplete'
  } else {
    report.exitCode = 5
    report.verdict = 'error'
  }
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
}

/** Kills a judging process that shows no sign of life; waiting for a person is none. */
function watchdog(assignment: Assignment, problems: string[]): { stop(): void } {
  const journal = join(assignment.out, JOURNAL)
  const exchanges = join(assignment.out, 'exchanges.jsonl')
  const patience = ((assignment.target.timeout ?? 30) + SILENCE) * 1000
  let size = -1
  let since = Date.now()
  const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0)
  const timer = setInterval(() => {
    const now = sizeOf(journal) + sizeOf(exchanges)
    if (now !== size) {
      size = now
      since = Date.now()
      return
    }
    if (Date.now() - since < patience) return
    const lines = readJournal(journal)
    const waiting = lines.findLast((line) => line.kind === 'waiting')
    if (waiting?.kind === 'waiting' && waiting.for !== undefined) return
    const start = lines.find((line) => line.kind === 'start')
    if (start?.kind !== 'start') return
    problems.push(`no sign of life for ${patience / 1000} s: the judging process was stopped`)
    clearInterval(timer)
    process.kill(start.pid, 'SIGKILL')
  }, 2000)
  return { stop: () => clearInterval(timer) }
}

/** Ctrl-C ends the run with what has been judged so far; a second one ends it at once. */
function interruption(vitest: Vitest, progress: Progress, before: ReadonlySet<unknown>) {
  for (const listener of process.listeners('SIGINT')) {
    if (!before.has(listener)) process.off('SIGINT', listener)
  }
  const state = { asked: false, stop: () => {} }
  const listener = () => {
    if (state.asked) process.exit(130)
    state.asked = true
    progress.note('Interrupted: cleaning up. Once more to leave at once.')
    void vitest.cancelCurrentRun('keyboard-input')
  }
  process.on('SIGINT', listener)
  process.on('SIGTERM', listener)
  state.stop = () => {
    process.off('SIGINT', listener)
    process.off('SIGTERM', listener)
  }
  return state
}
