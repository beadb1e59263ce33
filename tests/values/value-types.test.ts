import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rowsOf, type ValueType } from '../../suites/values/value-type.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'suites', 'values')

/** Every table, by its file: a module that exports value types. */
const types: [string, ValueType<unknown, unknown>][] = []
for (const file of readdirSync(FOLDER).sort()) {
  const module: Record<string, unknown> = await import(join(FOLDER, file))
  for (const value of Object.values(module)) {
    if (isType(value)) types.push([`${file}: ${value.name}`, value])
  }
}

function isType(value: unknown): value is ValueType<unknown, unknown> {
  return typeof value === 'object' && value !== null && 'grammar' in value && 'parts' in value
}

test.each(types)('%s goes through its grammar, part by part', (_, { grammar, parts }) => {
  expect(grammar).not.toBe('')
  expect(new Set(parts.map(({ part }) => part)).size).toBe(parts.length)
  for (const { part, rows, none } of parts) {
    if (rows) expect(rows.length, part).toBeGreaterThan(0)
    else expect(none, part).toMatch(/^[A-Z“].*\.$/s)
  }
})

test.each(types)('%s has wrong rows and lawful ones, each named once', (_, type) => {
  const rows = rowsOf(type)
  expect(rows.some(({ lawful }) => lawful)).toBe(true)
  expect(rows.some(({ lawful }) => !lawful)).toBe(true)
  const ids = rows.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(new Set(rows.map(({ words }) => words)).size).toBe(ids.length)
  for (const { id, words, because } of rows) {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    expect(words).toMatch(/^[a-z“]/)
    expect(because, id).toMatch(/\d|“|"/)
  }
})
