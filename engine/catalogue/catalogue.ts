import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Entry, problem, readEntries } from './entries.ts'
import { root } from './root.ts'

export type Level = 'must' | 'should' | 'observe'

/** One obligation, read out of one place of a document. */
export interface Requirement {
  id: string
  level: Level
  /** Whom the sentence obliges; only what binds the bank can be judged. */
  binds: 'bank' | 'TPP' | 'operator'
  /** account-information/transactions */
  chapter: string
  /** The place in the document, for a reader. */
  source: string
  /** Words of the document, each within one of its lines. */
  quote: string[]
  text: string
  /** What the sentence leaves open: recorded, never judged. */
  open?: string
  /** Entry of specs/decisions.yaml that says how the sentence is read. */
  decision?: string
  /** Ids of the checks and rules that judge it; empty when it is not tested. */
  checks: string[]
  /** Why no check judges it. */
  notTested?: string
}

/** How an ambiguous place of the documents is read, and why. */
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

/** The order in which chapters are judged and reported: that of the documents. */
export const CHAPTERS = [
  'account-information/general',
  'account-information/envelope',
  'account-information/discovery',
  'account-information/registration',
  'account-information/authorisation',
  'account-information/token',
  'account-information/security',
  'account-information/consents',
  'account-information/life-cycle',
  'account-information/funds-confirmation',
  'account-information/accounts',
  'account-information/balances',
  'account-information/transactions',
  'account-information/data',
  'account-information/rate-limit',
  'account-information/errors',
  'account-information/versions',
  'product-information/products',
  'product-information/errors',
]

const REQUIREMENT_KEYS = [
  'id',
  'level',
  'binds',
  'source',
  'quote',
  'text',
  'open',
  'decision',
  'checks',
  'not-tested',
]
const DECISION_KEYS = ['id', 'question', 'readings', 'decision', 'why']

/**
 * Reads specs/: every chapter and decisions.yaml. Throws an Error that lists each mistake as
 * `file:line:column: what is wrong. mend.`
 */
export function loadCatalogue(folder = join(root, 'specs')): Catalogue {
  const problems: string[] = []
  const hash = createHash('sha256')
  const read = (file: string, keys: string[]) => {
    hash.update(readFileSync(file))
    return readEntries(file, keys, problems)
  }

  const decisions = new Map<string, Decision>()
  for (const entry of read(join(folder, 'decisions.yaml'), DECISION_KEYS)) {
    const decision = entry.value as unknown as Decision
    if (decisions.has(decision.id)) problems.push(problem(entry, `${decision.id} stands twice`))
    decisions.set(decision.id, decision)
  }

  const requirements = new Map<string, Requirement>()
  const owners = new Map<string, Requirement>()
  for (const document of ['account-information', 'product-information']) {
    for (const name of readdirSync(join(folder, document)).sort()) {
      if (!name.endsWith('.yaml')) continue
      const chapter = `${document}/${name.slice(0, -'.yaml'.length)}`
      const file = join(folder, document, name)
      if (!CHAPTERS.includes(chapter)) problems.push(`${file}: ${chapter} is no chapter`)
      for (const entry of read(file, REQUIREMENT_KEYS)) {
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
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return { requirements, decisions, owners, chapters: CHAPTERS, digest: hash.digest('hex') }
}

function requirementOf(entry: Entry, chapter: string, problems: string[]): Requirement {
  const raw = entry.value
  const complain = (text: string) => problems.push(problem(entry, text))
  const id = String(raw.id)
  if (!/^[A-Z]+-\d+$/.test(id)) complain(`id ${id} is not of the form TXN-17`)
  for (const key of ['source', 'text']) {
    if (typeof raw[key] !== 'string') complain(`${id} has no ${key}`)
  }
  if (!['must', 'should', 'observe'].includes(String(raw.level))) {
    complain(`${id} has level ${raw.level}; it is must, should or observe`)
  }
  const checks = (raw.checks ?? []) as unknown
  if (!Array.isArray(checks)) complain(`checks of ${id} is not a list`)
  const list = Array.isArray(checks) ? checks.map(String) : []
  if (list.length > 0 === (raw['not-tested'] !== undefined)) {
    complain(`${id} needs exactly one of checks and not-tested`)
  }
  for (const check of list) {
    if (!check.startsWith(`${id}/`)) complain(`check ${check} does not start with ${id}/`)
  }
  return {
    id,
    level: raw.level as Level,
    binds: (raw.binds ?? 'bank') as Requirement['binds'],
    chapter,
    source: String(raw.source),
    quote: raw.quote === undefined ? [] : [raw.quote].flat().map(String),
    text: String(raw.text),
    open: raw.open as string | undefined,
    decision: raw.decision as string | undefined,
    checks: list,
    notTested: raw['not-tested'] as string | undefined,
  }
}
