import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { TestCase, TestModule, Vitest } from 'vitest/node'
import { targetFrom } from '../configuration/resolve.ts'
import { clockCorrection, now } from '../record/clock.ts'
import { every } from '../record/every.ts'
import { isAlive } from '../record/process-lock.ts'
import { root } from '../record/root.ts'
import { onEnd, SIGNALS } from '../record/signals.ts'
import type { CheckResult, Report } from '../report/report.ts'
import { createRedactor } from '../wire/redaction.ts'
import { watchClock } from './clock-watch.ts'
import { writeReport } from './compose.ts'
import { crashReport } from './crash-report.ts'
import { JOURNAL, readJournal } from './journal.ts'
import { type Assignment, targetOf } from './judging-process.ts'

/** Receives the progress of a run. */
export interface Progress {
  judged(chapter: string, result: CheckResult): void
  note(text: string): void
}

/** Room for the short-lived objects of checks, for fewer garbage collections. */
const YOUNG = ['--max-semi-space-size=32']

/** Seconds without activity, beyond the target's time-out, after which a check has taken too long. */
const SHARE = 60

/** Number of checks that may take too long; after that the run itself is considered to hang. */
const MOST_STUCK = 3

/**
 * Runs the judging in separate processes, through vitest, and makes sure that report.json exists at the end, even after
 * Ctrl-C, a crash or a hang. A check without activity for too long is ended with its process; another process resumes
 * the run, and that check is blocked.
 */
export async function supervise(parts: {
  assignment: Assignment
  progress: Progress
}): Promise<void> {
  const stuck: string[] = []
  for (;;) {
    const assignment = { ...parts.assignment, stuck }
    // Without the memory folder nothing is saved to continue with.
    const mayGoOn = assignment.memory !== undefined && stuck.length < MOST_STUCK
    const found = await superviseOne({ ...parts, assignment, mayGoOn })
    if (found === undefined) return
    stuck.push(found)
    parts.progress.note(
      `${found} took longer than its share: ended, and the run goes on without it.`,
    )
    parts.assignment.fresh = false
  }
}

/** Runs one judging process. Returns the check that took too long, where another process may continue. */
async function superviseOne(parts: {
  assignment: Assignment
  progress: Progress
  mayGoOn: boolean
}): Promise<string | undefined> {
  const { assignment, progress } = parts
  const startedAt = new Date(now())
  const raw: string[] = []
  // If a folder is used again, files of an earlier run must not be taken for this run.
  for (const name of ['report.json', 'exchanges.jsonl', JOURNAL])
    rmSync(join(assignment.out, name), { force: true })
  const { createVitest } = await import('vitest/node')
  const before = new Set(SIGNALS.flatMap((signal) => process.listeners(signal)))
  // vitest takes this for a pattern: brackets of a whole path, as in `Downloads/assay (1)`, would match other characters.
  const entry = import.meta.url.endsWith('.ts') ? 'entry.ts' : 'entry.js'
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
      execArgv: YOUNG,
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
            raw.push(...errors.map((error) => inOurWords(String(error.message))))
          },
        },
      ],
    },
    { logLevel: 'silent', clearScreen: false },
    { stderr: stderrButPool() },
  )
  vitest.provide('assignment', JSON.stringify({ ...assignment, clock: clockCorrection() }))

  const clock = watchClock(progress.note)
  const lost = losses()
  const watch = watchdog(assignment, raw, lost.tell)
  const interrupt = interruption({ vitest, progress, before, assignment, lost: lost.tell })
  try {
    await Promise.race([vitest.start(), lost.first])
  } catch (error) {
    raw.push(inOurWords((error as Error).message))
  } finally {
    await Promise.race([vitest.close(), lost.first.catch(leaveSoon)])
    watch.stop()
    interrupt.stop()
    clock.stop()
    lost.stop()
  }

  const late = parts.mayGoOn && !interrupt.asked ? watch.stuck() : undefined
  if (late !== undefined) return late
  const redactor = createRedactor(targetFrom(assignment.target, assignment.base).secrets)
  // A signal to all processes may end the judging process before it listens, and a user who asks twice wants to end it.
  const wanted = interrupt.asked || interrupt.killed
  const meant = wanted ? raw.filter((problem) => problem !== GONE) : raw
  const problems = meant.map((problem) => redactor.redactText(problem))
  if (!existsSync(join(assignment.out, 'report.json'))) {
    const why = interrupt.asked ? 'the run was interrupted' : 'the judging process is gone'
    const facts = { ...assignment, target: targetOf(assignment) }
    const report = await crashReport(facts, startedAt, why)
    writeReport(assignment.out, report)
  }
  amend(assignment.out, problems, interrupt.asked)
  return undefined
}

/**
 * Standard error for messages of the judging process, without vitest's messages about a process that it could not start
 * or end: those are for developers of vitest, and Assay reports them in its own words.
 */
function stderrButPool(): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!chunk.toString('utf8').startsWith('[vitest-pool]')) process.stderr.write(chunk)
      done()
    },
  })
}

/** For a process that was killed or ran out of memory, vitest only says that its worker erred. */
function inOurWords(message: string): string {
  return /^\[vitest-pool\]|^Worker exited/.test(message) ? GONE : message
}

const GONE = 'the judging process ended by itself: it was killed, or ran out of memory'

/** If a judging process dies before it listens, vitest may not notice, or may throw where nobody awaits it. */
function losses(): { first: Promise<never>; tell(error: Error): void; stop(): void } {
  let tell: (error: Error) => void = () => {}
  const first = new Promise<never>((_resolve, reject) => {
    tell = reject
  })
  first.catch(() => {})
  process.on('uncaughtException', tell)
  return { first, tell, stop: () => process.off('uncaughtException', tell) }
}

/** Exits once this process has its exit code, which comes after the reports, whatever vitest keeps open. */
function leaveSoon(): void {
  setInterval(() => {
    if (process.exitCode !== undefined) process.exit()
  }, PARTING).unref()
}

/** Interval in milliseconds that leaves time for the last output. */
const PARTING = 2000

/** Adds faults of Assay's own to the report: they make the run an error, never a verdict on the bank. */
function amend(out: string, problems: string[], interrupted: boolean): void {
  if (problems.length === 0 && !interrupted) return
  const report = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as Report
  report.problems.push(...problems)
  if (interrupted) {
    report.exitCode = 130
    report.partial ??= 'the run was interrupted'
    if (report.verdict === 'conformant') report.verdict = 'incomplete'
  } else {
    report.exitCode = 5
    report.verdict = 'error'
  }
  writeReport(out, report)
}

/** Kills a judging process that shows no activity; waiting for a person does not count as inactivity. */
function watchdog(
  assignment: Assignment,
  problems: string[],
  lost: (error: Error) => void,
): { stop(): void; stuck(): string | undefined } {
  const journal = join(assignment.out, JOURNAL)
  const exchanges = join(assignment.out, 'exchanges.jsonl')
  const patience = ((assignment.target.timeout ?? 30) + (assignment.share ?? SHARE)) * 1000
  let size = -1
  let since = performance.now()
  let stuck: string | undefined
  const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0)
  const timer = every(2000, () => {
    const now = sizeOf(journal) + sizeOf(exchanges)
    if (now !== size) {
      size = now
      since = performance.now()
      return
    }
    if (performance.now() - since < patience) return
    if (readJournal(journal, 'waiting').at(-1)?.for !== undefined) return
    const pid = judgingProcess(journal)
    clearInterval(timer)
    if (pid === undefined || !isAlive(pid)) {
      lost(new Error(GONE))
      return
    }
    problems.push(`no sign of life for ${patience / 1000} s: the judging process was stopped`)
    stuck = underWay(journal)
    process.kill(pid, 'SIGKILL')
  })
  return { stop: () => clearInterval(timer), stuck: () => stuck }
}

/** The check that was being judged when a process ended: the first planned one without a result. */
function underWay(journal: string): string | undefined {
  const [start] = readJournal(journal, 'start')
  const judged = new Set(readJournal(journal, 'judged').map(({ result }) => result.id))
  return start?.checks.find((id) => !judged.has(id))
}

/** The id of the judging process, as that process recorded it. */
const judgingProcess = (journal: string) => readJournal(journal, 'start')[0]?.pid

/** If there is no judging process for this number of milliseconds, an interrupted run does not wait for it. */
const MISSED = 3000

/**
 * Ctrl-C ends the run with what has been judged so far. A second Ctrl-C does not wait for the cleaning up at the bank,
 * and a third one exits immediately.
 */
function interruption(parts: {
  vitest: Vitest
  progress: Progress
  /** Signal listeners that were there before vitest. */
  before: ReadonlySet<unknown>
  assignment: Assignment
  lost: (error: Error) => void
}) {
  const { vitest, progress, before, assignment, lost } = parts
  const journal = join(assignment.out, JOURNAL)
  // vitest and vite would exit immediately.
  for (const signal of SIGNALS) {
    for (const listener of process.listeners(signal)) {
      if (!before.has(listener)) process.off(signal, listener)
    }
  }
  const state = { asked: false, killed: false, stop: () => {} }
  let seen = 0
  let watch: NodeJS.Timeout | undefined
  const look = () => {
    const pid = judgingProcess(journal)
    if (pid !== undefined && isAlive(pid)) seen = performance.now()
    else if (performance.now() - seen > MISSED) lost(new Error(GONE))
  }
  const first = () => {
    state.asked = true
    progress.note('Interrupted: cleaning up. Once more to leave at once.')
    void vitest.cancelCurrentRun('keyboard-input')
    seen = performance.now()
    watch = every(500, look)
  }
  const again = () => {
    const pid = judgingProcess(journal)
    if (state.killed || pid === undefined) process.exit(130)
    state.killed = true
    process.kill(pid, 'SIGKILL')
  }
  const stopListening = onEnd(first, again)
  state.stop = () => {
    clearInterval(watch)
    stopListening()
  }
  return state
}
