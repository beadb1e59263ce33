import { expect, test } from 'vitest'
import type { Hands } from '../../engine/explore/hands.ts'
import { randomOf } from '../../engine/explore/random.ts'
import { walk } from '../../engine/explore/walk.ts'
import { byOperation } from '../../engine/explore/wrong-values.ts'
import { createCoverage } from '../../engine/model/coverage.ts'
import type { Move } from '../../engine/model/moves.ts'
import { after, NOTHING } from '../../engine/model/world.ts'

/** Walks at a bank that gives whatever it is asked for. */
function walked(seed: number) {
  const ways = {
    terms: [{ permissions: ['ReadAccountsBasic', 'ReadTransactionsBasic'] }],
    clients: ['first', 'second'] as const,
    customers: ['first'] as const,
    ...{
      funds: true,
      facts: ['customer-revokes'] as const,
      deny: true,
      looks: [],
      values: byOperation([]),
    },
    visits: () => undefined,
  }
  const next = walk(randomOf(seed), ways, createCoverage(), 6)
  let world = NOTHING
  const hands = {
    accountsOf: () => ['a-1'],
    holds: (name: string) => {
      const { tokens } = world.consents.get(name) ?? {}
      return { tokens: tokens ? 1 : 0, refresh: tokens?.refreshable === true }
    },
  } as unknown as Hands
  const moves: Move[] = []
  for (let move = next(world, hands); move; move = next(world, hands)) {
    moves.push(move)
    world = after(world, { move, outcome: 'given', refreshable: true })
  }
  return { moves, world }
}

test('a history ends with the deletion of whatever is left, and asks for it once more', () => {
  const last = Array.from({ length: 20 }, (_, seed) => {
    const { moves, world } = walked(seed + 1)
    for (const { name, end } of world.consents.values()) expect(end?.how, name).toBe('deleted')
    return moves.slice(moves.findLastIndex((move) => move.do === 'delete') + 1)
  })
  const kinds = new Set(last.flat().map((move) => move.do))
  expect(kinds).toEqual(new Set(['query', 'read']))
  const queried = last.filter((moves) => moves.some((move) => move.do === 'query'))
  expect(queried.length).toBeGreaterThan(10)
})
