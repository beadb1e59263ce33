import { describe, expect, test } from 'vitest'
import { lasting, type MonitorState, type Seen, stateAfter } from '../../engine/monitor/state.ts'
import { problemOf } from '../../engine/record/formed.ts'

const AT = Date.parse('2026-11-28T15:00:00Z')
const DAY = 86_400_000

const NEW: MonitorState = { since: '2026-11-28T15:00:00Z', parts: {}, broken: {}, told: {} }

const seen = (part: Partial<Seen> = {}): Seen => ({
  ...{ parts: [], rules: [], certificates: [], at: AT, data: false },
  ...part,
})

const seenAfter = (state: MonitorState, part: Partial<Seen>) => {
  const next = stateAfter(state, seen(part))
  expect(problemOf(next.state, 'monitor')).toBe(undefined)
  return { ...next, texts: next.changes.map(({ text }) => text) }
}

describe('outages', () => {
  const served = (at: number) => [{ part: 'keys', is: 'served' as const, at }]
  const away = (at: number, why = 'answered 503') => [
    { part: 'keys', is: 'away' as const, at, why },
    { part: 'products', is: 'away' as const, at: at + 1000, why },
  ]

  test('what is served from the first round on is nothing to tell', () => {
    expect(seenAfter(NEW, { parts: served(AT) }).texts).toEqual([])
  })

  test('parts that are away for one reason are told together, and once', () => {
    const began = seenAfter(NEW, { parts: away(AT) })
    expect(began.texts).toEqual(['away since 2026-11-28T15:00:00Z: keys, products (answered 503)'])
    expect(seenAfter(began.state, { parts: away(AT + 60_000, 'timeout') }).texts).toEqual([])
  })

  test('the end says since when and how long', () => {
    const { state } = seenAfter(NEW, { parts: away(AT) })
    const ended = seenAfter(state, { parts: served(AT + 300_000) })
    expect(ended.texts).toEqual([
      'served again since 2026-11-28T15:05:00Z: keys (away since 2026-11-28T15:00:00Z, 5 min)',
    ])
    expect(ended.state.parts.products?.up).toBe(false)
  })

  test('a limit tells neither', () => {
    const { state } = seenAfter(NEW, { parts: away(AT) })
    const limited = seenAfter(state, { parts: [{ part: 'keys', is: 'limited', at: AT + 1 }] })
    expect(limited.texts).toEqual([])
    expect(limited.state.parts.keys?.up).toBe(false)
  })
})

describe('certificates', () => {
  const ending = (days: number) => ({
    certificates: [{ what: 'bank.example', notAfter: new Date(AT + days * DAY).toISOString() }],
  })

  test.each([
    [31, 0],
    [29.5, 1],
    [6.5, 1],
    [-1, 1],
  ])('%s days left', (days, told) => {
    expect(seenAfter(NEW, ending(days)).texts).toHaveLength(told)
  })

  test('each of 30 days, 7 days and the end is told once, and a new one begins again', () => {
    let state = NEW
    const texts = [29, 20, 6, 5, -1, -2, 200, 29].map((days) => {
      const next = seenAfter(state, ending(days))
      state = next.state
      return next.texts.length
    })
    expect(texts).toEqual([1, 0, 1, 0, 1, 0, 0, 1])
  })
})

test('keys that are not served change nothing', () => {
  const { state } = seenAfter(NEW, { keys: ['a', 'b'] })
  expect(seenAfter(state, {}).texts).toEqual([])
  expect(seenAfter(state, { keys: ['b', 'c'] }).texts).toEqual([
    'the bank’s keys changed: 1 new, 1 gone, 2 now',
  ])
})

test('a rule that judged nothing in a round stays broken', () => {
  const rule = (outcome: 'fail' | 'pass' | 'blocked') => ({
    rules: [{ id: 'TXN-04/x', outcome, message: 'wrong', level: 'must' as const }],
  })
  const { state, texts } = seenAfter(NEW, rule('fail'))
  expect(texts).toEqual(['TXN-04/x (must): wrong'])
  const blocked = seenAfter(state, rule('blocked'))
  expect(blocked.texts).toEqual([])
  expect(seenAfter(blocked.state, rule('pass')).texts).toEqual([
    'TXN-04/x is kept again, broken since 2026-11-28T15:00:00Z',
  ])
})

test.each([
  [1000, '1 s'],
  [300_000, '5 min'],
  [2.5 * 3_600_000, '2 h 30 min'],
])('%s ms', (ms, words) => expect(lasting(ms)).toBe(words))
