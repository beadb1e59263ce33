import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { fieldDefectsPage, loadFieldDefects } from '../authoring/field-defects.ts'
import { type Interface, openApi } from '../authoring/openapi/document.ts'
import { loadOperations } from '../authoring/openapi/operations.ts'
import { notTestedPage, readingPage } from '../authoring/reading-pages.ts'
import { scenariosPage } from '../authoring/scenarios-page.ts'
import { loadUnquoted } from '../authoring/sentences.ts'
import { memberTable } from '../authoring/target-members.ts'
import { loadBothSides, loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { loadTppSuites } from '../engine/certification/suite.ts'
import { root } from '../engine/record/root.ts'
import { complain, say, shown } from '../engine/report/terminal.ts'
import { placesOf } from '../engine/run/places.ts'
import { importSuites } from '../engine/run/suites.ts'
import { loadFaults } from '../proof/run/load.ts'
import { alterationStories } from '../proof/tpp/bank-host.ts'
import { SUITES, TPP_SUITES } from './folders.ts'

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

const SAMPLE = /(?<=^```\n)…\nCONFORMANT .*\n(?:(?!```$).*\n)*/m

/** The page on targets, with its table of members generated from the schema. */
function withTable(page: string): string {
  const table = /^\| member \|.*(\n\|.*)*/m
  if (!table.test(page))
    throw new Error('docs/target.md has no table that begins with “| member |”')
  return page.replace(table, () => memberTable().join('\n'))
}

/**
 * `assay generate`: writes the pages made from specs/, the target schema and a run. --check: exit code 1 if outdated.
 */
export async function generate(options: { check?: boolean }): Promise<void> {
  const catalogue = loadBothSides()
  const side = loadCatalogue(undefined, 'TPP')
  const suites = await loadTppSuites(TPP_SUITES, side)
  await importSuites(SUITES)
  const places = placesOf(catalogue.owners.keys())
  const unquoted = loadUnquoted()
  const files = new Map(
    DOCUMENTS.map(([name, title]) => {
      const document = readFileSync(join(root, 'documents', `${name}.md`), 'utf8')
      const page = readingPage(title, name, document, catalogue, places, unquoted)
      return [`docs/requirements/${name}.md`, page]
    }),
  )
  files.set('docs/requirements/not-tested.md', notTestedPage(catalogue))
  files.set('docs/target.md', withTable(readFileSync(join(root, 'docs', 'target.md'), 'utf8')))
  files.set('README.md', withRun(readFileSync(join(root, 'README.md'), 'utf8')))
  files.set('docs/field-defects.md', fieldDefectsPage(loadFieldDefects(), await loadFaults()))
  const stories = await alterationStories()
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
      complain(shown`${file} is out of date: npm run generate`)
      process.exitCode = 1
      continue
    }
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    say(shown`${file}`)
  }
}

/**
 * README.md with the last lines that a run of the reference bank prints, except those that differ from run to run.
 *
 * @throws when the page has no such sample
 */
function withRun(page: string): string {
  if (!SAMPLE.test(page)) throw new Error('README.md has no sample that begins “…”, “CONFORMANT”')
  const lines = lastLines()
  return lines === undefined ? page : page.replace(SAMPLE, () => `…\n${lines}\n`)
}

/** The verdict and its counts, as a run prints them; undefined when the bank is not conformant. */
function lastLines(): string | undefined {
  const scratch = mkdtempSync(join(tmpdir(), 'assay-readme-'))
  const main = join(import.meta.dirname, `main${extname(import.meta.filename)}`)
  const inherited = Object.entries(process.env).filter(([name]) => !/^(GITHUB_|FORCE_)/.test(name))
  try {
    const { status, stdout } = spawnSync(
      process.execPath,
      [...process.execArgv, main, 'run', '--out', scratch],
      { encoding: 'utf8', env: { ...Object.fromEntries(inherited), NO_COLOR: '1' } },
    )
    // The following lines vary: the number of requests, which a slow bank increases, and times.
    return status === 0
      ? /^CONFORMANT .*(?:\n(?![\d,]+ requests).*)*/m.exec(stdout)?.[0]
      : undefined
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
