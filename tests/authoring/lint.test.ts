import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lint } from '../../authoring/lint.ts'
import { type Catalogue, loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { root } from '../../engine/record/root.ts'
import { idsOf, loadConsents, loadSuites, type Suites } from '../../engine/run/suites.ts'
import type { NamedConsent } from '../../engine/suite-api/consents.ts'

let catalogue: Catalogue
let suites: Suites
let consents: NamedConsent[]
const documents = new Map(
  ['account-information', 'product-information'].map((name) => [
    name,
    readFileSync(join(root, 'documents', `${name}.md`), 'utf8'),
  ]),
)
const folders: string[] = []

beforeAll(async () => {
  catalogue = loadCatalogue()
  suites = await loadSuites(join(root, 'suites'), catalogue)
  consents = await loadConsents(join(root, 'suites'))
})
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function parts() {
  return { root, catalogue, checks: suites.checks, ids: idsOf(suites), consents, documents }
}

/** The sources with one file changed. */
function changed(file: string, change: (text: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-lint-'))
  folders.push(folder)
  for (const name of ['suites', 'schemas', 'proof', 'specs']) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  const path = join(folder, file)
  const text = change(readFileSync(path, 'utf8'))
  expect(text).not.toBe(readFileSync(path, 'utf8'))
  writeFileSync(path, text)
  return folder
}

const CHECKS = 'suites/account-information/transactions/transactions.check.ts'

test('the sources have no mistakes', () => {
  expect(lint(parts())).toEqual([])
})

test('an id that no requirement names', () => {
  const ids = [...idsOf(suites), 'TXN-99/what-it-tries']
  expect(lint({ ...parts(), ids })).toEqual([
    'TXN-99/what-it-tries is in no requirement. Add it to the checks of its one in specs/.',
  ])
})

test('a requirement whose check nothing defines says so by file and line', () => {
  const ids = idsOf(suites).filter((id) => id !== 'TXN-17/both')
  expect(lint({ ...parts(), ids })).toEqual([
    expect.stringMatching(
      /^specs\/account-information\/transactions\.yaml:\d+:\d+: TXN-17\/both is defined nowhere\. Write it in suites\/account-information\/transactions\/\.$/,
    ),
  ])
})

test('a check that is named and is not there', () => {
  const folder = changed(CHECKS, (text) => `${text}\nblockBy('TXN-77/nothing', '')\n`)
  expect(lint({ ...parts(), root: folder })).toEqual([
    expect.stringMatching(/:\d+: TXN-77\/nothing is named, and there is no such check\.$/),
  ])
})

test('words that no document has, and a must without any', () => {
  const [requirement] = catalogue.requirements.values()
  if (!requirement) throw new Error('no requirement')
  const linted = (change: object) => {
    const requirements = new Map(catalogue.requirements)
    requirements.set(requirement.id, { ...requirement, ...change })
    return lint({ ...parts(), catalogue: { ...catalogue, requirements } })
  }
  expect(linted({ quote: ['the moon'] })[0]).toMatch(
    /^specs\/.*:\d+:\d+: [A-Z]+-\d+ quotes “the moon”, which stands in no line of documents\/\.$/,
  )
  expect(linted({ level: 'must', quote: [] })[0]).toMatch(/is a must and quotes no document/)
})

test('a decision that quotes what no document says', () => {
  const [decision] = catalogue.decisions.values()
  if (!decision) throw new Error('no decision')
  const readings = [{ place: 'x', quote: 'the moon', says: 'y' }]
  const decisions = new Map(catalogue.decisions).set(decision.id, { ...decision, readings })
  expect(lint({ ...parts(), catalogue: { ...catalogue, decisions } })).toEqual([
    `specs/decisions.yaml: ${decision.id} quotes “the moon”, which no document has.`,
  ])
})

test('an approval that no check uses, and one that no table announces', () => {
  const [first, ...others] = consents
  if (!first) throw new Error('no approval')
  const idle = { ...first, name: 'idle' }
  expect(lint({ ...parts(), consents: [...consents, idle] })).toEqual([
    'suites/consents.ts: no check uses “idle”.',
  ])
  const unknown = lint({ ...parts(), consents: others })
  expect(unknown.length).toBeGreaterThan(10)
  expect(unknown[0]).toMatch(/:\d+: .* uses “everything”, which is not in suites\/consents\.ts\./)
})

test('an expectation without a matcher', () => {
  const folder = changed(CHECKS, (text) => `${text}\nrelyOn('TXN-17/both', await get('(a)'))\n`)
  expect(lint({ ...parts(), root: folder })).toEqual([
    expect.stringMatching(/:\d+: relyOn\(…\) judges nothing without a matcher\.$/),
  ])
})

test('a file of no chapter', () => {
  const folder = changed(CHECKS, (text) => `${text}\n`)
  cpSync(join(folder, CHECKS), join(folder, 'suites/account-information/loans/loans.check.ts'))
  expect(lint({ ...parts(), root: folder })).toContain(
    'suites/account-information/loans/loans.check.ts: its folder is not a chapter.',
  )
})
