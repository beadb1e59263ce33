import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { goalsOf } from '../../engine/certification/scenario.ts'
import { loadFaults, loadScenarioAlterations, loadVariants } from '../../proof/run/load.ts'
import { root, tppCatalogue, tppSuites } from './opened.ts'

const catalogue = tppCatalogue()
const requirements = [...catalogue.requirements.values()]
const lines = ['account-information', 'product-information'].flatMap((name) =>
  readFileSync(join(root, 'documents', `${name}.md`), 'utf8').split('\n'),
)

test('what binds the TPP stands in specs/tpp/, and nothing else does', () => {
  expect(requirements.filter(({ binds }) => binds !== 'TPP')).toEqual([])
  const bank = [...loadCatalogue().requirements.values()]
  expect(bank.filter(({ binds }) => binds === 'TPP')).toEqual([])
})

test('every id of specs/tpp/ is judged by a scenario or a rule, and the other way round', async () => {
  const { scenarios, rules } = await tppSuites()
  const ids = [...scenarios, ...rules].map(({ id }) => id).sort()
  expect(ids).toEqual([...catalogue.owners.keys()].sort())
})

test('every quote stands in one line of a document', () => {
  for (const { id, quote } of requirements) {
    for (const words of quote) {
      expect(
        lines.some((line) => line.includes(words)),
        `${id}: ${words}`,
      ).toBe(true)
    }
  }
})

test('a must quotes a document; a should quotes one, or the clause of a standard that it names', () => {
  for (const { id, level, quote, clause } of requirements) {
    if (level === 'must') expect(quote.length, id).toBeGreaterThan(0)
    expect(quote.length > 0 || clause !== undefined, id).toBe(true)
  }
})

test('the musts that nothing tests are those that nobody outside can see', () => {
  const untested = requirements.filter(({ level, notTested }) => level === 'must' && notTested)
  expect(untested.map(({ id }) => id)).toEqual(['GEN-12'])
})

test('there are 45 scenarios and more; each has a title, says what is right, and names an alteration that exists', async () => {
  const { scenarios } = await tppSuites()
  const all = await Promise.all([loadScenarioAlterations(), loadVariants(), loadFaults()])
  const known = new Set(all.flat().map(({ id }) => id))
  expect(scenarios.length).toBeGreaterThanOrEqual(45)
  for (const scenario of scenarios) {
    const { id, title, right, alteration } = scenario
    expect(title.length, id).toBeGreaterThan(10)
    expect(right, id).toMatch(/\.$/)
    expect(goalsOf(scenario).length, id).toBeGreaterThan(0)
    if (alteration) expect(known, id).toContain(alteration)
  }
  expect(scenarios.filter(({ control }) => control)).toHaveLength(1)
})
