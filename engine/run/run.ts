import { setTimeout as wait } from 'node:timers/promises'
import { LACKS, type Outcome } from '../judge/outcome.ts'
import { type Result, ruleResults, settleBlocked } from '../judge/results.ts'
import type { Observation } from '../record/check-result.ts'
import { absence } from './absent.ts'
import { historyPlayer } from './histories.ts'
import { createJudging, type RunParts } from './judging-order.ts'
import { neededBy } from './plan.ts'
import type { Judgement } from './run-check.ts'
import { CELLS, checkInScope, inScope, ordered, ruleInCore } from './scope.ts'

export type Finished = Awaited<ReturnType<ReturnType<typeof createRun>['finish']>>

/** Maximum wait, in milliseconds, for the check that is running when a run is interrupted. */
const PATIENCE = 10_000

/** A run of the suite against one bank: judges checks one by one, then is finished once. */
export function createRun(parts: RunParts) {
  const { session, catalogue, scope, histories } = parts
  if (histories) session.playHistory = historyPlayer(session, catalogue, histories)
  const selected = parts.checks.filter((check) => checkInScope(check, catalogue, scope))
  const asked = selected.filter(
    ({ id }) => absence(id, catalogue, session.target.absent) === undefined,
  )

  session.extent = {
    ...session.extent,
    quick: scope.profile === 'quick',
    cells: CELLS[scope.profile],
    seed: scope.seed ?? 1,
    approvals: new Set(neededBy(asked).map(({ name }) => name)),
  }

  const { judge, judgeWhatIsRestedOn, judged, underWay } = createJudging(parts, asked)

  return {
    /** The checks in scope, in the order in which they are to be judged. */
    checks: ordered(selected, catalogue),
    judge,
    /**
     * Judges what the scope left out but a result depends on, cleans up, and computes the final results. Customers'
     * approvals are only kept when the run was interrupted, or the bank is gone.
     */
    async finish(interrupted = false) {
      // After Ctrl-C nobody waits for the running check, but it continues.
      await Promise.race([Promise.all(underWay), wait(PATIENCE, undefined, { ref: false })])
      await judgeWhatIsRestedOn()
      for (const one of interrupted ? [] : (parts.cases ?? [])) await judge(one)
      if (!interrupted && !session.lost) session.resumable?.drop()
      const leftBehind = await session.cleanUp()
      const judgements = [...judged.values()]
      const observations: Observation[] = [
        ...judgements.flatMap((judgement) => judgement.observations),
        ...session.rules.observations(),
      ]
      const results = folded(parts, judgements, interrupted)
      return { results, observations, used: usedBy(judgements), leftBehind }
    },
  }
}

/** Final results by id: checks and rules. */
function folded(
  { session, catalogue, checks, scope }: RunParts,
  judgements: Judgement[],
  interrupted: boolean,
): Map<string, Result> {
  const results = new Map<string, Result>()
  for (const { result } of judgements) results.set(result.id, { ...result })
  const states = session.rules
    .states()
    .filter(({ uses }) => scope.profile !== 'core' || ruleInCore(uses))
  const seen = ruleResults(states, catalogue, results, session.owners.endpoints)
  const applicable = seen.map((rule) =>
    notApplicable(rule, absence(rule.id, catalogue, session.target.absent)),
  )
  const rules = interrupted ? applicable.map(notComeTo) : applicable
  const causes = new Set(
    [...results.values()].map(({ because }) => because?.kind === 'check' && because.id),
  )
  for (const rule of rules) {
    const check = results.get(rule.id)
    // A rule of the same id judges all other exchanges of the kind; it can only make the result worse.
    if (check) {
      if (OPEN.includes(check.outcome) && BROKEN.includes(rule.outcome)) {
        results.set(rule.id, { ...rule, kind: 'check', durationMs: check.durationMs })
      }
      continue
    }
    if (inScope(rule.id, catalogue, scope) || causes.has(rule.id)) results.set(rule.id, rule)
  }
  const follows = new Map(checks.map(({ id, options }) => [id, options.follows ?? []]))
  for (const { id, follows: others = [] } of states) {
    follows.set(id, [...(follows.get(id) ?? []), ...others])
  }
  settleBlocked(results, follows)
  return results
}

/** Name of an approval → checks that used it. */
function usedBy(judgements: Judgement[]): Map<string, string[]> {
  const used = new Map<string, string[]>()
  for (const { approvals, result } of judgements) {
    for (const name of approvals) used.set(name, [...(used.get(name) ?? []), result.id])
  }
  return used
}

/** Marks a blocked rule as not applicable, where the target declares absent what it needs. */
function notApplicable(rule: Result, why: string | undefined): Result {
  if (why === undefined || rule.outcome !== 'blocked') return rule
  const { because: _, ...rest } = rule
  return { ...rest, outcome: 'not-applicable', message: why }
}

/** If a run did not get as far as a rule, the rule does not lack the customers' data. */
function notComeTo(rule: Result): Result {
  const { because, ...rest } = rule
  if (rule.outcome !== 'blocked' || !LACKS.includes(because?.kind ?? '')) return rule
  return { ...rest, outcome: 'not-run', message: `the run ended before: ${rule.message}` }
}

const BROKEN: Outcome[] = ['fail', 'warn']

/** A check that found nothing wrong, or had nothing to send: the rule of the same id may have found more. */
const OPEN: Outcome[] = ['pass', 'not-applicable']
