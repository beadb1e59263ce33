import { existsSync } from 'node:fs'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Result } from '../judge/results.ts'
import type { CheckResult } from '../record/check-result.ts'
import { readList } from '../yaml/list.ts'

/** Something that the bank is known to do wrong: still judged and shown, it does not fail the run. */
export interface Deviation extends NonNullable<CheckResult['deviation']> {
  /** A requirement, or one check or rule. */
  id: string
  /** The last day on which it counts, YYYY-MM-DD in UTC. */
  expires: string
}

/**
 * Reads a file of known deviations: a YAML list, schemas/assay/deviations.schema.json.
 *
 * @throws Error that lists each mistake as `file:line:column: what is wrong. fix.`
 */
export function loadDeviations(file: string, catalogue: Catalogue): Deviation[] {
  if (!existsSync(file)) throw new Error(`${file}: there is no such file`)
  const problems: string[] = []
  const deviations = readList<Deviation>(file, 'deviations', problems).map(({ place, value }) => {
    const { id, expires } = value
    const known = catalogue.requirements.has(id) || catalogue.owners.has(id)
    if (!known) problems.push(`${place}: ${id} is no requirement, check or rule. See specs/.`)
    if (Number.isNaN(Date.parse(expires))) {
      problems.push(`${place}: ${id} expires on ${expires}. Write a day as 2027-01-31.`)
    }
    return value
  })
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return deviations
}

/** How it is said of a deviation that a run did not meet. */
export const GONE = 'no longer occurs: remove it'

/** What a list of known deviations does to the results of a run. */
export type Tolerance = ReturnType<typeof applyDeviations>

/** A deviation covers what it names, and excuses what that keeps from being judged. */
export function applyDeviations(
  deviations: Deviation[],
  results: ReadonlyMap<string, Result>,
  today: Date,
) {
  /** Results that a deviation covers, by id. */
  const covered = new Map<string, Omit<Deviation, 'id'>>()
  /** What is wrong with the list itself, which fails a run: an entry that expired or passes again. */
  const stale: string[] = []
  const day = today.toISOString().slice(0, 10)
  for (const { id, ...known } of deviations) {
    const about = [...results.values()].filter((each) => each.id === id || each.requirement === id)
    const broken = about.filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
    if (known.expires < day) {
      stale.push(`the known deviation ${id} expired on ${known.expires}`)
      continue
    }
    for (const result of broken) covered.set(result.id, known)
    const sound = about.length > 0 && about.every(({ outcome }) => outcome === 'pass')
    if (sound) stale.push(`the known deviation ${id} ${GONE}`)
  }
  /** Results that only a covered one kept from being judged, by id. */
  const excused = [...results.values()]
    .filter(({ outcome, blockedBy = '' }) => outcome === 'blocked' && covered.has(blockedBy))
    .map(({ id }) => id)
  return { covered, excused: new Set(excused), stale }
}
