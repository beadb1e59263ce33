import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'

const folder = new URL('../../schemas/assay/', import.meta.url)
const files = readdirSync(folder)
const ajv = new Ajv2020({ strict: true })

test.each(files)('schemas/assay/%s is a schema by its own dialect', (name) => {
  const schema = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
  expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
  expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true)
})

test('what is no schema would be told', () => {
  expect(files.length).toBeGreaterThan(0)
  expect(ajv.validateSchema({ type: 'words' })).toBe(false)
})
