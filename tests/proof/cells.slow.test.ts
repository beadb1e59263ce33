import { beforeAll, expect, test } from 'vitest'
import { EMPTY_CELLS, EMPTY_PAIRS } from '../../proof/cells/empty-cells.ts'
import { EVERY, PAIRS, SITUATIONS, type Situation } from '../../proof/cells/situations.ts'
import { observed } from '../observed.ts'

/** Every data endpoint in every situation in which it can be met. */
const cellsIn = (situations: readonly Situation[]) =>
  situations.flatMap(({ endpoints = EVERY, slug }) =>
    endpoints.map((endpoint) => `${endpoint}, ${slug}`),
  )
const cells = cellsIn(Object.values(SITUATIONS))

let met: Set<string>

beforeAll(async () => {
  const seen = await observed()
  met = new Set(seen.met)
}, 600_000)

test('a run meets every data endpoint in every situation, or the reason stands here', () => {
  const empty = cells.filter((cell) => !met.has(cell))
  expect(empty.sort()).toEqual(Object.keys(EMPTY_CELLS).sort())
  for (const reason of Object.values(EMPTY_CELLS)) expect(reason).toMatch(/^[A-Z].*\.$/)
})

test('a run meets every data endpoint in every two situations, or the reason stands here', () => {
  const empty = cellsIn(PAIRS).filter((cell) => !met.has(cell))
  const unexplained = empty.filter((cell) => !EMPTY_PAIRS.some(({ cells }) => cells.test(cell)))
  expect(unexplained).toEqual([])
  for (const { cells, because } of EMPTY_PAIRS) {
    expect(empty.some((cell) => cells.test(cell))).toBe(true)
    expect(because).toMatch(/^[A-Z].*\.$/)
  }
})
