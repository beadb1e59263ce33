import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EXAMPLES } from '../authoring/openapi/examples.ts'
import { loadOperations } from '../authoring/openapi/operations.ts'
import { type Catalogue, loadCatalogue, type Requirement } from '../engine/catalogue/catalogue.ts'
import { loadTppSuites } from '../engine/certification/suite.ts'
import { definitionOf } from '../engine/record/definitions.ts'
import { ASSAY } from '../engine/record/program.ts'
import { root } from '../engine/record/root.ts'
import { wrapped } from '../engine/report/escape.ts'
import { say, shownLines } from '../engine/report/terminal.ts'
import { loadSuites } from '../engine/run/suites.ts'
import { nearest } from '../engine/yaml/nearest.ts'
import { loadFaults } from '../proof/run/load.ts'
import { tppsToProve } from '../proof/tpp/prove-tpp.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { SUITES } from './folders.ts'
import { UsageError } from './usage.ts'

const WIDTH = 100

/** Maximum number of defects that are listed. The first ones are the simplest. */
const DEFECTS = 6

/** A party that is judged, and its known defects. */
interface Party {
  catalogue: Catalogue
  titles: ReadonlyMap<string, string>
  /** Defects that the proof shows to be caught, with the ids of the checks that catch them. */
  defects(): Promise<{ story: string; fails?: readonly string[]; warns?: readonly string[] }[]>
  /** Commands that run only this id. */
  alone(id: string): string[]
}

/**
 * `assay explain ID`: for a requirement, check, rule or scenario, prints its level and sentence, what judges it and
 * where, the usual answer of its endpoint, common mistakes, and how to run it alone; for an exit code, its meaning; for
 * words of a sentence, the requirements that quote it.
 *
 * @throws UsageError for anything else
 */
export async function explain(word: string): Promise<void> {
  const code = EXIT_CODES.find((each) => String(each.code) === word)
  if (code) {
    say(shownLines(`exit code ${code.code}: ${code.means}\n  what to do  ${code.todo}`))
    return
  }
  const ids: string[] = []
  const quoting: Requirement[] = []
  for (const load of [bank, tpp]) {
    const party = await load()
    const { requirements, owners } = party.catalogue
    const requirement = requirements.get(word) ?? owners.get(word)
    if (requirement) {
      say(shownLines((await page(word, requirement, party)).join('\n')))
      return
    }
    ids.push(...requirements.keys(), ...owners.keys())
    quoting.push(...[...requirements.values()].filter((each) => quotes(each, word)))
  }
  if (quoting.length > 0) {
    say(shownLines(quoting.flatMap(inShort).join('\n')))
    return
  }
  const near = nearest(word, ids)
  const meant = near ? ` Did you mean ${near}?` : ''
  throw new UsageError(
    `nothing is called ${word}.${meant}\nName a requirement, check, rule, scenario or exit code: ${ASSAY} run --list and ${ASSAY} tpp --list show them. Or give some words of a sentence of the documents.`,
  )
}

/** Minimum number of characters of a part of a sentence. */
const PART = 6

const plain = (text: string) => text.toLowerCase().replace(/[\s`]+/g, ' ')

/** Does the requirement quote a sentence with these words? */
function quotes({ quote, clause = '' }: Requirement, words: string): boolean {
  const part = plain(words).trim()
  return part.length >= PART && [...quote, clause].some((text) => plain(text).includes(part))
}

const inShort = ({ id, level, chapter, text }: Requirement): string[] => [
  `${id}  ${level}  ${chapter}`,
  ...paragraph(text),
]

async function bank(): Promise<Party> {
  const catalogue = loadCatalogue()
  const { checks, rules } = await loadSuites(SUITES, catalogue)
  return {
    catalogue,
    titles: new Map([...rules, ...checks].map(({ id, title }) => [id, title])),
    defects: loadFaults,
    alone: (id) => [
      `${ASSAY} run --only ${id} --target FILE`,
      ...(checks.some((check) => check.id === id)
        ? [`${ASSAY} reproduce ${id} --target FILE`]
        : []),
    ],
  }
}

async function tpp(): Promise<Party> {
  const catalogue = loadCatalogue(undefined, 'TPP')
  const { scenarios, rules } = await loadTppSuites(join(SUITES, 'tpp'), catalogue)
  return {
    catalogue,
    titles: new Map([...rules, ...scenarios].map(({ id, title }) => [id, title])),
    defects: async () =>
      (await tppsToProve()).flatMap((each) => (each.kind === 'wrong' ? [each.tpp] : [])),
    alone: (id) => [`${ASSAY} tpp --only ${id} --tpp FILE`],
  }
}

async function page(word: string, requirement: Requirement, party: Party): Promise<string[]> {
  const { id, level, chapter, source, text, quote, clause, open, decision } = requirement
  const { checks, notTested } = requirement
  const named = word === id ? checks : [word]
  const read = decision === undefined ? undefined : party.catalogue.decisions.get(decision)
  return [
    `${id}  ${level}  ${chapter}`,
    ...paragraph(text),
    '',
    `the document  ${source}`,
    ...quote.flatMap((words) => paragraph(`“${words}”`)),
    ...(clause ? paragraph(`the standard: ${clause}`) : []),
    ...(open ? paragraph(`left open, and only recorded: ${open}`) : []),
    ...(read ? paragraph(`${read.id}: ${read.decision}`) : []),
    '',
    ...(notTested ? ['not tested', ...paragraph(notTested)] : []),
    ...(named.length > 0 ? ['judged by', ...named.flatMap((each) => judgeOf(each, party))] : []),
    ...rightAnswer(requirement),
    ...(await defectsOf(named, party)),
    ...(named.length > 0
      ? ['', 'alone', ...party.alone(word).map((command) => `  ${command}`)]
      : []),
  ]
}

const paragraph = (text: string, indent = '  ') =>
  wrapped(text, WIDTH - indent.length, '').map((line) => indent + line)

/** A check or rule, its title, and where it is defined. */
function judgeOf(id: string, { titles }: Party): string[] {
  const place = definitionOf(id)
  const where = place && existsSync(join(root, place.file)) ? `  ${place.file}:${place.line}` : ''
  const title = titles.get(id)
  return [`  ${id}${where}`, ...(title ? paragraph(title, '    ') : [])]
}

/** The operation whose message a chapter is mainly about. */
const SHOWN: Record<string, string> = {
  'account-information/discovery': 'discovery',
  'account-information/registration': 'registration',
  'account-information/token': 'token',
  'account-information/consents': 'create-account-access-consent',
  'account-information/life-cycle': 'query-account-access-consent',
  'account-information/funds-confirmation': 'create-funds-confirmation-consent',
  'account-information/accounts': 'accounts',
  'account-information/balances': 'balances',
  'account-information/transactions': 'transactions',
  'account-information/envelope': 'accounts',
  'account-information/data': 'accounts',
  'product-information/products': 'products',
}

function rightAnswer({ chapter }: Requirement): string[] {
  const shown = SHOWN[chapter]
  const operation = loadOperations().find(({ id }) => id === shown)
  const example = shown && EXAMPLES[shown]?.response
  if (!operation || example === undefined) return []
  const { method, path, success } = operation
  const body = JSON.stringify(example, null, 2).split('\n')
  return [
    '',
    `usual answer  ${method.toUpperCase()} ${path} → ${success}`,
    ...body.map((line) => `  ${line}`),
  ]
}

/** Known defects: the stories of the faults that these ids are proven to catch. */
async function defectsOf(ids: readonly string[], party: Party): Promise<string[]> {
  const caught = (await party.defects()).filter(({ fails = [], warns = [] }) =>
    [...fails, ...warns].some((id) => ids.includes(id)),
  )
  if (caught.length === 0) return []
  const told = caught.slice(0, DEFECTS).flatMap(({ story }) => paragraph(`- ${story}`))
  const more = caught.length - DEFECTS
  return ['', 'what goes wrong', ...told, ...(more > 0 ? [`  … and ${more} more in proof/`] : [])]
}
