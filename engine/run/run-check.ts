import type { Catalogue } from '../catalogue/catalogue.ts'
import { contextFor } from '../client-session/context.ts'
import type { EarlierJudgement } from '../client-session/resume-run.ts'
import type { Session } from '../client-session/session.ts'
import { lastBroken, traced } from '../client-session/trace.ts'
import { judge } from '../judge/judge.ts'
import { resultOf } from '../judge/results.ts'
import type { Observation } from '../record/check-result.ts'
import { namedBy, type SuiteCheck } from '../suite-api/check.ts'
import { absence } from './absent.ts'

/** The judgement of one check and what belongs to it, including the approvals that it used. */
export interface Judgement extends EarlierJudgement {
  /** It judged a response to a deviation, and no control came before it. */
  uncontrolled?: true
}

/** Judges one check in a session. Never throws. */
export async function judgeOne(
  check: SuiteCheck,
  session: Session,
  catalogue: Catalogue,
): Promise<Judgement> {
  const requirement = catalogue.owners.get(check.id)
  if (!requirement) throw new Error(`${check.id} is not in specs/`)
  const observations: Observation[] = []
  const why = absence(check.id, catalogue, session.target.absent)
  if (why !== undefined) {
    const outcome = 'not-applicable'
    const ended = { id: check.id, outcome, message: why, negative: false, durationMs: 0 } as const
    return { observations, approvals: [], result: resultOf(ended, requirement, check.title, []) }
  }
  const named = { id: check.id, uses: namedBy(check.options) }
  const observe = (observation: Observation) => observations.push(observation)
  const context = contextFor(named, session, observe)
  const { judged, trace } = await traced(check.id, async (trace) => ({
    judged: await judge(check, context, requirement.level, () => lastBroken(trace)),
    trace,
  }))
  const cells = session.cells.get(check.id)
  return {
    observations,
    approvals: [...trace.approvals],
    ...(judged.negative && !judged.control && { uncontrolled: true }),
    result: {
      ...resultOf(judged, requirement, check.title, trace.exchanges),
      ...(cells && { cells: { ...cells, broken: [...(judged.brokenCells ?? [])] } }),
    },
  }
}
