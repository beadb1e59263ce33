import { expect, test } from 'vitest'
import { type Cell, cellName, coveringCells, drawnCells } from '../../engine/judge/cells.ts'

const values = Array.from({ length: 12 }, (_, index) => ({
  value: `value-${index}`,
  group: `group-${index % 3}`,
}))
const places = Array.from({ length: 10 }, (_, index) => ({
  place: `place-${index}`,
  kind: `kind-${index % 2}`,
}))
const cells: Cell[] = values.flatMap((value) => places.map((place) => ({ ...value, ...place })))

const pairs = (some: readonly Cell[], of: (cell: Cell) => string) => new Set(some.map(of))

test.each([1, 2, 3])(
  'seed %i asks each value at each kind of place, each place with each group',
  (seed) => {
    const chosen = coveringCells(cells, seed)
    const valueAt = ({ value, kind }: Cell) => `${value} ${kind}`
    const groupAt = ({ group, place }: Cell) => `${group} ${place}`
    expect(pairs(chosen, valueAt)).toEqual(pairs(cells, valueAt))
    expect(pairs(chosen, groupAt)).toEqual(pairs(cells, groupAt))
    expect(chosen.length).toBeLessThan(cells.length / 2)
  },
)

test('a seed draws the same cells, whoever else comes; seeds together draw all', () => {
  expect(coveringCells(cells, 7)).toEqual(coveringCells(cells, 7))
  const seen = new Set<string>()
  for (let seed = 0; seed < 60; seed += 1)
    for (const cell of coveringCells(cells, seed)) seen.add(cellName(cell))
  expect(seen.size).toBe(cells.length)
})

test('where it is dear, each kind meets each group, and each place one value', () => {
  const dear = cells.map((cell) => ({ ...cell, dear: true as const }))
  for (const seed of [1, 2, 3]) {
    const chosen = coveringCells(dear, seed)
    const groupAt = ({ group, kind }: Cell) => `${group} ${kind}`
    expect(pairs(chosen, groupAt)).toEqual(pairs(dear, groupAt))
    expect(pairs(chosen, ({ place }) => place)).toEqual(pairs(dear, ({ place }) => place))
    expect(chosen.length).toBeLessThanOrEqual(places.length + 6)
  }
})

test('two checks that share a draw ask it together, and each its own part', () => {
  const own = cells.filter(({ place }) => place === 'place-0')
  const others = cells.filter(({ place }) => place !== 'place-0')
  const drawing = { cells: 'drawn', seed: 4 } as const
  const parts = [drawnCells(drawing, own, others), drawnCells(drawing, others, own)]
  expect(new Set(parts.flat())).toEqual(new Set(coveringCells([...own, ...others], 4)))
  expect(parts[0]?.every(({ place }) => place === 'place-0')).toBe(true)
  expect(drawnCells({ ...drawing, cells: 'all' }, own, others)).toEqual(own)
})
