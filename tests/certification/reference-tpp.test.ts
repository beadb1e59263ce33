import { expect, test } from 'vitest'
import { right } from '../../proof/tpp/conduct.ts'
import { inProcess } from '../../proof/tpp/in-process.ts'
import { certified } from './opened.ts'

test('the reference TPP passes everything', async () => {
  const { results } = await certified(inProcess(right))
  const other = [...results.values()]
    .filter(({ outcome }) => outcome !== 'pass' && outcome !== 'observed')
    .map(({ id, outcome, message, actual }) => `${outcome} ${id}: ${message} ${actual ?? ''}`)
  expect(other).toEqual([])
  expect(results.size).toBeGreaterThan(100)
})
