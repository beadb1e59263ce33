import { existsSync } from 'node:fs'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { problem, readEntries } from '../catalogue/entries.ts'
import type { Result } from '../judge/fold.ts'

/** Something that the bank is known to do wrong: still judged and shown, it does not fail the run. */
export interface Deviation {
  /** A requirement, or one check or rule. */
  id: string
  reason: string
  ticket?: string
  owner?: string
  /** The last day on which it counts, YYYY-MM-DD in UTC. */
  expires: string
}

const KEYS = ['id', 'reason', 'ticket', 'owner', 'expires']

/**
 * Reads a file of known deviations: a YAML list. Throws an Error that lists each mistake as
 * `file:line:column: what is wrong. mend.`
 */
export function loadDeviations(file: string, catalogue: Catalogue): Deviation[] {
  if (!existsSync(file)) throw new Error(`${file}: there is no such file`)
  const problems: string[] = []
  const deviations = readEntries(file, KEYS, problems).map((entry) => {
    const { id, reason, ticket, owner, expires } = entry.value as unknown as Deviation
    const known = catalogue.requirements.has(String(id)) || catalogue.owners.has(String(id))
    if (!known) problems.push(problem(entry, `${id} is no requirement, check or rule. See specs/.`))
    if (typeof reason !== 'string' || reason.trim() === '') {
      problems.push(problem(entry, `${id} has no reason. Say why it is tolerated.`))
    }
    if (!/^\d{4}-\d{2}-\d{2}$/.test(String(expires)) || Number.isNaN(Date.parse(expires))) {
      problems.push(problem(entry, `${id} expires on ${expires}. Write a day as 2027-01-31.`))
    }
    return { id, reason, ticket, owner, expires: String(expires) }
  })
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return deviations
}

/** Which results are covered, and what is wrong with the list itself: both fail a run. */
export function applyDeviations(
  deviations: Deviation[],
  results: ReadonlyMap<string, Result>,
  today: Date,
): { covered: Map<string, Deviation>; stale: string[] } {
  const covered = new Map<string, Deviation>()
  const stale: string[] = []
  const day = today.toISOString().slice(0, 10)
  for (const deviation of deviations) {
    const { id, expires } = deviation
    const about = [...results.values()].filter((each) => each.id === id || each.requirement === id)
    const broken = about.filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
    if (expires < day) {
      stale.push(`the known deviation ${id} expired on ${expires}`)
      continue
    }
    for (const result of broken) covered.set(result.id, deviation)
    const sound = about.length > 0 && about.every(({ outcome }) => outcome === 'pass')
    if (sound) stale.push(`the known deviation ${id} no longer occurs: remove it`)
  }
  return { covered, stale }
}
