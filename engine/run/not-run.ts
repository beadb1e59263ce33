import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Result } from '../judge/results.ts'

/** A check that the run did not come to. */
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
