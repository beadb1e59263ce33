import { join } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { BY_AN_EARLIER_RUN } from '../client-session/registration-steps.ts'
import { withPlaces } from '../doctor/places-in-file.ts'
import { bounded } from '../judge/brief.ts'
import { type Result, verdictOf } from '../judge/results.ts'
import type { EnvironmentFact } from '../record/environment.ts'
import { writeWhole } from '../record/write-whole.ts'
import { causesOf } from '../report/causes.ts'
import type { Hooks } from '../report/doubts.ts'
import type { Evidence } from '../report/evidence-index.ts'
import type { CheckResult, Observation, Report, ReportedCause, Verdict } from '../report/report.ts'
import type { Exchange } from '../wire/exchange.ts'
import { applyDeviations, type Deviation, type Tolerance } from './deviations.ts'
import { placesOf } from './places.ts'
import type { Scope } from './scope.ts'
import { checksByOutcome, mustsByOutcome, requirementsInScope } from './tallies.ts'

/** The parts of a run that go into its report. */
export interface RunFacts
  extends Pick<Report, 'target' | 'requests' | 'resumed' | 'preflight' | 'partial'>,
    Partial<Pick<Report, 'observations' | 'approvals' | 'latency' | 'leftBehind' | 'states'>> {
  version: string
  /** See environmentFacts. */
  environment?: EnvironmentFact[]
  /** What earlier runs sent and this run judged again. */
  ofEarlierRuns?: Pick<Exchange, 'id' | 'startedAt'>[]
  scope: Scope
  startedAt: Date
  finishedAt: Date
  catalogue: Catalogue
  results: ReadonlyMap<string, Result>
  /** What the exchanges show, by id: causes are derived from it. */
  evidence: Evidence
  hooks?: Hooks
  deviations?: Deviation[]
  /** Kept histories that were judged. */
  cases?: readonly { id: string; file: string }[]
  /** Redacts a text that leaves the judging process. */
  redact(text: string): string
}

/** Writes report.json into the folder of a run. */
export function writeReport(out: string, report: Report): void {
  writeWhole(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
}

/** The content of report.json, with every text redacted. */
export function composeReport(facts: RunFacts): Report {
  const { catalogue, results, scope, redact, partial, preflight } = facts
  const listed = [...results.values()]
  const tolerance = applyDeviations(facts.deviations ?? [], results, facts.finishedAt)
  const { covered, stale } = tolerance
  const { verdict, exitCode } = preflight
    ? { verdict: 'incomplete' as const, exitCode: preflight.some(({ onPaper }) => onPaper) ? 2 : 3 }
    : ended(listed, tolerance, partial)
  const requirements = requirementsInScope(catalogue, results, scope)
  const places = placesOf(results.keys())
  const caseFiles = new Map(facts.cases?.map(({ id, file }) => [id, file]))
  const checks = listed.map((result) => {
    const deviation = covered.get(result.id)
    const source = places.get(result.id)
    return {
      ...checkResult(result, redact),
      ...(source && { source }),
      ...(caseFiles.has(result.id) && { case: redact(caseFiles.get(result.id) ?? '') }),
      ...(deviation && { deviation }),
    }
  })
  const { file } = facts.target
  const located = (cause: ReportedCause) => (file === undefined ? cause : withPlaces(cause, file))
  return {
    assay: {
      version: facts.version,
      specsDigest: catalogue.digest,
      node: process.version,
      ...(facts.environment?.length && { environment: facts.environment }),
    },
    target: { ...facts.target, ...(file !== undefined && { file: redact(file) }) },
    scope: {
      ...scope,
      requirements: requirements.length,
      checks: listed.length,
      leftOut: [...catalogue.owners.keys()].filter((id) => !results.has(id)).length,
    },
    startedAt: facts.startedAt.toISOString(),
    finishedAt: facts.finishedAt.toISOString(),
    verdict,
    exitCode,
    ...(partial !== undefined && { partial: redact(partial) }),
    ...(preflight && {
      preflight: preflight.map((line) => changed(line, ['text', 'mend'], redact)),
    }),
    ...(facts.resumed && { resumed: facts.resumed }),
    summary: checksByOutcome(listed),
    musts: mustsByOutcome(requirements, results, tolerance),
    ...earlierNights(listed, facts.ofEarlierRuns ?? []),
    causes: causesOf(checks, facts.evidence, preflight, facts.hooks).map((cause) =>
      changed(located(cause), ['title', 'evidence'], (text) => bounded(redact(text), 300)),
    ),
    requirements,
    checks,
    observations: unique((facts.observations ?? []).map((each) => observation(each, redact))),
    approvals: facts.approvals ?? [],
    requests: facts.requests,
    ...cellsOf(checks),
    latency: facts.latency ?? [],
    ...(facts.states && { states: facts.states }),
    leftBehind: (facts.leftBehind ?? []).map((left) => ({ ...left, why: redact(left.why) })),
    problems: stale,
  }
}

/** How many musts are based on what an earlier run sent, by day; without a day where no answer is kept. */
function earlierNights(
  listed: Result[],
  sent: Pick<Exchange, 'id' | 'startedAt'>[],
): Pick<Report, 'earlier'> {
  const days = new Map(sent.map(({ id, startedAt }) => [id, startedAt.slice(0, 10)]))
  const resting = new Map<string | undefined, Set<string>>()
  for (const { requirement, level, outcome, message, exchanges } of listed) {
    if (level !== 'must') continue
    const unkept = outcome === 'not-applicable' && message.startsWith(BY_AN_EARLIER_RUN)
    const [first] = exchanges
    const day = first === undefined ? undefined : days.get(first)
    if (!unkept && (day === undefined || !exchanges.every((id) => days.has(id)))) continue
    resting.set(day, (resting.get(day) ?? new Set()).add(requirement))
  }
  const earlier = [...resting].map(([day, { size }]) => ({ ...(day && { day }), musts: size }))
  return earlier.length > 0 ? { earlier } : {}
}

/** How many cells of tables were asked, and how many there are. */
function cellsOf(checks: CheckResult[]): Pick<Report, 'cells'> {
  const tables = checks.flatMap(({ cells }) => cells ?? [])
  if (tables.length === 0) return {}
  const sum = (of: (cells: (typeof tables)[number]) => number) =>
    tables.reduce((total, cells) => total + of(cells), 0)
  return { cells: { asked: sum(({ asked }) => asked.length), of: sum(({ of }) => of) } }
}

/** The verdict: known deviations don't fail a run, nor do the checks that they block. */
function ended(
  listed: Result[],
  { covered, excused, stale }: Tolerance,
  partial: string | undefined,
): { verdict: Verdict; exitCode: number } {
  const counted = verdictOf(
    listed
      .filter(({ id }) => !excused.has(id))
      .map((result) => (covered.has(result.id) ? { ...result, outcome: 'pass' as const } : result)),
  )
  // An outdated list of known deviations fails the run, as a failure would.
  if (stale.length > 0 && [0, 4].includes(counted.exitCode)) {
    return { verdict: 'nonconformant', exitCode: 1 }
  }
  if (partial && counted.exitCode === 0) return { verdict: 'incomplete', exitCode: 4 }
  return counted
}

/** The value with a change applied to those of these members that it has. */
function changed<T extends object>(
  value: T,
  names: (keyof T)[],
  change: (text: string) => string,
): T {
  const made = names.filter((name) => value[name] !== undefined)
  const members = made.map((name) => [name, change(String(value[name]))])
  return { ...value, ...Object.fromEntries(members) }
}

const LONGEST = 2000

/** A result as it stands in reports: redacted and limited in length. */
export function checkResult(result: Result, redact: (text: string) => string): CheckResult {
  const { because: _, ...rest } = result
  const text = (value: string) => bounded(redact(value), LONGEST)
  return {
    ...changed(rest, ['message', 'expected', 'actual', 'place', 'blockedBy'], text),
    durationMs: Math.round(rest.durationMs * 10) / 10,
  }
}

/** An observation as it stands in reports: redacted. */
export function observation(each: Observation, redact: (text: string) => string): Observation {
  return changed(each, ['what', 'value'], redact)
}

function unique(observations: Observation[]): Observation[] {
  const seen = new Map<string, Observation>()
  for (const observation of observations) {
    const { requirement, what, value } = observation
    const key = `${requirement}\n${what}\n${value}`
    if (!seen.has(key)) seen.set(key, observation)
  }
  return [...seen.values()]
}
