import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Result } from '../judge/results.ts'
import type { Judgement } from './run-check.ts'

/** The result of a check that the run did not reach. */
export function notRun(
  check: { id: string; title: string },
  catalogue: Catalogue,
  why = 'the run ended before it',
): Result {
  const requirement = catalogue.owners.get(check.id)
  return {
    id: check.id,
    requirement: requirement?.id ?? '',
    level: requirement?.level ?? 'observe',
    kind: 'check',
    title: check.title,
    outcome: 'not-run',
    message: why,
    exchanges: [],
    durationMs: 0,
  }
}

/** Start of a cause that names a check which never ended. */
export const TOO_LONG = 'a check took longer than its share'

/** The result of a check that was ended by force: no answer of the bank explains it. */
export function tooLong(check: { id: string; title: string }, catalogue: Catalogue): Judgement {
  const message = `${TOO_LONG}: ended by force, and the run went on without it`
  const because = { kind: 'environment', what: `${TOO_LONG}: ${check.id}` } as const
  const result: Result = { ...notRun(check, catalogue, message), outcome: 'blocked', because }
  return { result, observations: [], approvals: [] }
}
