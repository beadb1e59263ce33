import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Result, settleBlocked } from '../../engine/judge/results.ts'

/** A result, blocked by another check where one is named. */
function result(id: string, by?: string, over: Partial<Result> = {}): Result {
  return {
    id,
    requirement: id,
    level: 'must',
    kind: 'check',
    title: id,
    outcome: by === undefined ? 'pass' : 'blocked',
    message: by === undefined ? '' : `answered 500 (${by})`,
    durationMs: 0,
    exchanges: [`x-${id}`],
    ...(by !== undefined && { because: { kind: 'check', id: by } }),
    ...over,
  }
}

function settled(...results: Result[]): Map<string, Result> {
  const all = new Map(results.map((each) => [each.id, each]))
  settleBlocked(all)
  return all
}

const outcomes = (all: Map<string, Result>) =>
  [...all.values()].map(({ id, outcome, blockedBy }) => [id, outcome, blockedBy])

test('what failed for another check is a failure of the check that owns it', () => {
  const all = settled(result('A'), result('B', 'A'))
  expect(outcomes(all)).toEqual([
    ['A', 'fail', undefined],
    ['B', 'blocked', 'A'],
  ])
  expect(all.get('A')?.message).toBe('succeeded once, but not for B: answered 500 (A)')
})

test('of checks that block each other the first is blamed, by what the last of them saw', () => {
  const all = settled(result('A', 'B'), result('B', 'C'), result('C', 'A'), result('D', 'C'))
  expect(outcomes(all)).toEqual([
    ['A', 'fail', undefined],
    ['B', 'blocked', 'A'],
    ['C', 'blocked', 'A'],
    ['D', 'blocked', 'A'],
  ])
  expect(all.get('A')).toMatchObject({
    message: 'did not succeed for C: answered 500 (A)',
    actual: 'answered 500 (A)',
    exchanges: ['x-C', 'x-A'],
  })
})

test('in a circle a must is blamed before a should; a check that blocks itself is one', () => {
  const should = { level: 'should' } as const
  const all = settled(
    ...[result('A', 'B', should), result('B', 'A')],
    ...[result('C', 'D', should), result('D', 'C', should)],
    result('E', 'E'),
  )
  expect(outcomes(all)).toEqual([
    ['A', 'blocked', 'B'],
    ['B', 'fail', undefined],
    ['C', 'warn', undefined],
    ['D', 'blocked', 'C'],
    ['E', 'fail', undefined],
  ])
  expect(all.get('E')).toMatchObject({ message: 'answered 500 (E)', exchanges: ['x-E'] })
})

test('whoever blocks whom, every chain ends in a cause', () => {
  const size = 8
  const level = fc.constantFrom<Result['level']>('must', 'should', 'observe')
  const outcome = fc.constantFrom<Result['outcome']>('pass', 'fail', 'warn', 'not-applicable')
  const one = fc.record({ by: fc.option(fc.nat(size - 1)), level, outcome })
  fc.assert(
    fc.property(fc.array(one, { minLength: size, maxLength: size }), (bank) => {
      const all = settled(
        ...bank.map(({ by, level, outcome }, i) =>
          by === null
            ? result(`${i}`, undefined, { level, outcome })
            : result(`${i}`, `${by}`, { level }),
        ),
      )
      for (const { outcome, blockedBy } of all.values()) {
        if (outcome !== 'blocked') continue
        expect(all.get(blockedBy ?? '')?.outcome).toMatch(/^(fail|warn|observed)$/)
      }
    }),
    { numRuns: 500 },
  )
})
