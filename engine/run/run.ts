import { setTimeout as wait } from 'node:timers/promises'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Session } from '../client-session/session.ts'
import { LACKS, type Outcome } from '../judge/outcome.ts'
import { type Result, ruleResults, settleBlocked } from '../judge/results.ts'
import type { Observation } from '../record/check-result.ts'
import type { SuiteCheck } from '../suite-api/check.ts'
import { absence } from './absent.ts'
import { tooLong } from './not-run.ts'
import { neededBy } from './plan.ts'
import { type Judgement, judgeOne } from './run-check.ts'
import { CELLS, checkInScope, inScope, isEarly, ordered, ruleInCore, type Scope } from './scope.ts'

export type Finished = Awaited<ReturnType<ReturnType<typeof createRun>['finish']>>

/** Milliseconds for the check that is under way when a run is interrupted. */
const PATIENCE = 10_000

/** A run of the suite against one bank: judged check by check, then finished once. */
export function createRun(parts: {
  session: Session
  catalogue: Catalogue
  checks: SuiteCheck[]
  scope: Scope
  /** Checks that took longer than their share when this run began. */
  stuck?: ReadonlySet<string>
}) {
  const { session, catalogue, scope } = parts
  const judged = new Map<string, Judgement>()
  const underWay = new Set<Promise<Judgement>>()
  const selected = parts.checks.filter((check) => checkInScope(check, catalogue, scope))
  const asked = selected.filter(
    ({ id }) => absence(id, catalogue, session.target.absent) === undefined,
  )
  const byId = new Map(parts.checks.map((check) => [check.id, check]))

  session.extent = {
    ...session.extent,
    quick: scope.profile === 'quick',
    cells: CELLS[scope.profile],
    seed: scope.seed ?? 1,
    approvals: new Set(neededBy(asked).map(({ name }) => name)),
  }

  for (const before of session.resumable?.earlier.judgements ?? []) {
    if (byId.has(before.result.id)) judged.set(before.result.id, before)
  }

  /** Has a check begun that ends what every other needs? */
  let ending = false

  /** Is one more client registered by a check that an approval is given for? */
  let registering = asked.some(({ options }) => options.registers && options.uses?.length)

  /** A bank may end a client, with all that it has, when its software is registered again. */
  const registerBeforehand = async () => {
    registering = false
    const id = session.owners.laterRegistration
    const check = byId.get(id)
    if (check && !judged.has(id)) await judgeOne(check, session, catalogue)
  }

  const judge = async (check: SuiteCheck): Promise<Judgement> => {
    const known = judged.get(check.id)
    if (known) return known
    if (registering && !isEarly(check)) await registerBeforehand()
    if (check.options.spends) await beforeSpending(check.options.spends.name)
    if (check.options.last && !ending) {
      ending = true
      // What the last ones ask for first is rested on as well.
      const last = asked.filter(({ options }) => options.last)
      const names = new Set(neededBy(last).map(({ name }) => name))
      for (const owner of stepOwners()) {
        const { uses = [] } = owner.options
        const own = uses.some(({ core }) => !core) && uses.every(({ name }) => names.has(name))
        if (own) await judge(owner)
      }
      await judgeWhatIsRestedOn()
    }
    const judging = parts.stuck?.has(check.id)
      ? Promise.resolve(tooLong(check, catalogue))
      : judgeOne(check, session, catalogue)
    underWay.add(judging)
    const judgement = await judging
    underWay.delete(judging)
    judged.set(check.id, judgement)
    session.resumable?.judged(judgement)
    return judgement
  }

  const stepOwners = () => Object.values(session.owners.steps).flatMap((id) => byId.get(id) ?? [])

  /** An owner of a step that the scope left out could not be judged once its approval is gone. */
  const beforeSpending = async (approval: string) => {
    for (const owner of stepOwners()) {
      const uses = owner.options.uses?.some(({ name }) => name === approval)
      if (uses && !owner.options.spends) await judge(owner)
    }
    session.resumable?.spends(approval)
  }

  /** Owners of steps and causes of blocked are judged too, whatever the scope. */
  const judgeWhatIsRestedOn = async () => {
    for (;;) {
      const wanted = new Set(await session.steps.owners())
      for (const { result } of judged.values()) {
        if (result.because?.kind === 'check') wanted.add(result.because.id)
      }
      const missing = [...wanted].filter((id) => !judged.has(id) && byId.has(id))
      if (missing.length === 0) return
      for (const id of missing) await judge(byId.get(id) as SuiteCheck)
    }
  }

  return {
    /** What is in scope, in the order in which it is to be judged. */
    checks: ordered(selected, catalogue),
    judge,
    /**
     * Judges what the scope left out and a result rests on, cleans up and folds. What customers
     * approved is only kept when the run was interrupted, or the bank is gone.
     */
    async finish(interrupted = false) {
      // After Ctrl-C nobody waits for the check that is under way, and it goes on all the same.
      await Promise.race([Promise.all(underWay), wait(PATIENCE, undefined, { ref: false })])
      await judgeWhatIsRestedOn()
      if (!interrupted && !session.lost) session.resumable?.drop()
      const leftBehind = await session.cleanUp()
      /** Final results by id: checks and rules. */
      const results = new Map<string, Result>()
      for (const { result } of judged.values()) results.set(result.id, { ...result })
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
        // A rule of the same id judges every other exchange of the kind; it only takes away.
        if (check) {
          if (OPEN.includes(check.outcome) && BROKEN.includes(rule.outcome)) {
            results.set(rule.id, { ...rule, kind: 'check', durationMs: check.durationMs })
          }
          continue
        }
        if (inScope(rule.id, catalogue, scope) || causes.has(rule.id)) results.set(rule.id, rule)
      }
      const follows = new Map(parts.checks.map(({ id, options }) => [id, options.follows ?? []]))
      for (const { id, follows: others = [] } of states) {
        follows.set(id, [...(follows.get(id) ?? []), ...others])
      }
      settleBlocked(results, follows)
      /** Approval name → checks that used it. */
      const used = new Map<string, string[]>()
      for (const { approvals, result } of judged.values()) {
        for (const name of approvals) used.set(name, [...(used.get(name) ?? []), result.id])
      }
      const observations: Observation[] = [
        ...[...judged.values()].flatMap((judgement) => judgement.observations),
        ...session.rules.observations(),
      ]
      return { results, observations, used, leftBehind }
    },
  }
}

/** A rule that saw nothing of what the target declares absent. */
function notApplicable(rule: Result, why: string | undefined): Result {
  if (why === undefined || rule.outcome !== 'blocked') return rule
  const { because: _, ...rest } = rule
  return { ...rest, outcome: 'not-applicable', message: why }
}

/** What a rule lacks that a run did not come to is no lack of the customers' data. */
function notComeTo(rule: Result): Result {
  const { because, ...rest } = rule
  if (rule.outcome !== 'blocked' || !LACKS.includes(because?.kind ?? '')) return rule
  return { ...rest, outcome: 'not-run', message: `the run ended before: ${rule.message}` }
}

const BROKEN: Outcome[] = ['fail', 'warn']

/** A check that found nothing wrong, or nothing to send: its rule may know better. */
const OPEN: Outcome[] = ['pass', 'not-applicable']
