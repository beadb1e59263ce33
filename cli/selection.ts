import type { Catalogue } from '../engine/catalogue/catalogue.ts'
import { inScope, TAGS } from '../engine/run/scope.ts'
import { UsageError } from './usage.ts'

/** Ends the command for a pattern that selects nothing: a run that judges nothing looks green. */
export function assertSelects(only: string[], catalogue: Catalogue): void {
  const ids = [...catalogue.owners.keys()]
  const idle = only.filter(
    (pattern) =>
      !(TAGS as readonly string[]).includes(pattern) &&
      !ids.some((id) => inScope(id, catalogue, { profile: 'full', only: [pattern] })),
  )
  if (idle.length === 0) return
  const known = `Name a check, requirement, chapter, level or tag (${TAGS.join(', ')}); * stands for anything`
  throw new UsageError(`--only ${idle.join(' ')} selects nothing. ${known}: assay run --list`)
}
