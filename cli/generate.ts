import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { notTestedPage, readingPage } from '../engine/catalogue/reading.ts'
import { root } from '../engine/catalogue/root.ts'
import { memberTable } from '../engine/target/members.ts'

const DOCUMENTS: [name: string, title: string][] = [
  ['account-information', 'Account information'],
  ['product-information', 'Product information'],
]

/** The page on targets, its table of members made anew from the schema. */
function withTable(page: string): string {
  const table = /^\| member \|.*(\n\|.*)*/m
  if (!table.test(page))
    throw new Error('docs/target.md has no table that begins with “| member |”')
  return page.replace(table, () => memberTable().join('\n'))
}

/** `assay generate`: the pages made from specs/ and from the schema of targets. With --check: exit code 1 when one is out of date. */
export function generate(options: { check?: boolean }): void {
  const catalogue = loadCatalogue()
  const files = new Map(
    DOCUMENTS.map(([name, title]) => {
      const document = readFileSync(join(root, 'documents', `${name}.md`), 'utf8')
      return [`docs/requirements/${name}.md`, readingPage(title, name, document, catalogue)]
    }),
  )
  files.set('docs/requirements/not-tested.md', notTestedPage(catalogue))
  files.set('docs/target.md', withTable(readFileSync(join(root, 'docs', 'target.md'), 'utf8')))
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
