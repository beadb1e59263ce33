import { expect, test } from 'vitest'
import { triedTwice } from '../../proof/run/second-try.ts'

interface Proof {
  id: string
  complaints: string[]
  atFirst?: string[]
}

/** Proves as it is told for each try, and counts the tries. */
function proving(...tries: Proof[][]) {
  let n = 0
  const answer = triedTwice<string, Proof>(async (later) => {
    n += 1
    later(`left by try ${n}`)
    return tries[n - 1] as Proof[]
  })
  return { answer, tried: () => n }
}

test('what holds is proven once, and says nothing of a retry', async () => {
  const { answer, tried } = proving([{ id: 'a', complaints: [] }])
  expect(await answer).toEqual({ results: [{ id: 'a', complaints: [] }], more: ['left by try 1'] })
  expect(tried()).toBe(1)
})

test('what holds at the second try says what it said at the first, which npm test counts', async () => {
  const { answer, tried } = proving(
    [
      { id: 'a', complaints: ['late'] },
      { id: 'b', complaints: [] },
    ],
    [
      { id: 'a', complaints: [] },
      { id: 'b', complaints: [] },
    ],
  )
  expect(await answer).toEqual({
    results: [
      { id: 'a', complaints: [], atFirst: ['late'] },
      { id: 'b', complaints: [], atFirst: [] },
    ],
    more: ['left by try 2'],
  })
  expect(tried()).toBe(2)
})

test('what fails twice fails, and is tried no more', async () => {
  const wrong = [{ id: 'a', complaints: ['wrong'] }]
  const { answer, tried } = proving(wrong, wrong)
  expect((await answer).results).toEqual([{ id: 'a', complaints: ['wrong'], atFirst: ['wrong'] }])
  expect(tried()).toBe(2)
})
