import type { Catalogue } from '../../catalogue/catalogue.ts'
import { worst } from '../../judge/judge.ts'
import { BLAMED } from '../../judge/results.ts'
import type { RuleState } from '../../judge/rule-engine.ts'
import type { CheckResult, Outcome, Report } from '../../report/report.ts'
import { ruleInScope } from '../../run/scope.ts'
import { type Compared, nothingYet } from './said.ts'

/** What the rules say about the exchanges of a run now, and what they could not read there. */
export interface Recomputed {
  states: RuleState[]
  /** Why a rule could not judge every exchange that it judged in the run; empty if it could. */
  lacksOf(id: string): readonly string[]
  /** True if a part of the exchange's request is redacted. */
  hides(exchange: string): boolean
}

const BROKEN: readonly Outcome[] = ['fail', 'warn']

const KEPT: readonly Outcome[] = ['pass', 'observed']

/** The comparison of the report's outcome of a rule with its exchanges. */
type Weighed = { is: 'same' } | { is: 'different' | 'untold'; what: string }

const SAME: Weighed = { is: 'same' }

const different = (what: string): Weighed => ({ is: 'different', what })

const untold = (what: string): Weighed => ({ is: 'untold', what })

/** Compares the outcome of every rule with what it says about the exchanges now. */
export function rulesAgain(report: Report, catalogue: Catalogue, found: Recomputed): Compared {
  const compared = nothingYet()
  const results = new Map(report.checks.map((check) => [check.id, check]))
  for (const state of found.states) {
    const weighed = weigh(state, {
      report,
      catalogue,
      results,
      found,
      lacks: found.lacksOf(state.id),
    })
    if (!weighed) continue
    if (weighed.is === 'same') compared.same.push(state.id)
    else compared[weighed.is].push({ id: state.id, what: weighed.what })
  }
  const known = new Set(found.states.map(({ id }) => id))
  for (const { id, kind } of report.checks) {
    if (kind === 'rule' && !known.has(id)) compared.untold.push({ id, what: 'no rule has this id' })
  }
  return compared
}

interface Around {
  report: Report
  catalogue: Catalogue
  results: ReadonlyMap<string, CheckResult>
  found: Recomputed
  lacks: readonly string[]
}

function weigh(state: RuleState, around: Around): Weighed | undefined {
  const { report, catalogue, results } = around
  const result = results.get(state.id)
  if (!result) {
    if (!ruleInScope(state, catalogue, report.scope)) return undefined
    return different(`the report no longer has it; its exchanges show: ${shownWords(state)}`)
  }
  // A rule with the id of a check can only make the result worse: the checks are compared separately.
  if (result.kind === 'check') {
    if (state.violated === 0 || !['pass', 'not-applicable'].includes(result.outcome)) return SAME
    return different(`${said(result)}, and its exchanges show: ${shownWords(state)}`)
  }
  if (result.outcome === 'not-run' && report.partial !== undefined) {
    return state.judged === 0 ? SAME : untold('the run ended before it was told')
  }
  if (result.outcome === 'error') return untold('Assay itself failed')
  if (state.violated > 0) return ofBroken(state, result, around)
  return state.judged > 0 ? ofKept(state, result, around) : ofUnseen(state, result, around)
}

function ofBroken(state: RuleState, result: CheckResult, { results, lacks }: Around): Weighed {
  const nearer = (state.follows ?? []).find((id) =>
    BROKEN.includes(results.get(id)?.outcome ?? 'pass'),
  )
  if (result.outcome === 'blocked' && nearer !== undefined) return SAME
  if (result.outcome !== worst(result.level)) {
    return different(`${said(result)}, and its exchanges show: ${shownWords(state)}`)
  }
  const shown = state.violations.map(({ exchange }) => exchange)
  const missing = shown.filter((id) => !result.exchanges.includes(id))
  const [first] = missing
  if (first === undefined || lacks.length > 0) return SAME
  return different(`${said(result)}, and does not name ${first}, which breaks it`)
}

function ofKept(state: RuleState, result: CheckResult, { lacks }: Around): Weighed {
  if (KEPT.includes(result.outcome)) return SAME
  const isBroken = BROKEN.includes(result.outcome)
  if (isBroken && lacks.length > 0) return untold(`needs ${lacks.join(', ')}`)
  if (isBroken && result.message.startsWith(BLAMED)) {
    return untold('a check that needed it tells that it did not hold each time')
  }
  return different(`${said(result)}, and its exchanges show: ${shownWords(state)}`)
}

function ofUnseen(state: RuleState, result: CheckResult, { lacks, found }: Around): Weighed {
  // The reason that nothing was judged is not examined.
  if (!KEPT.includes(result.outcome) && !BROKEN.includes(result.outcome)) return SAME
  if (lacks.length > 0) return untold(`needs ${lacks.join(', ')}`)
  if (result.exchanges.some(found.hides)) return untold('needs a request that is redacted')
  return different(`${said(result)}, and its exchanges show: ${shownWords(state)}`)
}

const said = ({ outcome }: CheckResult): string => `the report has it as ${outcome}`

function shownWords({ violated, violations, judged, first }: RuleState): string {
  const [worstOne] = violations
  if (worstOne) {
    const times = violated > 1 ? ` and ${violated - 1} more` : ''
    return `broken by ${worstOne.exchange}${times}: ${worstOne.finding.message}`
  }
  if (judged > 0) return `kept by ${judged === 1 ? first : `all of ${judged}`}`
  return 'none that it judges'
}
