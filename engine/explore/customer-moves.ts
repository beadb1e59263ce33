import { setTimeout as wait } from 'node:timers/promises'
import { exchangeCode, refreshed, tokensOf } from '../client-session/tokens.ts'
import { visitEnd } from '../client-session/visit.ts'
import { type Move, moveWords, visitName } from '../model/moves.ts'
import { now } from '../record/clock.ts'
import { outcomeWithout } from './answers.ts'
import type { Answer, Asked, Held, Make } from './held.ts'

export async function visit(
  held: Held,
  move: Extract<Move, { do: 'approve' | 'deny' }>,
  { obligation, wrong }: Asked,
): Promise<Answer | undefined> {
  const { session, facts, codes, ended } = held
  const { consent, client, customer } = move
  const { id: consentId } = facts.get(consent) ?? {}
  if (consentId === undefined) return undefined
  // How soon an end takes effect on the page is not shown.
  if (ended.has(consent)) await wait(Math.max(0, held.settledAt(move) - now()))
  const made = await session.visit({
    ...{ client, customer, consentId, decision: move.do },
    purpose: `${visitName(held.name, move)}: ${moveWords(move)}`,
    ...(wrong.visit ? { deviation: wrong.visit } : { correct: obligation?.answer === 'given' }),
  })
  const exchange = made.last ?? made.first
  if (made.kind === 'granted' && move.do === 'approve') {
    codes.set(move.code, { ...made, consent, customer, at: now() })
  }
  const outcome = made.kind === 'granted' ? 'given' : 'refused'
  return { ...(exchange && { exchange }), outcome, words: visitEnd(made) }
}

/** Milliseconds for which a code is assumed to be valid. */
const LIFE = 20_000

export const exchange: Make<'exchange'> = async (held, move, { obligation, deviation, wrong }) => {
  const { session, facts, codes } = held
  const granted = codes.get(move.code)
  const of = facts.get(granted?.consent ?? '')
  if (!granted || !of) return undefined
  // The lifetime of a code is not shown.
  if (obligation?.answer === 'given' && now() > granted.at + LIFE) return undefined
  const { tpp } = await session.caller(move.client)
  if (obligation?.answer === 'refused') {
    const { code, request } = granted
    const sent = await tpp.token(
      { grant_type: 'authorization_code', code, redirect_uri: request.redirectUri },
      { ...deviation, ...wrong.token },
    )
    return { exchange: sent, outcome: tokensOf(sent) ? 'given' : outcomeWithout(sent) }
  }
  const { sent, tokens } = await exchangeCode(tpp, granted, of.id)
  if (!tokens) return { exchange: sent, outcome: outcomeWithout(sent) }
  held.hold(granted.consent, tokens)
  return { exchange: sent, outcome: 'given', refreshable: tokens.refreshToken !== undefined }
}

export const refresh: Make<'refresh'> = async (held, move, { obligation, deviation, wrong }) => {
  const [before] = held.tokensOf(move.consent)
  const of = held.facts.get(move.consent)
  if (!before?.refreshToken || !of) return undefined
  const { tpp } = await held.session.caller(move.client)
  const { refreshToken, authorised } = before
  const own = { about: { idToken: authorised, subject: of.id } }
  const sent = await tpp.token(
    { grant_type: 'refresh_token', refresh_token: refreshToken },
    obligation?.answer === 'refused' ? { ...deviation, ...wrong.token } : own,
  )
  const next = refreshed(before, sent)
  if (!next) return { exchange: sent, outcome: outcomeWithout(sent) }
  if (move.client === of.client) held.hold(move.consent, next)
  const refreshable = next.refreshToken !== undefined && next.used !== true
  return { exchange: sent, outcome: 'given', refreshable }
}
