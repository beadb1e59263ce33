import type { Catalogue } from '../catalogue/catalogue.ts'
import { type Result, ruleResults, settleBlocked } from '../judge/results.ts'
import type { RuleEngine } from '../judge/rule-engine.ts'
import type { Report, ReportedRecording } from '../report/report.ts'
import { GONE } from '../run/deviations.ts'
import type { Suites } from '../run/suites.ts'
import type { Lack } from './recorded.ts'
import type { LacksByRule } from './recording-rules.ts'

/** The results of the rules; for those that could not judge, what the recording lacks. */
export function resultsOfRules(
  engine: RuleEngine,
  { catalogue, suites }: { catalogue: Catalogue; suites: Pick<Suites, 'checks'> },
  lacks: LacksByRule,
): Map<string, Result> {
  const states = engine.states()
  const results = new Map<string, Result>()
  for (const result of ruleResults(states, catalogue, new Map(), {})) {
    const lacking = [...(lacks.get(result.id)?.keys() ?? [])]
    const isOpen = result.outcome === 'blocked' || result.outcome === 'not-applicable'
    results.set(result.id, isOpen ? unjudgeable(result, lacking) : result)
  }
  const ofChecks = suites.checks.map(({ id, options }): [string, readonly string[]] => [
    id,
    options.follows ?? [],
  ])
  settleBlocked(results, new Map([...ofChecks, ...states.map(followed)]))
  return results
}

const followed = ({ id, follows = [] }: { id: string; follows?: readonly string[] }) =>
  [id, follows] as [string, readonly string[]]

/** Nobody's fault: the recording lacks something, or contains nothing of the kind. */
function unjudgeable(result: Result, lacking: Lack[]): Result {
  const { because, message } = result
  if (lacking.length > 0) {
    const what = lacking.join(', ')
    const why = `not judgeable here: needs ${what}, which the recording does not tell`
    return { ...result, outcome: 'blocked', message: why, because: { kind: 'recording', what } }
  }
  if (because?.kind !== 'data' && because?.kind !== 'freedom') return result
  return { ...result, message, because: { kind: 'recording', what: because.what } }
}

/** Never conformant: a recording does not show what was never requested, and that may be broken. */
export function recordingVerdict(
  { verdict, exitCode, musts, problems }: Report,
  { operations }: ReportedRecording,
  interrupted: boolean,
): Pick<Report, 'verdict' | 'exitCode' | 'problems'> {
  const stale = problems.filter((problem) => !problem.endsWith(GONE))
  const isBroken = verdict === 'error' || musts.failed > 0 || stale.length > 0
  const said = isBroken ? verdict : 'incomplete'
  const code = isBroken ? exitCode : operations === 0 ? 4 : 0
  return { verdict: said, exitCode: interrupted ? 130 : code, problems: stale }
}

/** How many of the tested musts the recording exercised, and how many of them are broken. */
export function mustsOf(
  catalogue: Catalogue,
  results: ReadonlyMap<string, Result>,
): ReportedRecording['musts'] {
  const all = [...catalogue.requirements.values()].filter(
    ({ level, notTested }) => level === 'must' && notTested === undefined,
  )
  const has = (ids: readonly string[], outcomes: string[]) =>
    ids.some((id) => outcomes.includes(results.get(id)?.outcome ?? ''))
  return {
    of: all.length,
    exercised: all.filter(({ checks }) => has(checks, ['pass', 'fail', 'observed', 'warn'])).length,
    broken: all.filter(({ checks }) => has(checks, ['fail'])).length,
  }
}

/** What is missing, and how many rules needed it. */
export function lackCounts(lacks: LacksByRule): ReportedRecording['lacks'] {
  const rules = new Map<string, number>()
  for (const counts of lacks.values()) {
    for (const what of counts.keys()) rules.set(what, (rules.get(what) ?? 0) + 1)
  }
  const sorted = [...rules].sort(([, one], [, other]) => other - one)
  return sorted.map(([what, n]) => ({ what, rules: n }))
}
