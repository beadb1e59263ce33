import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isTooOld } from '../../cli/node-version.ts'

test('a Node that the package does not allow is too old', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(engines.node).toBe('^20.19.0 || ^22.12.0 || >=24.0.0')
  const versions = ['18.20.8', '20.18.3', '20.19.0', '22.11.0', '22.12.0', '24.0.0']
  expect(versions.filter(isTooOld)).toEqual(['18.20.8', '20.18.3', '22.11.0'])
})

test('it is looked at before any other module runs', () => {
  const [, first] = readFileSync('cli/main.ts', 'utf8').split('\n')
  expect(first).toContain("import './node-version.ts'")
})
