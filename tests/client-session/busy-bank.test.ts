import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { root } from '../../engine/record/root.ts'
import { openSession } from '../../engine/run/open.ts'
import { loadSuites } from '../../engine/run/suites.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { openBank } from '../directory.ts'

/** Busy for the first request of each path. */
const seen = new Set<string>()
const busy: Alteration = {
  id: 'busy-at-first',
  story: 'The gateway is still waking up.',
  async middleware(ctx, next) {
    if (seen.has(ctx.path)) return next()
    seen.add(ctx.path)
    ctx.status = 503
    ctx.set('retry-after', '0')
  },
}
const bank = await openBank({ alterations: [busy] })
afterAll(() => bank.close())

test('discovery and jwks wait as Retry-After says, visibly', async () => {
  const suites = await loadSuites(join(root, 'suites'), loadCatalogue())
  const exchanges: Exchange[] = []
  const session = openSession({
    target: targetFrom(structuredClone(bank.target) as TargetDocument),
    suites,
    onExchange: (exchange) => exchanges.push(exchange),
  })
  expect((await session.steps.discovery()).value).toHaveProperty('issuer')
  expect((await session.steps.jwks()).value?.keys).toHaveLength(1)
  await session.close()
  expect(exchanges.map(({ response }) => response?.status)).toEqual([503, 200, 503, 200])
  expect(exchanges.map(({ retriedBy }) => retriedBy)).toEqual(['x2', undefined, 'x4', undefined])
})
