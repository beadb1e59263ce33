import type { Catalogue } from '../catalogue/catalogue.ts'
import { folded, type Result, verdictOf } from '../judge/fold.ts'
import type { Outcome } from '../judge/outcome.ts'
import type { ApprovalUse, CheckResult, Observation, Report } from '../report/report.ts'
import { applyDeviations, type Deviation } from './deviations.ts'
import { type Scope, selected } from './scope.ts'

/** What of a run goes into its report. */
export interface RunFacts {
  version: string
  target: { name: string; configurationDigest: string }
  scope: Scope
  startedAt: Date
  finishedAt: Date
  catalogue: Catalogue
  results: ReadonlyMap<string, Result>
  observations: Observation[]
  approvals: ApprovalUse[]
  requests: number
  latency: Report['latency']
  leftBehind: Report['leftBehind']
  /** Why the run ended early; absent on a whole run. */
  partial?: string
  /** What was taken over from a run that was interrupted. */
  resumed?: Report['resumed']
  deviations?: Deviation[]
  /** Makes a text fit to leave the process that judges. */
  redact(text: string): string
}

/** Report.json as a value, every text in it redacted. */
export function composeReport(facts: RunFacts): Report {
  const { catalogue, results, scope, redact, partial } = facts
  const listed = [...results.values()]
  const { covered, stale } = applyDeviations(facts.deviations ?? [], results, facts.finishedAt)
  const counted = verdictOf(listed.filter(({ id }) => !covered.has(id)))
  // A list of known deviations that is out of date fails the run, as a failure would.
  const ended =
    stale.length > 0 && [0, 4].includes(counted.exitCode)
      ? { verdict: 'nonconformant' as const, exitCode: 1 }
      : counted
  const { verdict, exitCode } =
    partial && ended.exitCode === 0 ? { verdict: 'incomplete' as const, exitCode: 4 } : ended
  const outcomeOf = (id: string): Outcome => results.get(id)?.outcome ?? 'not-run'

  const requirements = [...catalogue.requirements.values()]
    .filter(
      (requirement) =>
        selected(requirement, scope) || requirement.checks.some((check) => results.has(check)),
    )
    .map((requirement) => {
      const { id, level, chapter, text, source, quote, checks, notTested, open } = requirement
      const decision = catalogue.decisions.get(requirement.decision ?? '')
      return {
        id,
        level,
        chapter,
        text,
        source,
        quote,
        outcome: checks.length === 0 ? ('not-run' as const) : folded(checks.map(outcomeOf)),
        checks,
        ...(notTested !== undefined && { notTested }),
        ...(open !== undefined && { open }),
        ...(decision && { decision: { id: decision.id, text: decision.decision } }),
      }
    })

  const count = (outcome: Outcome) => listed.filter((result) => result.outcome === outcome).length
  const musts = requirements.filter(({ level, notTested }) => level === 'must' && !notTested)
  const must = (outcome: Outcome) => musts.filter((each) => each.outcome === outcome).length
  return {
    assay: {
      version: facts.version,
      specsDigest: catalogue.digest,
      node: process.version,
    },
    target: facts.target,
    scope: {
      ...scope,
      requirements: requirements.length,
      checks: listed.length,
    },
    startedAt: facts.startedAt.toISOString(),
    finishedAt: facts.finishedAt.toISOString(),
    verdict,
    exitCode,
    ...(partial !== undefined && { partial: redact(partial) }),
    ...(facts.resumed && { resumed: facts.resumed }),
    summary: {
      pass: count('pass'),
      fail: count('fail'),
      warn: count('warn'),
      observed: count('observed'),
      blocked: count('blocked'),
      notApplicable: count('not-applicable'),
      notRun: count('not-run'),
      error: count('error'),
    },
    musts: {
      judged: must('pass') + must('fail'),
      passed: must('pass'),
      failed: must('fail'),
      blocked: must('blocked'),
      notApplicable: must('not-applicable'),
      notRun: must('not-run'),
      notTested: requirements.filter(({ level, notTested }) => level === 'must' && notTested)
        .length,
    },
    requirements,
    checks: listed.map((result) => {
      const deviation = covered.get(result.id)
      return { ...checkResult(result, redact), ...(deviation && { deviation: marked(deviation) }) }
    }),
    observations: unique(facts.observations.map((each) => observation(each, redact))),
    approvals: facts.approvals,
    requests: facts.requests,
    latency: facts.latency,
    leftBehind: facts.leftBehind.map((left) => ({ ...left, why: redact(left.why) })),
    problems: stale,
  }
}

function marked({ reason, ticket, owner, expires }: Deviation): CheckResult['deviation'] {
  return { reason, ...(ticket && { ticket }), ...(owner && { owner }), expires }
}

const LONGEST = 2000

/** A result as reports hold it: redacted, bounded. */
export function checkResult(result: Result, redact: (text: string) => string): CheckResult {
  const { because: _, expected, actual, place, blockedBy, ...rest } = result
  const text = (value: string) => {
    const safe = redact(value)
    return safe.length <= LONGEST ? safe : `${safe.slice(0, LONGEST)}… (${safe.length} characters)`
  }
  return {
    ...rest,
    message: text(rest.message),
    durationMs: Math.round(rest.durationMs * 10) / 10,
    ...(expected !== undefined && { expected: text(expected) }),
    ...(actual !== undefined && { actual: text(actual) }),
    ...(place !== undefined && { place: text(place) }),
    ...(blockedBy !== undefined && { blockedBy: text(blockedBy) }),
  }
}

/** An observation as reports hold it: redacted. */
export function observation(
  { requirement, what, value, exchange }: Observation,
  redact: (text: string) => string,
): Observation {
  return {
    requirement,
    what: redact(what),
    value: redact(value),
    ...(exchange !== undefined && { exchange }),
  }
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
