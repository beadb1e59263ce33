import { createServer } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import { createBudget } from '../../engine/wire/rate-limiter.ts'
import { createWire } from '../../engine/wire/wire.ts'
import { documentFor } from '../configuration/documents.ts'
import { run } from './servers.ts'

let busy = 0
const server = await run(
  createServer((_request, response) => {
    busy -= 1
    response.statusCode = busy >= 0 ? 429 : 200
    response.setHeader('retry-after', '0')
    response.end('{}')
  }),
  'http',
)
afterAll(() => server.close())

function wireWith(requestsPerMinute: number | undefined) {
  const document = { ...documentFor(server.url), requestsPerMinute }
  return createWire(targetFrom(document))
}

const message = {
  endpoint: 'discovery',
  identity: 'none',
  method: 'GET',
  url: server.url,
  headers: [],
} as const

test('a budget keeps requests apart, those sent at once and repeats too', async () => {
  const wire = wireWith(600)
  busy = 1
  const sent: number[] = []
  wire.onExchange(({ startedAt }) => sent.push(Date.parse(startedAt)))
  const one = { ...message, headers: [] }
  const answers = await Promise.all([
    wire.send({ ...one, retry: true }),
    wire.send(one),
    wire.send(one),
  ])
  await wire.close()
  expect(answers.map(({ response }) => response?.status)).toEqual([200, 200, 200])
  expect(wire.requests).toBe(4)
  const order = sent.sort((a, b) => a - b)
  // A timer may fire late, and the next one in time; over all of them the budget is kept.
  expect((order.at(-1) ?? 0) - (order[0] ?? 0)).toBeGreaterThan(280)
})

test('the wait is not part of how long a request took', async () => {
  const wire = wireWith(200)
  await wire.send({ ...message, headers: [] })
  const second = await wire.send({ ...message, headers: [] })
  await wire.close()
  expect(second.durationMs).toBeLessThan(200)
})

test('a pause is not saved up: the next ones are kept apart all the same', async () => {
  const turn = createBudget(600)
  await turn()
  await new Promise((resolve) => setTimeout(resolve, 350))
  const began = performance.now()
  await Promise.all([turn(), turn(), turn()])
  expect(performance.now() - began).toBeGreaterThanOrEqual(200)
})

test('without a budget nobody waits', async () => {
  const turn = createBudget(undefined)
  const began = performance.now()
  await Promise.all(Array.from({ length: 1000 }, turn))
  expect(performance.now() - began).toBeLessThan(200)
})
