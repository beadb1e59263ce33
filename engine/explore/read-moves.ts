import type { CallOptions } from '../client/call.ts'
import type { TokenSet } from '../client-session/tokens.ts'
import { bookedAt, type Row, rowsOf } from '../judge/data-rows.ts'
import { succeeded } from '../judge/matchers.ts'
import type { ReadMove } from '../model/moves.ts'
import { now } from '../record/clock.ts'
import { DAY } from '../record/durations.ts'
import type { DataEndpoint } from '../wire/exchange.ts'
import { outcomeOf } from './answers.ts'
import type { Answer, Held, Make } from './held.ts'
import type { Reading } from './rows.ts'

export const read: Make<'read'> = async (held, move, { obligation, deviation, wrong }) => {
  const { session, seen } = held
  const request = requestOf(held, move)
  // Other checks judge what an expired token gives.
  if (!request || (obligation?.answer === 'given' && !isLive(request.own))) return undefined
  const { own, of, subject, from, to } = request
  const { tpp } = await session.caller(of.client)
  const { kind: _, client, ...consent } = of
  const send = (what: DataEndpoint, query: CallOptions['query'], path?: string) =>
    tpp.call(what, {
      bearer: own.accessToken,
      ...deviation,
      ...wrong.call,
      ...(path !== undefined && { subject: path }),
      ...(wrong.segment !== undefined && { segment: wrong.segment }),
      query: { ...query, ...wrong.call?.query },
      customerPresent: move.present,
      about: { ...deviation.about, client, approval: move.consent, consent },
    })
  const ask = async (): Promise<Answer> => {
    const before = seen.get(`${move.consent} transactions`)
    const query = { fromBookingDateTime: iso(from), toBookingDateTime: iso(to) }
    const exchange = await send(move.what, query, subject)
    const whole = from === undefined && to === undefined && subject === undefined
    if (whole && move.present && succeeded(exchange)) {
      seen.set(`${move.consent} ${move.what}`, rowsOf(exchange))
    }
    const reading: Reading = {
      ...{ exchange, before, from, to, subject },
      whole: () => send('transactions', {}),
    }
    // A bank may require another login, by 403, for bookings of more than ninety days ago.
    const isLongAgo = from !== undefined && from < now() - NINETY_DAYS
    const needsLogin = isLongAgo && exchange.response?.status === 403
    return { exchange, outcome: needsLogin ? 'unknown' : outcomeOf(exchange), reading }
  }
  return { ...(await ask()), again: ask }
}

/** The material for a read; undefined if the bank issued none. */
function requestOf(held: Held, { consent, account, from, to, older }: ReadMove) {
  const own = held.tokensOf(consent).at(older ? -1 : 0)
  const of = held.facts.get(consent)
  if (!own || !of) return undefined
  const ids = held.accountsOf(consent)
  const subject = account === undefined ? undefined : ids[account % Math.max(1, ids.length)]
  if (account !== undefined && subject === undefined) return undefined
  const times = bookingsOf(held.seen.get(`${consent} transactions`) ?? [])
  if ((from !== undefined || to !== undefined) && times.length < 2) return undefined
  const bounds = { from: instantAt(times, from), to: instantAt(times, to) }
  // If both bounds are between the same bookings, the range is empty, and a bank may refuse it.
  if (bounds.from !== undefined && bounds.from === bounds.to) return undefined
  return { own, of, subject, ...bounds }
}

/** Milliseconds before its expiry from which a token is no longer relied on. */
const MARGIN = 5000

const isLive = (own: TokenSet) => now() < own.expiresAt - MARGIN

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

/** The distinct times of rows, in order. */
function bookingsOf(rows: readonly Row[]): number[] {
  const times = rows.map(bookedAt).filter((at) => at !== undefined)
  return [...new Set(times)].sort((one, other) => one - other)
}

const NINETY_DAYS = 90 * DAY

/** An instant between two bookings, never on one, at this fraction of them; outside them below 0 and above 1. */
function instantAt(times: number[], part: number | undefined): number | undefined {
  if (part === undefined || times.length < 2) return undefined
  if (part < 0) return (times[0] ?? 0) - DAY
  if (part > 1) return (times.at(-1) ?? 0) + DAY
  const index = Math.min(times.length - 2, Math.max(0, Math.floor(part * (times.length - 1))))
  const [before = 0, behind = 0] = [times[index], times[index + 1]]
  return Math.floor((before + behind) / 2)
}
