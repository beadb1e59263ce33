import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldDefectProblems, loadFieldDefects } from '../authoring/field-defects.ts'
import { lint as problemsOf } from '../authoring/lint.ts'
import { loadUnquoted, sentenceProblems } from '../authoring/sentences.ts'
import { wordProblems } from '../authoring/words.ts'
import { loadBothSides, loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { root } from '../engine/record/root.ts'
import { complain, say, shown, shownLines } from '../engine/report/terminal.ts'
import { idsOf, importSuites, loadConsents } from '../engine/run/suites.ts'
import { loadFaults, loadTables } from '../proof/run/load.ts'
import { SUITES } from './folders.ts'

const DOCUMENTS = ['account-information', 'product-information']

/** `assay lint`: finds mistakes in specs, suites, proof and docs within a second and without a bank. */
export async function lint(): Promise<void> {
  const problems = await found()
  for (const problem of problems) complain(shownLines(problem))
  if (problems.length > 0) {
    process.exitCode = 1
    return
  }
  say(shown`No problems in specs/, suites/, proof/ and docs/; every sentence is accounted for.`)
  for (const id of await withoutFault()) {
    say(shown`note  ${id}: no fault makes it fail yet; write one in proof/faults/`)
  }
}

/** Ids of checks that the proof cannot show to fail: no fault names them, and they test no table of values. */
async function withoutFault(): Promise<string[]> {
  const { owners } = loadCatalogue()
  const { checks } = await importSuites(SUITES)
  const faults = await loadFaults()
  const proven = new Set([
    ...faults.flatMap(({ fails = [], warns = [] }) => [...fails, ...warns]),
    ...(await loadTables()),
  ])
  return checks
    .map(({ id }) => id)
    .filter((id) => owners.get(id)?.level !== 'observe' && !proven.has(id))
}

async function found(): Promise<string[]> {
  try {
    const catalogue = loadCatalogue()
    const suites = await importSuites(SUITES)
    const text = (name: string) => readFileSync(join(root, 'documents', `${name}.md`), 'utf8')
    const documents = new Map(DOCUMENTS.map((name) => [name, text(name)]))
    const problems = problemsOf({
      root,
      catalogue,
      checks: suites.checks,
      ids: idsOf(suites),
      consents: await loadConsents(SUITES),
      documents,
    })
    const { requirements } = loadBothSides()
    return [
      ...problems,
      ...sentenceProblems(documents, requirements, loadUnquoted()),
      ...wordProblems(root),
      ...fieldDefectProblems(loadFieldDefects(), await loadFaults(), idsOf(suites)),
    ]
  } catch (error) {
    // The catalogue's message has the place; the message of a suite that cannot be imported has the cause.
    return (error as Error).message.split('\n')
  }
}
