import { expect, test } from 'vitest'
import type { Chaptered } from '../../proof/together/grouping.ts'
import { type Group, place, settle, togetherText } from '../../proof/together/regroup.ts'

/** A fault that shows at one id. */
const fault = (id: string, check = `${id}/shown`): Chaptered => ({
  id,
  story: '',
  fails: [check],
  chapter: 'account-information/accounts',
})
const group = (held: Chaptered[], joining: Chaptered[]): Group => ({ held, joining, left: [] })

const [a, b, c, d, e] = [fault('A'), fault('B'), fault('C'), fault('D'), fault('E')]

test('who shows beside others stays, who is hidden leaves', () => {
  const all = group([a, b], [c, d])
  expect(settle(all, { hidden: [b, d], surplus: false })).toEqual([b, d])
  expect(all).toEqual({ held: [a, c], joining: [], left: [b, d] })
})

test('where something else comes, those that joined leave, and the others stay as they were', () => {
  const all = group([a, b], [c, d])
  expect(settle(all, { hidden: [a], surplus: true })).toEqual([c, d])
  expect(all).toEqual({ held: [a, b], joining: [], left: [c, d] })
})

test('where something else comes of a new group, the hidden leave it, or some, and the rest is tried again', () => {
  const hidden = group([], [a, b, c, d, e])
  expect(settle(hidden, { hidden: [b], surplus: true })).toEqual([b])
  expect(hidden).toEqual({ held: [], joining: [a, c, d, e], left: [b] })
  expect(settle(hidden, { hidden: [], surplus: true })).toEqual([e])
  expect(hidden).toEqual({ held: [], joining: [a, c, d], left: [b, e] })
  expect(settle(hidden, { hidden: [], surplus: true })).toEqual([a, c, d])
  expect(hidden.joining).toEqual([])
})

test('each is given a group that suits it and that it did not leave, or one of its own', () => {
  const first = { ...group([a], []), left: [d] }
  const second = group([b], [])
  const groups = [first, second]
  const like = fault('F', 'B/shown')
  expect(place([d, like, c], groups)).toEqual([])
  expect(first.joining).toEqual([like, c])
  expect(second.joining).toEqual([d])
  const nowhere = fault('G', 'B/shown')
  expect(place([nowhere], groups)).toEqual([])
  expect(groups[2]).toEqual(group([], [nowhere]))
  const alone: Group[] = [{ ...group([a], []), left: [d] }]
  expect(place([d], alone)).toEqual([])
  expect(alone[1]).toEqual(group([], [d]))
})

test('a full group takes nobody, and of one that took several others wait', () => {
  const full = [group([a, b], [])]
  expect(place([c], full, 2)).toEqual([])
  expect(full).toEqual([group([a, b], []), group([], [c])])
  const many = ['F', 'G', 'H', 'I', 'J'].map((id) => fault(id))
  const one = [group([a], [])]
  expect(place(many, one)).toEqual(many.slice(4))
  expect(one[0]?.joining).toEqual(many.slice(0, 4))
})

test('what is written is what the formatter would write', () => {
  const long = Array.from({ length: 9 }, (_, n) => `a-fault-with-a-name-${n}`)
  const source = togetherText([['one', 'other'], long])
  expect(source).toContain('\n  ["one", "other"],\n  [\n    "a-fault-with-a-name-0",\n')
  expect(source).toContain('    "a-fault-with-a-name-8"\n  ]\n]\n')
  expect(JSON.parse(source)).toEqual([['one', 'other'], long])
})
