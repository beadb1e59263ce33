import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { actOf, isOfFiles } from '../../cli/file-errors.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-errors-'))
afterAll(() => rmSync(folder, { recursive: true }))

const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'open' })

test.each<[string, () => unknown]>([
  ['read', () => readdirSync(join(folder, 'nothing'))],
  ['read', () => readFileSync(folder)],
  ['read or written', () => readFileSync(join(folder, 'nothing'))],
  ['read or written', () => writeFileSync(folder, '')],
  ['written', () => rmSync(folder)],
  [
    'written',
    () => {
      throw full
    },
  ],
])('an error says what could not be %s', (act, fails) => {
  let error: unknown
  try {
    fails()
  } catch (thrown) {
    error = thrown
  }
  expect(isOfFiles(error) && actOf(error)).toBe(act)
})
