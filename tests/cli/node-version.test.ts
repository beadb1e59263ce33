import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { refusalOf } from '../../cli/node-version.ts'

const REFUSED = ['18.20.8', '20.18.3', '21.7.3', '22.11.0', '23.11.1']
const ALLOWED = ['20.19.0', '20.20.1', '22.12.0', '22.22.0', '24.0.0', '25.2.1']

test.each(REFUSED)('Node %s is refused', (version) => {
  expect(refusalOf(version)).toBe(
    `Assay needs Node 20.19 or newer 20, 22.12 or newer 22, or 24 and later. This is Node ${version}.`,
  )
})

test.each(ALLOWED)('Node %s is allowed', (version) => {
  expect(refusalOf(version)).toBeUndefined()
})

test('it is looked at before any other module runs', () => {
  const [, first] = readFileSync('cli/main.ts', 'utf8').split('\n')
  expect(first).toContain("import './node-version.ts'")
})
