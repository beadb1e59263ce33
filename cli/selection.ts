import { type Catalogue, loadCatalogue, type Requirement } from '../engine/catalogue/catalogue.ts'
import { DAY } from '../engine/record/durations.ts'
import { ASSAY } from '../engine/record/program.ts'
import { say, shown, shownLines } from '../engine/report/terminal.ts'
import { chaptersAsking } from '../engine/run/askers.ts'
import {
  checkInScope,
  inScope,
  PROFILES,
  ruleInScope,
  type Scope,
  TAGS,
} from '../engine/run/scope.ts'
import { idsOf, loadSuites } from '../engine/run/suites.ts'
import { nearest } from '../engine/yaml/nearest.ts'
import { SUITES } from './folders.ts'
import { oneOf } from './option-values.ts'
import { number, UsageError } from './usage.ts'

/** Fails for a pattern that selects nothing, because a run that judges nothing looks green. */
export function assertSelects(only: string[], catalogue: Catalogue): void {
  const ids = [...catalogue.owners.keys()]
  const idle = only.filter(
    (pattern) =>
      !(TAGS as readonly string[]).includes(pattern) &&
      !ids.some((id) => inScope(id, catalogue, { profile: 'full', only: [pattern] })),
  )
  if (idle.length === 0) return
  const nothing = `--only ${idle.join(' ')} selects nothing.`
  const isTpp = [...catalogue.requirements.values()].some(({ binds }) => binds === 'TPP')
  const file = idle.find((pattern) => /\.(?:ya?ml|json)$/.test(pattern))
  if (file !== undefined) {
    throw new UsageError(`${nothing} Did you mean ${isTpp ? '--tpp' : '--target'} ${file}?`)
  }
  if (idle.some((pattern) => pattern.includes(','))) {
    throw new UsageError(`${nothing} Write spaces between names, and no comma.`)
  }
  const other = loadCatalogue(undefined, isTpp ? 'bank' : 'TPP')
  const [theirs] = idle.filter((id) => other.requirements.has(id) || other.owners.has(id))
  if (theirs !== undefined) {
    const [party, command] = isTpp ? ['the bank', 'run'] : ['a TPP', 'tpp']
    throw new UsageError(`${theirs} is about ${party}. See ${ASSAY} ${command} --only ${theirs}`)
  }
  const chapters = [...new Set([...catalogue.requirements.values()].map(({ chapter }) => chapter))]
  const list = `${ASSAY} ${chapters[0]?.startsWith('tpp/') ? 'tpp' : 'run'} --list`
  const short = chapters.map((chapter) => chapter.slice(chapter.indexOf('/') + 1))
  const words = [...ids, ...catalogue.requirements.keys(), ...TAGS, ...chapters, ...short]
  const meant = idle.map((pattern) => nearest(pattern, words)).filter((word) => word !== undefined)
  const known = `Name a check, requirement, chapter, level or tag (${TAGS.join(', ')}); * stands for anything:`
  const hint = meant.length > 0 ? `Did you mean ${meant.join(' ')}? See` : known
  throw new UsageError(`${nothing} ${hint} ${list}`)
}

/**
 * What a run judges. Rules judge the answers that checks get, so a pattern that selects only rules also selects the
 * checks that cause these answers.
 *
 * @throws UsageError for a pattern that selects nothing, and when the profile leaves no check
 */
export async function scopeOf(named: string, only: string[], catalogue: Catalogue): Promise<Scope> {
  const profile = oneOf('--profile', PROFILES, named)
  assertSelects(only, catalogue)
  if (only.length === 0) return { profile, only }
  const suites = await loadSuites(SUITES, catalogue)
  const { checks } = suites
  const chapters = only.flatMap((pattern) => {
    const ids = [...catalogue.owners.keys()].filter((id) =>
      inScope(id, catalogue, { profile, only: [pattern] }),
    )
    if (checks.some(({ id }) => ids.includes(id))) return []
    return ids.flatMap((id) => chaptersAsking(id, suites, catalogue))
  })
  const scope = { profile, only: [...new Set([...only, ...chapters])] }
  if (checks.some((check) => checkInScope(check, catalogue, scope))) return scope
  const more = profile === 'core' ? ' of --profile core. Leave --profile out' : ''
  throw new UsageError(`--only ${only.join(' ')} selects no check${more}. See ${ASSAY} run --list`)
}

/**
 * The draw of cells for `--seed`: a number, or `night`, which gives a different draw each day (UTC), so that over
 * several nights all cells are tested.
 *
 * @throws UsageError
 */
export function seedOf(text: string | undefined): Pick<Scope, 'seed'> {
  if (text === 'night') return { seed: Math.floor(Date.now() / DAY) }
  const seed = number('--seed', text, 2 ** 31)
  return seed === undefined ? {} : { seed }
}

/** Prints what a run with this scope would judge: one line each, or a list in JSON. */
export async function list(scope: Scope, json = false): Promise<void> {
  const catalogue = loadCatalogue()
  const suites = await loadSuites(SUITES, catalogue)
  const checks = new Map(suites.checks.map((check) => [check.id, check]))
  const rules = new Map(suites.rules.map((rule) => [rule.id, rule]))
  const rows = idsOf(suites).flatMap((id) => {
    const check = checks.get(id)
    const chosen = check
      ? checkInScope(check, catalogue, scope)
      : ruleInScope(rules.get(id) ?? { id }, catalogue, scope)
    if (!chosen) return []
    const { level, chapter, text } = catalogue.owners.get(id) as Requirement
    return [{ id, level, kind: check ? 'check' : 'rule', chapter, title: check?.title ?? text }]
  })
  if (json) say(shownLines(JSON.stringify(rows, null, 2)))
  else for (const row of rows) say(shown`${Object.values(row).join('  ')}`)
}
