import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Session } from '../client-session/session.ts'
import type { SuiteCheck } from '../suite-api/check.ts'
import type { HistoryParts } from './histories.ts'
import { tooLong } from './not-run.ts'
import { neededBy } from './plan.ts'
import { type Judgement, judgeOne } from './run-check.ts'
import { isEarly, type Scope } from './scope.ts'

/** The parts of a run. */
export interface RunParts {
  session: Session
  catalogue: Catalogue
  checks: SuiteCheck[]
  scope: Scope
  /** What is needed to play histories; absent: no check plays one. */
  histories?: () => Promise<HistoryParts>
  /** Kept histories, judged after everything else. */
  cases?: readonly SuiteCheck[]
  /** Checks that took too long earlier in this run. */
  stuck?: ReadonlySet<string>
}

/**
 * Judges checks of a run, each once; before some of them it judges others that would lose what they need.
 *
 * @param asked the checks that send requests to the bank.
 */
export function createJudging(
  { session, catalogue, checks, stuck }: RunParts,
  asked: readonly SuiteCheck[],
) {
  const judged = new Map<string, Judgement>()
  const underWay = new Set<Promise<Judgement>>()
  const byId = new Map(checks.map((check) => [check.id, check]))

  for (const before of session.resumable?.earlier.judgements ?? []) {
    if (byId.has(before.result.id)) judged.set(before.result.id, before)
  }

  /** True once a check has begun that ends what all others need. */
  let ending = false

  /** True if a check that uses an approval registers one more client. */
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
      // The steps that the last checks are the first to request are needed too.
      const last = asked.filter(({ options }) => options.last)
      const names = new Set(neededBy(last).map(({ name }) => name))
      for (const owner of stepOwners()) {
        const { uses = [] } = owner.options
        const own = uses.some(({ core }) => !core) && uses.every(({ name }) => names.has(name))
        if (own) await judge(owner)
      }
      await judgeWhatIsRestedOn()
    }
    const judging = stuck?.has(check.id)
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

  /** An owner of a step that the scope left out could not be judged after its approval is gone. */
  const beforeSpending = async (approval: string) => {
    for (const owner of stepOwners()) {
      const uses = owner.options.uses?.some(({ name }) => name === approval)
      if (uses && !owner.options.spends) await judge(owner)
    }
    session.resumable?.spends(approval)
  }

  /** Owners of steps and causes of blocked checks are judged too, whatever the scope. */
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

  return { judge, judgeWhatIsRestedOn, judged, underWay }
}
