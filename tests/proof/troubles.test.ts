import { expect, test } from 'vitest'
import { troubleOf, wordsOf } from '../../proof/chaos/troubles.ts'

const MINUTE = 60_000
const troubles = Array.from({ length: 700 }, (_, seed) => troubleOf(seed))

test('every seventh seed is of one kind, the same each time', () => {
  const kinds = troubles.slice(0, 7).map(({ kind }) => kind)
  expect(new Set(kinds).size).toBe(7)
  expect(troubles.map(({ kind }) => kind)).toEqual(troubles.map((_, seed) => kinds[seed % 7]))
  expect(troubleOf(6)).toEqual(troubles[6])
})

test('a clock is set by a minute to an hour, forward or back', () => {
  const steps = troubles.flatMap((trouble) => (trouble.kind === 'clock' ? [trouble.by] : []))
  expect(steps).toHaveLength(100)
  const sizes = steps.map(Math.abs)
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(MINUTE)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(60 * MINUTE)
  expect(new Set(steps.map(Math.sign))).toEqual(new Set([-1, 1]))
})

test('words say what happens', () => {
  expect(wordsOf(6)).toBe('seed 6: the clock is set 53.6 min back after 38 pieces')
  expect(wordsOf(7)).toMatch(/^seed 7: write gives E[A-Z]+ after \d+ calls, (once|for good)$/)
})
