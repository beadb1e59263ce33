import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../record/root.ts'
import type { Level } from '../record/words.ts'
import { type Entry, readList } from '../yaml/list.ts'
import { CatalogueError } from './catalogue-error.ts'

export type { Level } from '../record/words.ts'

/** One obligation, taken from one place in a document. */
export interface Requirement {
  id: string
  level: Level
  /** Whom the sentence obliges. A bank can be judged only by what binds the bank. */
  binds: 'bank' | 'TPP' | 'operator'
  /** account-information/transactions */
  chapter: string
  /** Its position in specs/: file:line:column. */
  place: string
  /** The place in the document, for a reader. */
  source: string
  /** Words of the document, each part within one of its lines. */
  quote: string[]
  text: string
  /** Definitions of the specification 3.1.2 on which the document relies there. */
  standard: string[]
  /** Words of a standard from which the requirement is taken, if no document contains it. */
  clause?: string
  /** What the sentence leaves open: recorded, never judged. */
  open?: string
  /** Entry of specs/decisions.yaml that says how the sentence is interpreted. */
  decision?: string
  /** Ids of the checks and rules that judge it; empty if it is not tested. */
  checks: string[]
  /** Why no check judges it. */
  notTested?: string
}

/** How an ambiguous place of the documents is interpreted, and why. */
export interface Decision {
  id: string
  question: string
  readings: { place: string; quote?: string; says: string }[]
  decision: string
  why: string
}

export interface Catalogue {
  requirements: ReadonlyMap<string, Requirement>
  decisions: ReadonlyMap<string, Decision>
  /** Check or rule id → its requirement. */
  owners: ReadonlyMap<string, Requirement>
  /** Chapters in the order of the documents. */
  chapters: string[]
  /** SHA-256 of all files of specs/, hex. */
  digest: string
}

const chaptersOf = (document: string, names: string) =>
  names.split(/\s+/).map((name) => `${document}/${name}`)

/** The order in which chapters are judged and reported: that of the documents. */
export const CHAPTERS = [
  ...chaptersOf(
    'account-information',
    `general envelope discovery registration authorisation token security consents life-cycle
    funds-confirmation accounts balances transactions data rate-limit errors versions`,
  ),
  ...chaptersOf('product-information', 'products errors'),
]

/** The chapter of a file of checks or rules, as named in specs/, or ''. */
export function chapterOf(path: string): string {
  return /^suites\/([^/]+\/[^/]+)\/[^/]+$/.exec(path)?.[1] ?? ''
}

/** What binds the TPP: the chapters that the certification of a client judges. */
const TPP_CHAPTERS = chaptersOf(
  'tpp',
  'general registration authorisation id-token token consents data resilience products',
)

/** Folders of specs/ with the requirements that bind the bank, and those that bind the TPP. */
const FOLDERS = { bank: ['account-information', 'product-information'], TPP: ['tpp'] }

/** A requirement as written in its file; schemas/assay/requirements.schema.json. */
interface RequirementEntry
  extends Pick<Requirement, 'id' | 'level' | 'source' | 'text' | 'clause' | 'open' | 'decision'>,
    Partial<Pick<Requirement, 'binds' | 'quote' | 'standard' | 'checks'>> {
  'not-tested'?: string
}

/**
 * Reads specs/: decisions.yaml and every chapter that binds the bank, or the TPP.
 *
 * @throws CatalogueError that lists each mistake as `file:line:column: what is wrong. fix.`
 */
export function loadCatalogue(
  folder = join(root, 'specs'),
  binds: keyof typeof FOLDERS = 'bank',
): Catalogue {
  const problems: string[] = []
  const hash = createHash('sha256')
  const read = <T>(file: string, schema: string) => {
    hash.update(readFileSync(file))
    return readList<T>(file, schema, problems)
  }

  const decisions = new Map<string, Decision>()
  for (const entry of read<Decision>(join(folder, 'decisions.yaml'), 'decisions')) {
    const decision = entry.value
    if (decisions.has(decision.id)) problems.push(problem(entry, `${decision.id} stands twice`))
    decisions.set(decision.id, decision)
  }

  const requirements = new Map<string, Requirement>()
  const owners = new Map<string, Requirement>()
  const chapters = binds === 'TPP' ? TPP_CHAPTERS : CHAPTERS
  for (const document of FOLDERS[binds]) {
    for (const name of readdirSync(join(folder, document)).sort()) {
      if (!name.endsWith('.yaml')) continue
      const chapter = `${document}/${name.slice(0, -'.yaml'.length)}`
      const file = join(folder, document, name)
      if (!chapters.includes(chapter)) problems.push(`${file}: ${chapter} is not a chapter`)
      for (const entry of read<RequirementEntry>(file, 'requirements')) {
        const requirement = requirementOf(entry, chapter, problems)
        const { id, decision } = requirement
        if (requirements.has(id)) problems.push(problem(entry, `${id} stands twice`))
        if (decision && !decisions.has(decision)) {
          problems.push(problem(entry, `${decision} is not in decisions.yaml`))
        }
        requirements.set(id, requirement)
        for (const check of requirement.checks) {
          if (owners.has(check)) problems.push(problem(entry, `${check} is named twice`))
          owners.set(check, requirement)
        }
      }
    }
  }
  if (problems.length > 0) throw new CatalogueError(problems)
  return { requirements, decisions, owners, chapters, digest: hash.digest('hex') }
}

/** What binds the bank and what binds the TPP, for pages that show a whole document. */
export function loadBothSides(folder?: string): Catalogue {
  const bank = loadCatalogue(folder)
  const tpp = loadCatalogue(folder, 'TPP')
  return {
    requirements: new Map([...bank.requirements, ...tpp.requirements]),
    decisions: bank.decisions,
    owners: new Map([...bank.owners, ...tpp.owners]),
    chapters: [...bank.chapters, ...tpp.chapters],
    digest: createHash('sha256').update(bank.digest).update(tpp.digest).digest('hex'),
  }
}

function requirementOf(
  entry: Entry<RequirementEntry>,
  chapter: string,
  problems: string[],
): Requirement {
  const { binds = 'bank', quote = [], standard = [], checks = [], ...rest } = entry.value
  const { 'not-tested': notTested, ...others } = rest
  const { id } = others
  if (checks.length > 0 === (notTested !== undefined)) {
    problems.push(problem(entry, `${id} needs exactly one of checks and not-tested`))
  }
  for (const check of checks) {
    if (check.startsWith(`${id}/`)) continue
    problems.push(problem(entry, `check ${check} does not start with ${id}/`))
  }
  return { ...others, place: entry.place, binds, chapter, quote, standard, checks, notTested }
}

function problem({ place }: Entry<unknown>, text: string): string {
  return `${place}: ${text}`
}
