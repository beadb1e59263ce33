import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Catalogue, loadBothSides, loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { loadTppSuites } from '../../engine/certification/suite.ts'
import { definitionOf, type Place } from '../../engine/record/definitions.ts'
import { root } from '../../engine/record/root.ts'
import { placesOf } from '../../engine/run/places.ts'
import { importSuites } from '../../engine/run/suites.ts'
import { registeredChecks } from '../../engine/suite-api/check.ts'
import { OWNERS } from '../../suites/owners.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-places-'))
let catalogue: Catalogue
let places: Map<string, Place>

beforeAll(async () => {
  catalogue = loadBothSides()
  await importSuites(join(root, 'suites'))
  await loadTppSuites(join(root, 'suites', 'tpp'), loadCatalogue(undefined, 'TPP'))
  places = placesOf(catalogue.owners.keys())
})
afterAll(() => {
  rmSync(folder, { recursive: true })
  // Other files of the process share what is defined.
  const checks = registeredChecks()
  checks.splice(0, checks.length, ...checks.filter(({ id }) => !id.startsWith('XYZ-')))
})

const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').split('\n')

/** The call that begins in a line, to its closing bracket: these files are formatted. */
function statementAt({ file, line }: Place): string {
  const lines = linesOf(file).slice(line - 1)
  const indent = /^ */.exec(lines[0] ?? '')?.[0] ?? ''
  const end = lines.findIndex((text) => new RegExp(`^${indent}[})\\]]`).test(text))
  return /[)]$/.test(lines[0] ?? '') ? (lines[0] ?? '') : lines.slice(0, end + 1).join('\n')
}

/** Does a statement make this id: literally, of a row of a table, or of a step's owner? */
function makes(statement: string, id: string, file: string): boolean {
  const first = statement.slice(statement.indexOf('(')).split('\n').slice(0, 3).join('\n')
  if (statement.includes(`'${id}'`)) return true
  const owner = /\(\s*OWNERS\.(\w+)/.exec(first)?.[1]
  if (owner) return Object.entries(OWNERS).some(([name, of]) => name === owner && of === id)
  // A row of a table: of the same file, or of one that it imports.
  const row = /\(\s*[a-z]\w*,|[{,]\s*id,|\bid: \w+,/.test(first)
  return row && withImports(file).some((text) => text.includes(`'${id}'`))
}

function withImports(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const imports = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, from = '']) => from)
  return [text, ...imports.map((from) => readFileSync(join(root, file, '..', from), 'utf8'))]
}

test('everything that judges has a place, and the line of each defines that id', () => {
  for (const id of catalogue.owners.keys()) {
    const place = places.get(id)
    expect(place, id).toBeDefined()
    if (!place) continue
    if (place.file.endsWith('.json')) {
      const stated = id.endsWith('/recorded') ? id.slice(0, id.indexOf('/')) : id
      expect(linesOf(place.file)[place.line - 1], id).toMatch(
        new RegExp(`"(requirement|presence)": "${stated}"`),
      )
    } else {
      const statement = statementAt(place)
      expect(
        makes(statement, id, place.file),
        `${id} by ${place.file}:${place.line}\n${statement}`,
      ).toBe(true)
    }
  }
})

/** A file of suites that calls check through a helper, and not in its first line. */
function written(name: string, id: string): string {
  const door = pathToFileURL(join(root, 'engine', 'suite-api', 'check.ts')).href
  const file = join(folder, `${name}.check.ts`)
  const call = `helper(\n  '${id}',\n)\n`
  writeFileSync(
    file,
    `import { check } from '${door}'\n\nfunction helper(id) {\n  check(id, 'A title', {}, async () => {})\n}\n\n${call}`,
  )
  return file
}

test('the place is that of the statement in the file of suites, not of the helper that it calls', async () => {
  await import(written('first', 'XYZ-01/once'))
  expect(definitionOf('XYZ-01/once')).toMatchObject({
    file: expect.stringMatching(/first\.check\.ts$/),
    line: 7,
  })
})

test('an id that is defined twice is said, with both places', async () => {
  await import(written('one', 'XYZ-02/twice'))
  await expect(import(written('other', 'XYZ-02/twice'))).rejects.toThrow(
    /other\.check\.ts:7: XYZ-02\/twice is defined twice, before this in .*one\.check\.ts:7\.$/,
  )
})

test('what nobody defines has no place', () => {
  expect([...placesOf(['XYZ-99/nowhere'])]).toEqual([])
})
