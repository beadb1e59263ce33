import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..', '..')
const folder = mkdtempSync(join(tmpdir(), 'assay-long-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Configuration {
  linter: { rules: { complexity: Record<string, unknown> } }
  overrides: { includes: string[]; linter: { rules: { complexity?: object } } }[]
}

const { linter, overrides }: Configuration = JSON.parse(
  readFileSync(join(root, 'biome.json'), 'utf8'),
)
const RULE = 'noExcessiveLinesPerFunction'

/** Where a function may be a list: what a describe holds, the rows of a table. */
const LISTS = ['tests/**', 'suites/values/**']

/** Files that may have longer functions for now. */
const excepted = overrides
  .filter(({ linter: { rules } }) => RULE in (rules.complexity ?? {}))
  .flatMap(({ includes }) => includes)
  .filter((file) => !LISTS.includes(file))

/** Which of these files have a function that the rule finds too long. */
function tooLong(files: string[]): string[] {
  const complexity = { [RULE]: linter.rules.complexity[RULE] }
  const rules = { preset: 'none', complexity }
  writeFileSync(join(folder, 'biome.json'), JSON.stringify({ linter: { rules } }))
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome')
  const options = ['lint', `--config-path=${folder}`, '--reporter=json', '--max-diagnostics=none']
  let told = ''
  try {
    told = execFileSync(process.execPath, [biome, ...options, ...files], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch (error) {
    // What it finds makes it end with 1.
    told = (error as { stdout: string }).stdout
  }
  const { diagnostics } = JSON.parse(told) as {
    diagnostics: { category: string; location: { path: string } }[]
  }
  const found = diagnostics.filter(({ category }) => category.endsWith(RULE))
  return [...new Set(found.map(({ location }) => location.path))]
}

test('an exception to the longest function is listed only as long as it is needed', () => {
  const needed = tooLong(excepted)
  const idle = excepted.filter((file) => !needed.includes(file))
  expect(idle, 'these have no function over 80 lines any more: remove them in biome.json').toEqual(
    [],
  )
})

test('no more files are excepted than when the rule began', () => {
  expect(excepted.length).toBeLessThanOrEqual(17)
})
