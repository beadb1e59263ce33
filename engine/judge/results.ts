import type { Catalogue, Requirement } from '../catalogue/catalogue.ts'
import type { CheckResult } from '../record/check-result.ts'
import type { Level, Verdict } from '../record/words.ts'
import { DATA, type Endpoint, type Exchange } from '../wire/exchange.ts'
import { type Judged, worst } from './judge.ts'
import type { Cause, Outcome } from './outcome.ts'
import type { RuleState } from './rule-engine.ts'

/** One check or rule with its final outcome, before redaction. */
export interface Result extends Omit<CheckResult, 'deviation'> {
  because?: Cause
}

/** For each endpoint, the check that owns its step; if that check fails, there are no answers of the endpoint. */
export type EndpointOwners = Partial<Record<Endpoint, string>>

/** The result of a judged check, with its exchanges: the offending one first. */
export function resultOf(
  { negative: _, brokenCells: __, exchange, control, matched = [], ...ended }: Judged,
  { id: requirement, level }: Requirement,
  title: string,
  sent: readonly Exchange[],
): Result {
  const others = sent.map(({ id }) => id).filter((id) => id !== exchange?.id)
  return {
    ...ended,
    ...{ requirement, level, kind: 'check', title },
    ...(control && { control: { ...control, exchange: control.exchange.id } }),
    ...(matched.length > 0 && { matched }),
    exchanges: [...(exchange ? [exchange.id] : []), ...others.slice(-20)],
  }
}

/** The results of the rules at the end of a run. */
export function ruleResults(
  states: RuleState[],
  catalogue: Catalogue,
  checks: ReadonlyMap<string, Result>,
  owners: EndpointOwners,
): Result[] {
  const broken = new Set([
    ...states.filter(({ violated }) => violated > 0).map(({ id }) => id),
    ...[...checks.values()].filter(({ outcome }) => BROKEN.includes(outcome)).map(({ id }) => id),
  ])
  return states.flatMap((state) => {
    const requirement = catalogue.owners.get(state.id)
    return requirement ? [ruleResult(state, requirement, { checks, owners, broken })] : []
  })
}

/** The other results of the run. */
interface Others {
  checks: ReadonlyMap<string, Result>
  owners: EndpointOwners
  /** Ids of the checks and rules that were violated. */
  broken: ReadonlySet<string>
}

function ruleResult(
  state: RuleState,
  { id: requirement, level }: Requirement,
  others: Others,
): Result {
  const { id, title } = state
  const base = { id, requirement, level, kind: 'rule' as const, title, message: '', durationMs: 0 }
  const [first] = state.violations
  if (first) {
    const { finding } = first
    const times = state.violated > 1 ? ` (${state.violated} exchanges)` : ''
    return {
      ...base,
      ...finding,
      message: `${finding.message}${times}`,
      outcome: worst(level),
      exchanges: state.violations.map(({ exchange }) => exchange),
    }
  }
  if (state.judged > 0) {
    const outcome = level === 'observe' ? 'observed' : 'pass'
    return { ...base, outcome, exchanges: state.first ? [state.first] : [] }
  }
  return { ...base, exchanges: [], ...unseen(state, others) }
}

/** True if the endpoint shows data of a customer whom the target names. */
const isOfCustomers = (endpoint: string) => DATA.some((each) => each === endpoint)

/** The outcome of a rule that judged nothing: not applicable because of a freedom, or blocked with its cause. */
function unseen(
  { nearest, unseen: freedom, endpoints, needs, rests = [] }: RuleState,
  { checks, owners, broken }: Others,
): Pick<Result, 'outcome' | 'message' | 'because'> {
  const free = (message: string) => ({ outcome: 'not-applicable' as const, message })
  const lacking = (what: string) => {
    const because: Cause = { kind: endpoints.some(isOfCustomers) ? 'data' : 'freedom', what }
    return { outcome: 'blocked' as const, message: `needs ${what}`, because }
  }
  if (nearest?.kind === 'within') {
    const message = `the member that it judges is missing: see ${nearest.what}`
    return { outcome: 'blocked', message, because: { kind: 'check', id: nearest.what } }
  }
  if (nearest?.kind === 'absent') return free(`${nearest.what} is optional, and no answer had it`)
  if (nearest?.kind === 'unmet') return free(`no ${nearest.what} was one to which this applies`)
  if (nearest) return lacking(`an answer in which ${nearest.what} is not empty`)
  const asked = endpoints.map((endpoint) => owners[endpoint as Endpoint]).filter(Boolean)
  const results = asked.map((owner) => checks.get(owner as string)).filter((r) => r !== undefined)
  const failed = results.find(
    ({ outcome }) => !['pass', 'not-applicable', 'warn'].includes(outcome),
  )
  if (failed) {
    const message = `there was no answer that it judges: see ${failed.id}`
    return { outcome: 'blocked', message, because: { kind: 'check', id: failed.id } }
  }
  const rested = rests.find((id) => broken.has(id))
  if (rested !== undefined) {
    const message = `right and wrong cannot be distinguished: see ${rested}`
    return { outcome: 'blocked', message, because: { kind: 'check', id: rested } }
  }
  const absent = results.find(({ outcome }) => outcome === 'not-applicable')
  const reason = freedom || absent?.message
  if (reason !== undefined) return free(reason)
  return lacking(needs ?? `an answer of ${endpoints.join(' or ') || 'the bank'} that it can judge`)
}

const SOUND: Outcome[] = ['pass', 'observed']

const BROKEN: Outcome[] = ['fail', 'warn']

/**
 * Follows every chain of blocked checks to its cause. If a control failed although the check that owns it passed, that
 * check fails too. A result that only repeats another finding is blocked by that finding. A result blocked by something
 * not applicable is not applicable.
 *
 * @param follows by the id of a check, those of the same sentence at a closer place
 * @throws when a chain has no cause: that is a fault of Assay.
 */
export function settleBlocked(
  results: Map<string, Result>,
  follows: ReadonlyMap<string, readonly string[]> = new Map(),
): void {
  blameOwners(results)
  openCircles(results)
  blockFollowers(results, follows)
  nameCauses(results)
}

/** Start of the message of a check that another check saw fail. */
export const BLAMED = 'succeeded once, but not'

function blameOwners(results: Map<string, Result>): void {
  for (const result of results.values()) {
    if (result.outcome !== 'blocked' || result.because?.kind !== 'check') continue
    const owner = results.get(result.because.id)
    if (owner && SOUND.includes(owner.outcome)) blame(owner, result, BLAMED)
  }
}

/** Fails `owner` because of what a witness saw: another check, or itself if it relied on its own exchange. */
function blame(owner: Result, witness: Result, how: string): void {
  owner.outcome = worst(owner.level)
  owner.expected ??= 'the same success every time'
  owner.actual ??= witness.message
  if (witness === owner) return
  owner.message = `${how} for ${witness.id}: ${witness.message}`
  owner.exchanges = [...new Set([...witness.exchanges, ...owner.exchanges])]
}

const HEAVIEST_FIRST: Level[] = ['must', 'should', 'observe']

/**
 * At a bank that fails now and then, checks can block each other in a circle: each saw a failure of what another one
 * judges, and none judged its own. The first of them fails, a must if there is one: it was seen broken.
 */
function openCircles(results: Map<string, Result>): void {
  const weight = ({ level }: Result) => HEAVIEST_FIRST.indexOf(level)
  const inOrder = [...results.values()].sort((one, other) => weight(one) - weight(other))
  for (const result of inOrder) {
    const witness = witnessInCircle(result, results)
    if (!witness) continue
    blame(result, witness, 'did not succeed')
    delete result.because
  }
}

/** The check that `start` blocks, where a chain of blocked checks leads from `start` back to it. */
function witnessInCircle(start: Result, results: ReadonlyMap<string, Result>): Result | undefined {
  const seen = new Set<Result>()
  let result: Result | undefined = start
  while (result?.outcome === 'blocked' && result.because?.kind === 'check' && !seen.has(result)) {
    seen.add(result)
    const next = results.get(result.because.id)
    if (next === start) return result
    result = next
  }
  return undefined
}

/** One defect is reported as one failure, even where it shows at several places. */
function blockFollowers(
  results: Map<string, Result>,
  follows: ReadonlyMap<string, readonly string[]>,
): void {
  const broken = new Set(
    [...results.values()].filter(({ outcome }) => BROKEN.includes(outcome)).map(({ id }) => id),
  )
  for (const [id, others] of follows) {
    const result = results.get(id)
    const nearer = broken.has(id) && others.find((other) => broken.has(other))
    if (!result || !nearer) continue
    result.outcome = 'blocked'
    result.because = { kind: 'check', id: nearer }
    result.message = `the same as ${nearer}: ${result.message}`
  }
}

function nameCauses(results: Map<string, Result>): void {
  for (const result of results.values()) {
    if (result.outcome !== 'blocked') continue
    const { root, at } = rootOf(result, results)
    if (root.kind !== 'check') {
      result.blockedBy = `${root.kind}: ${root.what}`
      // The exchange that blocked the first check of the chain is evidence for all of them.
      const [evidence] = at.exchanges
      if (root.kind === 'environment' && evidence !== undefined) {
        result.exchanges = [...new Set([evidence, ...result.exchanges])]
      }
      continue
    }
    const cause = results.get(root.id)
    if (cause?.outcome === 'not-applicable') {
      result.outcome = 'not-applicable'
      result.message = cause.message
      continue
    }
    result.blockedBy = root.id
  }
}

/** The cause at the end of a chain, and the result that it blocked directly. */
function rootOf(result: Result, results: ReadonlyMap<string, Result>): { root: Cause; at: Result } {
  const seen = new Set<string>([result.id])
  let at = result
  for (;;) {
    const root = at.because
    if (!root) throw new Error(`${result.id} is blocked by nothing`)
    if (root.kind !== 'check') return { root, at }
    const next = results.get(root.id)
    if (!next) throw new Error(`${result.id} is blocked by ${root.id}, which was not judged`)
    if (next.outcome !== 'blocked') return { root, at }
    if (seen.has(next.id)) throw new Error(`${result.id} is blocked in a circle by ${next.id}`)
    seen.add(next.id)
    at = next
  }
}

const WORST_FIRST: Outcome[] = [
  'error',
  'fail',
  'blocked',
  'not-run',
  'warn',
  'pass',
  'observed',
  'not-applicable',
]

/** A requirement's outcome, derived from those of its checks. */
export function folded(outcomes: Outcome[]): Outcome {
  return WORST_FIRST.find((outcome) => outcomes.includes(outcome)) ?? 'not-run'
}

/** The verdict over everything in scope, and its exit code. */
export function verdictOf(results: Iterable<Result>): { verdict: Verdict; exitCode: number } {
  const all = [...results]
  const musts = all.filter(({ level }) => level === 'must')
  const has = (list: Result[], outcome: Outcome) => list.some((r) => r.outcome === outcome)
  const judged = all.some(({ outcome }) => ['pass', 'fail', 'warn', 'observed'].includes(outcome))
  if (has(all, 'error')) return { verdict: 'error', exitCode: 5 }
  if (has(musts, 'fail')) return { verdict: 'nonconformant', exitCode: 1 }
  const environment = all.some(({ blockedBy }) => blockedBy?.startsWith('environment'))
  if (!judged) return { verdict: 'incomplete', exitCode: environment ? 3 : 4 }
  if (has(musts, 'blocked') || has(musts, 'not-run')) return { verdict: 'incomplete', exitCode: 4 }
  // No must passed, perhaps because the selection has none: that is not conformance.
  if (!has(musts, 'pass')) return { verdict: 'incomplete', exitCode: 4 }
  return { verdict: 'conformant', exitCode: 0 }
}
