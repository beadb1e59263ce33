import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { definedTwice, lint as problemsOf } from '../authoring/lint.ts'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { root } from '../engine/record/root.ts'
import { idsOf, importSuites, loadConsents } from '../engine/run/suites.ts'
import { SUITES } from './folders.ts'

const DOCUMENTS = ['account-information', 'product-information']

/** `assay lint`: mistakes in specs, suites and proof, in a second and without a bank. */
export async function lint(): Promise<void> {
  const problems = await found()
  for (const problem of problems) console.error(problem)
  if (problems.length === 0) console.log('specs, suites and proof name nothing that there is not')
  else process.exitCode = 1
}

async function found(): Promise<string[]> {
  const twice = definedTwice(root)
  if (twice.length > 0) return twice
  try {
    const catalogue = loadCatalogue()
    const suites = await importSuites(SUITES)
    const text = (name: string) => readFileSync(join(root, 'documents', `${name}.md`), 'utf8')
    return problemsOf({
      root,
      catalogue,
      checks: suites.checks,
      ids: idsOf(suites),
      consents: await loadConsents(SUITES),
      documents: new Map(DOCUMENTS.map((name) => [name, text(name)])),
    })
  } catch (error) {
    // The catalogue says where; a suite that cannot be imported says what.
    return (error as Error).message.split('\n')
  }
}
