import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Catalogue, loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { idsOf, loadSuites, type Suites } from '../../engine/run/suites.ts'
import { OWNERS } from '../../suites/owners.ts'

const root = resolve(import.meta.dirname, '..', '..')
let catalogue: Catalogue
let suites: Suites

beforeAll(async () => {
  catalogue = loadCatalogue()
  suites = await loadSuites(join(root, 'suites'), catalogue)
})

describe('specs and suites', () => {
  test('every id that a requirement names is implemented, by a check, a rule or a schema', () => {
    const implemented = new Set(idsOf(suites))
    const missing = [...catalogue.owners.keys()].filter((id) => !implemented.has(id))
    expect(missing).toEqual([])
  })

  test('every step is owned by a check', () => {
    const checks = suites.checks.map(({ id }) => id)
    for (const owner of Object.values(OWNERS)) expect(checks).toContain(owner)
  })

  test('the chapter of each check has a folder in the suites', () => {
    for (const { id } of suites.checks) {
      const chapter = catalogue.owners.get(id)?.chapter ?? ''
      expect(existsSync(join(root, 'suites', chapter)), `${id} in ${chapter}`).toBe(true)
    }
  })

  test('at least 95 % of the musts that bind the bank are checked', () => {
    const musts = [...catalogue.requirements.values()].filter(
      ({ level, binds }) => level === 'must' && binds === 'bank',
    )
    const checked = musts.filter(({ checks }) => checks.length > 0)
    expect(checked.length / musts.length).toBeGreaterThanOrEqual(0.95)
  })
})

describe('specs and documents', () => {
  const documents = Object.fromEntries(
    ['account-information', 'product-information'].map((name) => [
      name,
      readFileSync(join(root, 'documents', `${name}.md`), 'utf8').split('\n'),
    ]),
  )

  test('every quote stands in one line of a document', () => {
    const lines = Object.values(documents).flat()
    for (const { id, quote } of catalogue.requirements.values()) {
      for (const words of quote) {
        expect(
          lines.some((line) => line.includes(words)),
          `${id}: ${words}`,
        ).toBe(true)
      }
    }
  })

  test('every must quotes the document', () => {
    for (const { id, level, quote } of catalogue.requirements.values()) {
      if (level === 'must') expect(quote.length, id).toBeGreaterThan(0)
    }
  })

  test('every decision is used, and quotes what it decides about', () => {
    const text = Object.values(documents).flat().join('\n')
    for (const { id, readings } of catalogue.decisions.values()) {
      expect(readings.length, id).toBeGreaterThan(0)
      for (const { quote } of readings) if (quote) expect(text, id).toContain(quote)
    }
  })
})

test('every file of specs names its schema, for editors', () => {
  const files = readdirSync(join(root, 'specs'), { recursive: true, encoding: 'utf8' })
  for (const name of files.filter((each) => each.endsWith('.yaml'))) {
    const file = join(root, 'specs', name)
    const [, schema] =
      /^# yaml-language-server: \$schema=(.+)\n/.exec(readFileSync(file, 'utf8')) ?? []
    expect(existsSync(join(dirname(file), schema ?? 'none')), name).toBe(true)
  }
})

describe('mistakes in specs', () => {
  function broken(change: (text: string) => string): () => unknown {
    const folder = mkdtempSync(join(tmpdir(), 'assay-specs-'))
    cpSync(join(root, 'specs'), folder, { recursive: true })
    const file = join(folder, 'account-information', 'accounts.yaml')
    writeFileSync(file, change(readFileSync(file, 'utf8')))
    return () => loadCatalogue(folder)
  }

  test('an unknown key names file, line and the known one that is meant', () => {
    const load = broken((text) => text.replace('  checks: [ACC-01', '  cheks: [ACC-01'))
    expect(load).toThrow(/accounts\.yaml:\d+:3: cheks is not known\. Did you mean checks\?/)
  })

  test('a value of another form names its line and the mend', () => {
    const level = broken((text) => text.replace('level: must', 'level: musst'))
    expect(level).toThrow(/accounts\.yaml:\d+:10: level has a value .* Did you mean must\?/)
    const id = broken((text) => text.replace('- id: ACC-02', '- id: account-2'))
    expect(id).toThrow(/accounts\.yaml:\d+:7: id is spelled wrongly\. Write it as TXN-17\./)
    const quote = broken((text) => text.replace(/quote:\n {4}- .*\n/, 'quote: words\n'))
    expect(quote).toThrow(/accounts\.yaml:\d+:10: quote is a text\. Write a list/)
  })

  test('a requirement is tested or says why not', () => {
    const load = broken((text) => text.replace('  checks: [ACC-01/answers-200]\n', ''))
    expect(load).toThrow(/ACC-01 needs exactly one of checks and not-tested/)
  })

  test('broken YAML names its line', () => {
    expect(broken((text) => `${text}\n- id: [`)).toThrow(/accounts\.yaml:\d+:\d+: /)
  })

  test('a check of another requirement is refused', () => {
    const load = broken((text) => text.replace('[ACC-01/answers-200]', '[ACC-99/answers-200]'))
    expect(load).toThrow('check ACC-99/answers-200 does not start with ACC-01/')
  })

  test('an id that stands twice is refused', () => {
    const load = broken((text) => text.replace('- id: ACC-02', '- id: ACC-01'))
    expect(load).toThrow('ACC-01 stands twice')
  })
})
