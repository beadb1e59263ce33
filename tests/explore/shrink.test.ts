import { expect, test } from 'vitest'
import { shrunk } from '../../engine/explore/shrink.ts'
import type { Move } from '../../engine/model/moves.ts'

const create = (consent: string): Move => ({
  ...{ do: 'create', consent, client: 'first', permissions: [] },
})
const query = (consent: string): Move => ({ do: 'query', consent, client: 'first' })
const remove = (consent: string): Move => ({ do: 'delete', consent, client: 'first' })

const long: Move[] = Array.from({ length: 12 }, (_, at) => [
  create(`c${at}`),
  query(`c${at}`),
]).flat()

test('leaves what it takes to find the same', async () => {
  const history = [...long, remove('c3'), query('c5'), query('c3')]
  let played = 0
  const repeats = async (one: readonly Move[]) => {
    played += 1
    const words = one.map((move) => `${move.do} ${'consent' in move ? move.consent : ''}`)
    return words.includes('delete c3') && words.at(-1) === 'query c3'
  }
  expect(await shrunk(history, repeats, 100)).toEqual([create('c3'), remove('c3'), query('c3')])
  expect(played).toBeLessThan(60)
})

test('plays no more than it may, and keeps the best', async () => {
  let played = 0
  const repeats = async () => {
    played += 1
    return true
  }
  const queries = Array.from({ length: 40 }, () => query('c1'))
  const found = await shrunk([create('c1'), ...queries], repeats, 3)
  expect(played).toBe(3)
  expect(found.length).toBeLessThan(queries.length)
  expect(found.at(-1)).toEqual(query('c1'))
})

test('a history of which nothing can go stays', async () => {
  const history = [create('c'), remove('c'), query('c')]
  expect(await shrunk(history, async (one) => one.length === 3, 50)).toEqual(history)
})

test('moves with other consents are left out at once', async () => {
  const history: Move[] = [
    ...long,
    { do: 'approve', consent: 'c3', client: 'first', customer: 'first', code: 'a1' },
    { do: 'exchange', code: 'a1', client: 'first' },
    query('c3'),
  ]
  const played: number[] = []
  const repeats = async (one: readonly Move[]) => {
    played.push(one.length)
    return one.some((move) => move.do === 'exchange')
  }
  const found = await shrunk(history, repeats, 20)
  expect(played[0]).toBe(5)
  expect(found.map((move) => move.do)).toEqual(['create', 'approve', 'exchange', 'query'])
})
