import type { Context } from 'koa'
import { expect, test } from 'vitest'

import { within } from '../../bank/listeners/request-context.ts'
import { roundRobin, roundRobinOf, roundRobinPerKey } from '../../proof/run/round-robin.ts'

const ours = {}

function serving<Result>(method: string, path: string, work: () => Result, bank = ours): Result {
  return within({ method, path, socket: { localPort: 1 }, state: { bank } } as Context, work)
}

test('every endpoint takes all freedoms, each from another one on', () => {
  const next = roundRobin(['a', 'b', 'c'])
  const seen: Record<string, string[]> = { '/accounts': [], '/accounts/7/balances': [] }
  for (let call = 0; call < 3; call++) {
    for (const [path, choices] of Object.entries(seen)) {
      choices.push(serving('GET', path.replace('7', String(call)), next))
    }
  }
  expect(Object.values(seen)).toEqual([
    ['a', 'b', 'c'],
    ['b', 'c', 'a'],
  ])
})

test('methods of one path and reasons at one endpoint are counted apart', () => {
  const next = roundRobin([1, 2])
  expect(serving('GET', '/token', next)).toBe(1)
  expect(serving('POST', '/token', next)).toBe(2)
  expect(serving('POST', '/token', () => next('unknown'))).toBe(1)
  expect(serving('POST', '/token', next)).toBe(1)
})

test('every bank begins anew', () => {
  const next = roundRobin(['a', 'b'])
  const banks = [{}, {}, {}]
  expect(banks.map((bank) => serving('GET', '/accounts', next, bank))).toEqual(['a', 'a', 'a'])
  expect(banks.map((bank) => serving('GET', '/accounts', next, bank))).toEqual(['b', 'b', 'b'])
})

test('functions are taken in turn, with their arguments', () => {
  const write = roundRobinOf<[string], string>(
    (text) => text.toUpperCase(),
    (text) => `${text}!`,
  )
  expect([write('a'), write('b'), write('c')]).toEqual(['A', 'b!', 'C'])
})

test('a thing keeps what it was given', () => {
  const shape = roundRobinPerKey(['object', 'array'])
  expect([shape('x'), shape('y'), shape('x'), shape('z')]).toEqual([
    'object',
    'array',
    'object',
    'object',
  ])
})
