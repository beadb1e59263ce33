import { type Catalogue, CHAPTERS, type Requirement } from '../catalogue/catalogue.ts'
import { fitsStars } from '../configuration/star-pattern.ts'
import type { CellsAsked } from '../judge/cells.ts'
import type { RuleConsent } from '../judge/rule.ts'
import { registeredChecks, type SuiteCheck } from '../suite-api/check.ts'

/**
 * `core`: what one approval shows. `full`: everything, in every case to which a sentence applies; a covering array of
 * tables of values and places. `quick`: every check, one case of each kind. `exhaustive`: like full, with every cell.
 */
export const PROFILES = ['core', 'quick', 'full', 'exhaustive'] as const

export type Profile = (typeof PROFILES)[number]

/** The part of the catalogue that a run judges. */
export interface Scope {
  profile: Profile
  /** Patterns for ids, chapters, levels and tags; empty: everything. */
  only: string[]
  /** Selects the cells of tables that are drawn; 1 by default. */
  seed?: number
}

/** The cells that each profile asks from a table of values and places. */
export const CELLS: Record<Profile, CellsAsked> = {
  core: 'drawn',
  quick: 'one',
  full: 'drawn',
  exhaustive: 'all',
}

/** Tags that mark what a check costs: `--only @registers`. */
export const TAGS = ['@approval', '@visit', '@spends', '@registers', '@bursts', '@hook'] as const

/** True if the id of a check or rule is in scope. Unknown patterns select nothing. */
export function inScope(id: string, catalogue: Catalogue, scope: Scope): boolean {
  const requirement = catalogue.owners.get(id)
  return requirement !== undefined && selected(requirement, scope, [id])
}

/** True if a requirement is in scope: by its id, chapter or level, or by one of its checks. */
export function selected(
  { id, chapter, level, checks }: Pick<Requirement, 'id' | 'chapter' | 'level' | 'checks'>,
  { only }: Scope,
  among: readonly string[] = checks,
): boolean {
  if (only.length === 0) return true
  const shortChapter = chapter.split('/').at(-1) ?? chapter
  const words = [...among, id, chapter, shortChapter, level, ...among.flatMap(tagsOf)]
  return only.some((pattern) => words.some((word) => matches(word, pattern)))
}

/** The tags of a check of the suites; a rule has none. */
function tagsOf(id: string): string[] {
  const { options } = registeredChecks().find((check) => check.id === id) ?? {}
  if (!options) return []
  const { uses = [], spends, refusals, denial, grants, registers, bursts, needs = [] } = options
  const has: Record<(typeof TAGS)[number], boolean> = {
    '@approval': uses.length > 0,
    '@visit': [refusals, denial, grants].some((part) => part !== undefined),
    '@spends': spends !== undefined,
    '@registers': registers === true,
    '@bursts': bursts === true,
    '@hook': needs.some((need) => need.startsWith('hooks.')),
  }
  return TAGS.filter((tag) => has[tag])
}

function matches(word: string, pattern: string): boolean {
  if (word === pattern || word.startsWith(`${pattern}/`)) return true
  return pattern.includes('*') && fitsStars(word, pattern)
}

/** True if a check belongs to `core`: it uses only the core approval, and consumes, registers or exhausts nothing. */
function inCore({ options }: SuiteCheck): boolean {
  const { uses = [], spends, refusals, denial, grants, registers, bursts } = options
  if (spends || refusals || denial || grants || registers || bursts) return false
  return ruleInCore(uses)
}

/** True if a rule belongs to `core`: the core approval shows what it judges. */
export function ruleInCore(uses: readonly RuleConsent[] = []): boolean {
  return uses.every(({ core }) => core)
}

/** True if a check is in scope and in its profile. */
export function checkInScope(check: SuiteCheck, catalogue: Catalogue, scope: Scope): boolean {
  return inScope(check.id, catalogue, scope) && (scope.profile !== 'core' || inCore(check))
}

/** True if a rule is in scope and in its profile. */
export function ruleInScope(
  { id, uses }: { id: string; uses?: readonly RuleConsent[] },
  catalogue: Catalogue,
  scope: Scope,
): boolean {
  return inScope(id, catalogue, scope) && (scope.profile !== 'core' || ruleInCore(uses))
}

/**
 * Phases in this order: before any client; reading; looking at what was read; consuming an approval; exhausting the
 * rate limit; ending the rest.
 */
export function phaseOf({ options }: SuiteCheck): -1 | 0 | 1 | 2 | 3 | 4 {
  if (options.first) return -1
  if (options.last) return 4
  if (options.bursts) return 3
  if (options.spends) return 2
  return options.late ? 1 : 0
}

/**
 * Checks in the order in which they are judged: phase by phase, chapters as in the documents. Checks that register a
 * client come before every approval: a bank may then end the earlier client.
 */
export function ordered(checks: SuiteCheck[], catalogue: Catalogue): SuiteCheck[] {
  const place = (check: SuiteCheck) => {
    const chapter = catalogue.owners.get(check.id)?.chapter ?? ''
    return phaseOf(check) * 100 + CHAPTERS.indexOf(chapter) - (isEarly(check) ? 50 : 0)
  }
  return [...checks].sort((a, b) => place(a) - place(b))
}

/** True if the check comes before all checks that use the client, because it may change the client. */
export function isEarly({ options }: SuiteCheck): boolean {
  return options.first === true || (options.registers === true && !options.uses?.length)
}
