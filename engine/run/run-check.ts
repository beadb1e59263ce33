import type { Catalogue } from '../catalogue/catalogue.ts'
import { contextFor } from '../client-session/context.ts'
import type { EarlierJudgement } from '../client-session/resume-run.ts'
import type { Session } from '../client-session/session.ts'
import { traced } from '../client-session/trace.ts'
import { judge } from '../judge/judge.ts'
import type { Observation } from '../record/check-result.ts'
import { namedBy, type SuiteCheck } from '../suite-api/check.ts'

/** One check, judged, with what came with it: the approvals that it used among that. */
export interface Judgement extends EarlierJudgement {
  /** It judged an answer to a deviation, and no control stood before it. */
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
  const named = { id: check.id, uses: namedBy(check.options) }
  const context = contextFor(named, session, (observation) => observations.push(observation))
  const { judged, trace } = await traced(check.id, async (trace) => ({
    judged: await judge(check, context, requirement.level, () => trace.broken.at(-1)),
    trace,
  }))
  const { id, exchange, control, negative, durationMs, ...ended } = judged
  const others = trace.exchanges.map((x) => x.id).filter((other) => other !== exchange?.id)
  return {
    observations,
    approvals: [...trace.approvals],
    ...(negative && !control && { uncontrolled: true }),
    result: {
      id,
      requirement: requirement.id,
      level: requirement.level,
      kind: 'check',
      title: check.title,
      ...ended,
      ...(control && { control: { ...control, exchange: control.exchange.id } }),
      exchanges: [...(exchange ? [exchange.id] : []), ...others.slice(-20)],
      durationMs,
    },
  }
}
