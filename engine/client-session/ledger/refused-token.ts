import type { About, Exchange } from '../../wire/exchange.ts'
import { type Events, lastOf } from './events.ts'

/** A token of the run that was refused, and the answer that refused it or the request that used it. */
export interface RefusedToken {
  token: string
  answer: Exchange
}

/** The token to send instead. */
export interface Replacement {
  token: string
  /** Present if, according to the bank, the refused token had not expired. */
  instead?: NonNullable<About['instead']>
}

/** The age of a refused token and its promised lifetime, for the rule that judges this. */
export function ageOf(events: Events, token: string, { id, startedAt }: Exchange) {
  const { at = 0, expiresIn = 0 } = lastOf(events, { kind: 'issued', token }) ?? {}
  return { of: id, seconds: Math.round((Date.parse(startedAt) - at) / 1000), expiresIn }
}
