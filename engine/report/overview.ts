import { DAY } from '../record/durations.ts'
import { judgedAnything } from './counts.ts'
import { type CheckChange, diffReports, isFlaky, scopeOf } from './diff.ts'
import { byStart } from './history.ts'
import { byId, grouped, IN_ORDER, OUTCOMES } from './queries.ts'
import type { Outcome, Report } from './report.ts'

/** A run and its folder. */
export interface FoundRun {
  folder: string
  report: Report
}

/** Many runs of many banks and TPPs on one page; the content of overview.json. */
export interface Overview {
  /** End of the latest run, UTC. */
  until: string
  chapters: string[]
  /** The most serious verdict first. */
  banks: BankOverview[]
  /** What ends within the next weeks or has ended, soonest first. */
  ending: { bank: string; what: string; at: string; daysLeft: number }[]
}

export interface BankOverview
  extends Pick<Report['target'], 'name' | 'side'>,
    Pick<Report, 'startedAt' | 'exitCode' | 'partial'> {
  verdict: VerdictOrNone
  /** Of the latest run that judged the whole suite, like the members above. */
  folder: string
  /** By chapter: the worst outcome, and the number of checks by outcome. */
  chapters: Record<string, { worst: Outcome; counts: Partial<Record<Outcome, number>> }>
  /** Since the previous run of this scope that judged something; absent without one, or if nothing was judged. */
  changes?: { since: string; new: CheckChange[]; fixed: CheckChange[]; lost: CheckChange[] }
  /** Verdicts of all runs, oldest first. */
  runs: { startedAt: string; verdict: VerdictOrNone; folder: string }[]
  /** Checks that were not in order at least once: their outcome in each run, null if it had none. */
  history: { id: string; title: string; outcomes: (Outcome | null)[]; flaky?: true }[]
}

/** A run that could judge nothing has no verdict. */
export type VerdictOrNone = Report['verdict'] | 'not judged'

/** Number of days before its end from which a certificate or a known deviation is shown. */
const SOON = 45
/** Maximum number of runs of one bank that are shown. */
const MAX_RUNS = 60
export const GRAVEST_FIRST: readonly VerdictOrNone[] = [
  ...(['nonconformant', 'error', 'not judged', 'incomplete', 'conformant'] as const),
]

/**
 * Combines many runs, including those of other machines: the same run in two folders counts once.
 *
 * @param now milliseconds since the epoch, from which the remaining days are counted
 */
export function overviewOf(found: readonly FoundRun[], now: number): Overview {
  const runs = new Map<string, FoundRun>()
  for (const run of found) {
    const { name, side } = run.report.target
    runs.set([name, side, run.report.startedAt].join('\n'), run)
  }
  const sorted = [...runs.values()].sort((a, b) => byStart(a.report, b.report))
  const byBank = grouped(sorted, ({ report: { target } }) => `${target.name}\n${target.side ?? ''}`)
  const gravity = ([, all]: [string, FoundRun[]]) =>
    GRAVEST_FIRST.indexOf(verdictOf(currentOf(all)?.report))
  const banks = [...byBank].sort((a, b) => gravity(a) - gravity(b) || (a[0] < b[0] ? -1 : 1))
  const latest = banks.flatMap(([, all]) => currentOf(all) ?? [])
  const ends = latest.map(({ report }) => report.finishedAt).sort()
  return {
    until: ends.at(-1) ?? '',
    chapters: chaptersOf(latest),
    banks: banks.map(([, all]) => bankOverview(all)),
    ending: latest
      .flatMap(({ report }) => endsOf(report, now))
      .sort((a, b) => a.daysLeft - b.daysLeft),
  }
}

function verdictOf(report: Report | undefined): VerdictOrNone {
  return report && judgedAnything(report) ? report.verdict : 'not judged'
}

/** The latest run of the whole suite; if a bank was only judged in parts, the latest run. */
function currentOf(runs: FoundRun[]): FoundRun | undefined {
  return runs.findLast(({ report }) => report.scope.only.length === 0) ?? runs.at(-1)
}

function chaptersOf(runs: FoundRun[]): string[] {
  return [...new Set(runs.flatMap(({ report }) => report.requirements.map((r) => r.chapter)))]
}

function bankOverview(all: FoundRun[]): BankOverview {
  const runs = all.slice(-MAX_RUNS)
  const current = currentOf(runs) as FoundRun
  const { report, folder } = current
  const { startedAt, exitCode, partial } = report
  const { name, side } = report.target
  return {
    name,
    side,
    folder,
    startedAt,
    verdict: verdictOf(report),
    exitCode,
    partial,
    chapters: byChapter(report),
    changes: changesOf(report, runs.slice(0, runs.indexOf(current))),
    runs: runs.map((run) => {
      return { startedAt: run.report.startedAt, verdict: verdictOf(run.report), folder: run.folder }
    }),
    history: historyOf(runs),
  }
}

function changesOf(report: Report, earlier: FoundRun[]): BankOverview['changes'] {
  if (!judgedAnything(report)) return undefined
  const before = earlier.findLast(
    (run) => scopeOf(run.report) === scopeOf(report) && judgedAnything(run.report),
  )
  if (!before) return undefined
  const changes = diffReports(before.report, report)
  return {
    since: changes.from.startedAt,
    new: changes.new,
    fixed: changes.fixed,
    lost: changes.lost,
  }
}

function byChapter(report: Report): BankOverview['chapters'] {
  const requirements = byId(report.requirements)
  const chapters: BankOverview['chapters'] = {}
  for (const { requirement, outcome } of report.checks) {
    const chapter = requirements.get(requirement)?.chapter
    if (chapter === undefined) continue
    const known = chapters[chapter] ?? { worst: outcome, counts: {} }
    chapters[chapter] = known
    known.counts[outcome] = (known.counts[outcome] ?? 0) + 1
    if (OUTCOMES.indexOf(outcome) < OUTCOMES.indexOf(known.worst)) known.worst = outcome
  }
  // Recorded values are in order: a chapter with only passes and recorded values has passed.
  for (const chapter of Object.values(chapters)) {
    if (chapter.worst === 'observed' && chapter.counts.pass) chapter.worst = 'pass'
  }
  return chapters
}

function historyOf(runs: FoundRun[]): BankOverview['history'] {
  // A run that judged nothing gives no outcome of a check.
  const checks = runs.map(({ report }) => (judgedAnything(report) ? report.checks : []))
  const byRun = checks.map(byId)
  const odd = checks.flat().filter(({ outcome }) => !IN_ORDER.includes(outcome))
  return [...new Set(odd.map(({ id }) => id))].sort().map((id) => {
    const outcomes = byRun.map((checks) => checks.get(id)?.outcome ?? null)
    const title = byRun.findLast((checks) => checks.has(id))?.get(id)?.title ?? ''
    return { id, title, outcomes, ...(isFlaky(outcomes) && { flaky: true }) }
  })
}

function endsOf({ target, checks }: Report, now: number): Overview['ending'] {
  const ends = new Map<string, string>()
  for (const { client, notAfter } of target.certificates ?? []) {
    ends.set(`transport certificate of the ${client} client`, notAfter)
  }
  for (const { id, deviation } of checks) {
    // A deviation is valid until the end of its day.
    if (deviation) ends.set(`known deviation ${id}`, `${deviation.expires}T23:59:59Z`)
  }
  return [...ends]
    .map(([what, at]) => {
      const daysLeft = Math.floor((Date.parse(at) - now) / DAY)
      return { bank: target.name, what, at, daysLeft }
    })
    .filter(({ daysLeft }) => daysLeft <= SOON)
}
