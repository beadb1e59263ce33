import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HOOKS } from '../../engine/configuration/target.ts'
import { matchers } from '../../engine/judge/matchers.ts'
import { root } from '../../engine/record/root.ts'

/** docs/adding-a-check.md names everything that there is. */

const text = (file: string) => readFileSync(join(root, file), 'utf8')
const page = text('docs/adding-a-check.md')

/** First cells of the tables of the page. */
const rows = new Set(
  [...page.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(
    ({ 1: cell = '' }) => cell.match(/\w[\w-]*/g) ?? [],
  ),
)

test('every option of a check', () => {
  const [, body = ''] =
    /export interface CheckOptions<[^>]*> \{\n(.*?)\n\}/s.exec(text('engine/suite-api/check.ts')) ??
    []
  const options = [...body.matchAll(/^ {2}(\w+)\?:/gm)].map(({ 1: name }) => name)
  expect(options.length).toBeGreaterThan(7)
  expect(options.filter((name) => !rows.has(name ?? ''))).toEqual([])
})

test('everything that a check can need', () => {
  const source = text('engine/suite-api/check.ts')
  const [, needs = ''] = /export type Need =(.*?)\n\n/s.exec(source) ?? []
  const named = [
    ...[...needs.matchAll(/'([^']+)'/g)].map(({ 1: name }) => name),
    ...HOOKS.map((name) => `hooks.${name}`),
  ]
  expect(named.length).toBeGreaterThan(7)
  expect(named.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})

test('every matcher', () => {
  expect(Object.keys(matchers).filter((name) => !page.includes(name))).toEqual([])
})

test('every member of a requirement', () => {
  const schema = JSON.parse(text('schemas/assay/requirements.schema.json'))
  const members = Object.keys((schema.items ?? schema).properties)
  const lacking = members.filter((name) => !['id', 'clause'].includes(name) && !rows.has(name))
  expect(members.length).toBeGreaterThan(5)
  expect(lacking).toEqual([])
})

test('every module that suites may import', () => {
  const modules = readdirSync(join(root, 'engine/suite-api')).map((name) => name.replace('.ts', ''))
  // Ids that the engine leans on, the inside of check, and scenarios of a TPP.
  const own = ['owners', 'each-client', 'under-each', 'certification']
  expect(modules.filter((name) => !rows.has(name) && !own.includes(name))).toEqual([])
})
