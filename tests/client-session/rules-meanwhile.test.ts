import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { rulesMeanwhile } from '../../engine/client-session/rules-meanwhile.ts'
import type { RuleEngine } from '../../engine/judge/rule-engine.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'

/** Rules that say which exchanges they have seen, and one of which fails over the exchange "wrong". */
function engineThatCounts() {
  const seen: string[] = []
  const judge = ({ id }: Exchange) => {
    seen.push(id)
    if (id === 'wrong') throw new Error('a rule that fails')
    return [`broken by ${id}`]
  }
  const states = () => seen.map((id) => ({ id }))
  const engine = { bank: {}, judge, states, observations: () => [] } as unknown as RuleEngine
  return { seen, rules: rulesMeanwhile(engine) }
}

const exchange = (id: string, bytes = 2) => ({ id, response: { bytes } }) as Exchange

test('an exchange is judged while the next is under way, in the order of the run', async () => {
  const { seen, rules } = engineThatCounts()
  for (const id of ['x1', 'x2']) rules.judge(exchange(id))
  expect(seen).toEqual([])
  await turn()
  await turn()
  expect(seen).toEqual(['x1', 'x2'])
})

test('whoever asks finds every exchange judged, once', async () => {
  const { seen, rules } = engineThatCounts()
  const first = rules.judge(exchange('x1'))
  const second = rules.judge(exchange('x2'))
  expect(second()).toEqual(['broken by x2'])
  expect(first()).toEqual(['broken by x1'])
  rules.judge(exchange('x3'))
  expect(rules.states()).toHaveLength(3)
  await turn()
  await turn()
  expect(seen).toEqual(['x1', 'x2', 'x3'])
})

test('a large body is judged before the next request, which would seem slow else', () => {
  const { seen, rules } = engineThatCounts()
  rules.judge(exchange('x1', 10_000_000))
  expect(seen).toEqual(['x1'])
})

test('a rule that fails is told to the next who sends, and hides no other exchange', () => {
  const { seen, rules } = engineThatCounts()
  const broken = [rules.judge(exchange('wrong')), rules.judge(exchange('x2'))]
  expect(broken.map((tell) => tell())).toEqual([[], ['broken by x2']])
  expect(() => rules.judge(exchange('x3'))).toThrow('a rule that fails')
  rules.judge(exchange('x4'))
  rules.states()
  expect(seen).toEqual(['wrong', 'x2', 'x3', 'x4'])
})
