import { expect, test } from 'vitest'
import { nearest } from '../../engine/yaml/nearest.ts'

test.each([
  ['TNX-17', 'TXN-17'],
  ['acounts', 'accounts'],
  ['clients_second', 'clientsSecond'],
  ['TXN-71', 'TXN-17'],
  ['something', undefined],
])('%s is probably %s', (word, meant) => {
  const words = ['TOK-17', 'TXN-17', 'TXN-16', 'accounts', 'clientsSecond']
  expect(nearest(word, words)).toBe(meant)
})
