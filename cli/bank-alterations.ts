import { ASSAY } from '../engine/record/program.ts'
import { complain, say, shown } from '../engine/report/terminal.ts'
import { nearest } from '../engine/yaml/nearest.ts'
import { loadFaults, loadVariants } from '../proof/run/load.ts'
import { UsageError } from './usage.ts'

/** `assay bank faults` and `assay bank variants`: lists the alterations of the bank, one per line. */
export async function listAlterations(what: string): Promise<void> {
  if (what !== 'faults' && what !== 'variants') {
    const meant = nearest(what, ['faults', 'variants'])
    const hint = meant === undefined ? '' : `, did you mean ${meant}?`
    throw new UsageError(
      `unknown word ${what}${hint}\n${ASSAY} bank faults and ${ASSAY} bank variants list them, ${ASSAY} bank starts the bank`,
    )
  }
  const all = what === 'faults' ? await loadFaults() : await loadVariants()
  for (const { id, story } of all) say(shown`${id.padEnd(44)} ${firstSentence(story)}`)
  const option = what === 'faults' ? '--fault' : '--variant'
  complain(shown`${all.length} ${what}. Start one: ${ASSAY} bank ${option} ${all[0]?.id}`)
}

function firstSentence(text: string): string {
  return /^.*?[.;:](?=\s|$)/s.exec(text)?.[0].replace(/[;:]$/, '.') ?? text
}

/** The command that lists all names of this kind. */
const LISTED: Record<string, string> = {
  fault: `${ASSAY} bank faults`,
  variant: `${ASSAY} bank variants`,
  TPP: `${ASSAY} prove --tpp`,
}

/** @throws UsageError for an unknown name; the error suggests the closest one */
export function named<T extends { id: string }>(word: string, all: T[], ids: string[]): T[] {
  return ids.map((id) => {
    const found = all.find((each) => each.id === id)
    if (found) return found
    const known = all.map((each) => each.id)
    const meant = nearest(id, known)
    const hint = meant === undefined ? `All of them: ${LISTED[word]}` : `Did you mean ${meant}?`
    throw new UsageError(`no ${word} is called ${id}. ${hint}`)
  })
}
