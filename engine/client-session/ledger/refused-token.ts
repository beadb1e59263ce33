import type { About, Exchange } from '../../wire/exchange.ts'
import { type Events, lastOf } from './events.ts'

/** A token of ours that was refused, and the answer that refuses it or what was asked with it. */
export interface RefusedToken {
  token: string
  answer: Exchange
}

/** What to send in its place. */
export interface Replacement {
  token: string
  /** Present where the bank had promised that the refused one lives. */
  instead?: NonNullable<About['instead']>
}

/** How old a token was that was refused, and how old it was to become: for whoever judges that. */
export function ageOf(events: Events, token: string, { id, startedAt }: Exchange) {
  const { at = 0, expiresIn = 0 } = lastOf(events, { kind: 'issued', token }) ?? {}
  return { of: id, seconds: Math.round((Date.parse(startedAt) - at) / 1000), expiresIn }
}
