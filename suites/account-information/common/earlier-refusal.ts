import { tokensOf } from '../../../engine/journey/tokens.ts'
import { succeeded } from '../../../engine/judge/matchers.ts'
import { Blocked } from '../../../engine/judge/outcome.ts'
import type { Exchange } from '../../../engine/wire/exchange.ts'

/** Ends the check as blocked where the simpler wrong request is not refused: that is its check's. */
export function relyOnRefusalOf(id: string, attempt: Exchange): void {
  if (!succeeded(attempt)) return
  throw new Blocked({ kind: 'check', id }, 'the simpler request is not refused', attempt)
}

/** The same of a token request: no access token came of it. */
export function relyOnNoToken(id: string, attempt: Exchange): void {
  if (!tokensOf(attempt)) return
  throw new Blocked({ kind: 'check', id }, 'an access token came of it', attempt)
}
