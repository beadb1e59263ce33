import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Outcome } from '../judge/outcome.ts'
import { folded, type Result } from '../judge/results.ts'
import type { Report, RequirementResult } from '../report/report.ts'
import type { Tolerance } from './deviations.ts'
import { type Scope, selected } from './scope.ts'

/**
 * The requirements of a run: those with at least one result, and those that no check tests, if they are selected. Of a
 * requirement's checks only those with a result count.
 */
export function requirementsInScope(
  catalogue: Catalogue,
  results: ReadonlyMap<string, Result>,
  scope: Scope,
): RequirementResult[] {
  return [...catalogue.requirements.values()].flatMap((requirement) => {
    const { id, level, chapter, text, source, clause, notTested, open } = requirement
    const quote = clause === undefined ? requirement.quote : [...requirement.quote, clause]
    const checks = requirement.checks.filter((check) => results.has(check))
    const untested = notTested !== undefined && selected(requirement, scope)
    if (checks.length === 0 && !untested) return []
    const decision = catalogue.decisions.get(requirement.decision ?? '')
    const leftOut = requirement.checks.filter((check) => !results.has(check))
    return {
      id,
      level,
      chapter,
      text,
      source,
      quote,
      outcome: folded(checks.map((check) => results.get(check)?.outcome ?? 'not-run')),
      checks,
      ...(leftOut.length > 0 && { leftOut }),
      ...(notTested !== undefined && { notTested }),
      ...(open !== undefined && { open }),
      ...(decision && { decision: { id: decision.id, text: decision.decision } }),
    }
  })
}

/** Number of checks and rules by outcome. */
export function checksByOutcome(results: Result[]): Report['summary'] {
  const count = (outcome: Outcome) => results.filter((result) => result.outcome === outcome).length
  return {
    pass: count('pass'),
    fail: count('fail'),
    warn: count('warn'),
    observed: count('observed'),
    blocked: count('blocked'),
    notApplicable: count('not-applicable'),
    notRun: count('not-run'),
    error: count('error'),
  }
}

type Count = Exclude<keyof Report['musts'], 'judged'>

/** Number of musts by outcome, each counted once. */
export function mustsByOutcome(
  requirements: RequirementResult[],
  results: ReadonlyMap<string, Result>,
  tolerance: Tolerance,
): Report['musts'] {
  const counts: Record<Count, number> = {
    passed: 0,
    failed: 0,
    known: 0,
    blocked: 0,
    excused: 0,
    notApplicable: 0,
    notRun: 0,
    notTested: 0,
    error: 0,
  }
  for (const requirement of requirements) {
    if (requirement.level !== 'must') continue
    counts[endOf(requirement, results, tolerance)] += 1
  }
  return { judged: counts.passed + counts.failed + counts.known, ...counts }
}

/** Like the folding of outcomes, but known and excused results come after the others. */
function endOf(
  { checks, notTested }: RequirementResult,
  results: ReadonlyMap<string, Result>,
  { covered, excused }: Tolerance,
): Count {
  if (notTested !== undefined) return 'notTested'
  const own = checks.map((id) => results.get(id)).filter((result) => result !== undefined)
  const has = (outcome: Outcome, among = own) => among.some((result) => result.outcome === outcome)
  const open = own.filter(({ id }) => !covered.has(id) && !excused.has(id))
  if (has('error')) return 'error'
  if (has('fail', open)) return 'failed'
  if (has('blocked', open)) return 'blocked'
  if (has('not-run')) return 'notRun'
  if (has('fail')) return 'known'
  if (has('blocked')) return 'excused'
  return own.every(({ outcome }) => outcome === 'not-applicable') ? 'notApplicable' : 'passed'
}
