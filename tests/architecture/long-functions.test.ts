import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..', '..')

interface Configuration {
  overrides: { includes: string[]; linter: { rules: { complexity?: object } } }[]
}

const { overrides }: Configuration = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'))

/** Where a function may be a list: what a describe holds, the rows of a table. */
const LISTS = ['tests/**', 'suites/values/**']

test('only lists may be longer than the longest function', () => {
  const excepted = overrides
    .filter(({ linter: { rules } }) => 'noExcessiveLinesPerFunction' in (rules.complexity ?? {}))
    .flatMap(({ includes }) => includes)
  expect(excepted).toEqual(LISTS)
})
