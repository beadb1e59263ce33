import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadBothSides, loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { definitionsOf } from '../engine/catalogue/definitions.ts'
import { notTestedPage, readingPage } from '../engine/catalogue/reading.ts'
import { scenariosPage } from '../engine/certification/scenarios-page.ts'
import { loadTppSuites } from '../engine/certification/suite.ts'
import { memberTable } from '../engine/configuration/members.ts'
import { type Interface, openApi } from '../engine/openapi/document.ts'
import { loadOperations } from '../engine/openapi/operations.ts'
import { root } from '../engine/record/root.ts'
import { alterationStories } from '../proof/tpp/bank-host.ts'
import { TPP_SUITES } from './folders.ts'
import { withRun } from './readme-run.ts'

const DOCUMENTS: [name: string, title: string][] = [
  ['account-information', 'Account information'],
  ['product-information', 'Product information'],
]

const described = (document: Interface['document'], musts: string, id: string) => ({
  document,
  description: `Every must that the document states of a message${musts}; what is implied stands in the descriptions. An id such as ${id} names the requirement: docs/requirements/${document}.md quotes its sentence.`,
})

const INTERFACES: Interface[] = [
  {
    title: 'Account information, consent and authorisation',
    version: 'v3.1',
    ...described('account-information', ', and what it leans on', 'TXN-31/amount'),
  },
  {
    title: 'Consumer credit card product information',
    version: 'v1',
    ...described('product-information', '', 'PROD-06/data'),
  },
]

/** The page on targets, its table of members made anew from the schema. */
function withTable(page: string): string {
  const table = /^\| member \|.*(\n\|.*)*/m
  if (!table.test(page))
    throw new Error('docs/target.md has no table that begins with “| member |”')
  return page.replace(table, () => memberTable().join('\n'))
}

/** `assay generate`: the pages made from specs/, from the schema of targets and from a run. With --check: exit code 1 when one is out of date. */
export async function generate(options: { check?: boolean }): Promise<void> {
  const catalogue = loadBothSides()
  const places = definitionsOf(root, catalogue.owners.keys())
  const files = new Map(
    DOCUMENTS.map(([name, title]) => {
      const document = readFileSync(join(root, 'documents', `${name}.md`), 'utf8')
      return [`docs/requirements/${name}.md`, readingPage(title, name, document, catalogue, places)]
    }),
  )
  files.set('docs/requirements/not-tested.md', notTestedPage(catalogue))
  files.set('docs/target.md', withTable(readFileSync(join(root, 'docs', 'target.md'), 'utf8')))
  files.set('README.md', withRun(readFileSync(join(root, 'README.md'), 'utf8')))
  const side = loadCatalogue(undefined, 'TPP')
  const stories = await alterationStories()
  const suites = await loadTppSuites(TPP_SUITES, side)
  files.set(
    'docs/scenarios.md',
    scenariosPage(suites, side, (id) => stories.get(id)),
  )
  const operations = loadOperations()
  for (const face of INTERFACES) {
    files.set(`docs/openapi/${face.document}.yaml`, openApi(face, operations, catalogue))
  }
  for (const [file, content] of files) {
    const path = join(root, file)
    if (existsSync(path) && readFileSync(path, 'utf8') === content) continue
    if (options.check) {
      console.error(`${file} is out of date: npm run generate`)
      process.exitCode = 1
      continue
    }
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    console.log(file)
  }
}
