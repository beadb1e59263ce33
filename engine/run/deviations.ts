import { existsSync } from 'node:fs'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Result } from '../judge/results.ts'
import type { CheckResult } from '../record/check-result.ts'
import { ASSAY, word } from '../record/program.ts'
import { readList } from '../yaml/list.ts'

/** A known fault of the bank: it is still judged and shown, but does not fail the run. */
export interface Deviation extends NonNullable<CheckResult['deviation']> {
  /** A requirement, check or rule. */
  id: string
  /** The last day on which it is valid, YYYY-MM-DD in UTC. */
  expires: string
}

/**
 * Reads a file of known deviations: a YAML list, schemas/assay/deviations.schema.json.
 *
 * @throws Error that lists each mistake as `file:line:column: what is wrong. fix.`
 */
export function loadDeviations(file: string, catalogue: Catalogue): Deviation[] {
  if (!existsSync(file)) {
    throw new Error(
      `--deviations ${file}: there is no such file. ${ASSAY} deviations init RUN --out ${word(file)} writes one`,
    )
  }
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

/** Text for a deviation that no longer occurs. */
export const GONE = 'no longer occurs: remove it'

/** The effect of a list of known deviations on the results of a run. */
export type Tolerance = ReturnType<typeof applyDeviations>

/** A deviation covers the results that it names, and excuses those that they block. */
export function applyDeviations(
  deviations: Deviation[],
  results: ReadonlyMap<string, Result>,
  today: Date,
) {
  /** Results that a deviation covers, by id. */
  const covered = new Map<string, Omit<Deviation, 'id'>>()
  /** Faults of the list itself, which fail a run: an entry that has expired or whose checks pass again. */
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
  /** Results that only a covered result blocked, by id. */
  const excused = [...results.values()]
    .filter(({ outcome, blockedBy = '' }) => outcome === 'blocked' && covered.has(blockedBy))
    .map(({ id }) => id)
  return { covered, excused: new Set(excused), stale }
}
