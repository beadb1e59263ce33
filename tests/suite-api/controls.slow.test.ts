import { beforeAll, expect, test } from 'vitest'
import { type Observed, observed } from '../observed.ts'

/** Every check of a run of the correct bank. */
let judgements: Observed['judgements']
let exchanges: Map<string, Observed['exchanges'][number]>

beforeAll(async () => {
  const seen = await observed()
  judgements = seen.judgements
  exchanges = new Map(seen.exchanges.map((exchange) => [exchange.id, exchange]))
}, 300_000)

const idOf = ({ result }: Observed['judgements'][number]) => result.id

test('every negative has a control', () => {
  expect(judgements.filter(({ uncontrolled }) => uncontrolled).map(idOf)).toEqual([])
})

test('a control is a request without deviation that was served', () => {
  const controls = judgements.flatMap(({ result }) => result.control ?? [])
  expect(controls.length).toBeGreaterThan(100)
  for (const { exchange: id, summary } of controls) {
    const exchange = exchanges.get(id)
    expect(exchange?.deviation, summary).toBeUndefined()
    expect(exchange?.status, summary).toBeLessThan(400)
  }
})

test('no check uses an approval that it does not name, also not through a shared fixture', () => {
  const unnamed = judgements.flatMap(({ result: { id }, approvals, named }) =>
    approvals.filter((name) => !named.includes(name)).map((name) => `${id}: ${name}`),
  )
  expect(judgements.flatMap(({ approvals }) => approvals).length).toBeGreaterThan(100)
  expect(unnamed).toEqual([])
})
