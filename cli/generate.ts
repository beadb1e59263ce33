import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { type Interface, openApi } from '../authoring/openapi/document.ts'
import { loadOperations } from '../authoring/openapi/operations.ts'
import { notTestedPage, readingPage } from '../authoring/reading-pages.ts'
import { scenariosPage } from '../authoring/scenarios-page.ts'
import { memberTable } from '../authoring/target-members.ts'
import { loadBothSides, loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { definitionsOf } from '../engine/catalogue/definitions.ts'
import { loadTppSuites } from '../engine/certification/suite.ts'
import { root } from '../engine/record/root.ts'
import { alterationStories } from '../proof/tpp/bank-host.ts'
import { defaultFolder, TPP_SUITES, typed } from './folders.ts'

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

const SAMPLE = /(?<=^```\n)Judging embedded\n[\s\S]*?(?=^```$)/m

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

/**
 * README.md with what a run of the reference bank prints, made anew where more than its times differ.
 *
 * @throws where the page has no such sample
 */
function withRun(page: string): string {
  const [before] = SAMPLE.exec(page) ?? []
  if (before === undefined)
    throw new Error('README.md has no sample that begins “Judging embedded”')
  const now = printed()
  if (now === undefined || timeless(now) === timeless(before)) return page
  return page.replace(SAMPLE, () => now)
}

/** What a run prints where nothing is a terminal; undefined where the bank is not conformant. */
function printed(): string | undefined {
  const scratch = mkdtempSync(join(tmpdir(), 'assay-readme-'))
  const main = join(import.meta.dirname, `main${extname(import.meta.filename)}`)
  const inherited = Object.entries(process.env).filter(([name]) => !/^(GITHUB_|FORCE_)/.test(name))
  try {
    const { status, stdout } = spawnSync(
      process.execPath,
      [...process.execArgv, main, 'run', '--out', scratch],
      { encoding: 'utf8', env: { ...Object.fromEntries(inherited), NO_COLOR: '1' } },
    )
    return status === 0
      ? stdout.replace(/\S+(?=.report\.html)/, typed(defaultFolder('embedded')))
      : undefined
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Without what differs from run to run and from machine to machine; who waits longer asks more often. */
function timeless(text: string): string {
  return text
    .replace(/( *\d+ min)? *\d+(\.\d)? (ms|s)\b/g, '')
    .replace(/[\d,]+ requests/, '')
    .replace(/\d{4}-\d\d-\d\dT[\d-]+Z/g, '')
}
