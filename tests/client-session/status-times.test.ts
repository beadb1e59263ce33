import { expect, test } from 'vitest'
import { standsStillFor, untilTimeHasMoved } from '../../engine/client-session/status-times.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'

test.each([
  ['2026-03-28T10:00:00Z', 2100],
  ['2026-03-28T10:00:00.000Z', 2100],
  ['2026-03-28T10:00:00.5+00:00', 300],
  ['2026-03-28T10:00:00.52Z', 120],
  ['2026-03-28T10:00:00.520Z', 0],
])('%s stands still for %i ms', (time, milliseconds) => {
  expect(standsStillFor(time)).toBe(milliseconds)
})

test('a clock that was set back by hours since then is not waited for', async () => {
  const json = { Data: { StatusUpdateDateTime: '2026-03-28T10:00:00.5Z' } }
  const startedAt = new Date(Date.now() + 7_200_000).toISOString()
  const exchange = { startedAt, durationMs: 1, response: { json } } as unknown as Exchange
  await expect(untilTimeHasMoved(exchange, exchange)).resolves.toBeUndefined()
})
