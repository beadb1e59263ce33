import { tokensOf } from '../../engine/journey/session.ts'
import { environment, expect } from '../../engine/judge/expect.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'

/** Ends the check with a finding when an access token was issued, or nothing came in time. */
export function expectNoToken(exchange: Exchange): void {
  environment(exchange)
  if (exchange.response && !tokensOf(exchange)) return
  expect(exchange).toBeRefused()
}
