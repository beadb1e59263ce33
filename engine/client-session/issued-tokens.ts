import type { CustomerName, HookName } from '../configuration/target.ts'
import { member } from '../judge/data-rows.ts'
import { succeeded } from '../judge/matchers.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { HookSubject } from './hooks.ts'

/** An access token, as its token response gave it. */
interface IssuedToken {
  client: string
  grant: string
  /** Milliseconds since the epoch. */
  at: number
  /** Seconds; undefined where the bank did not say. */
  expiresIn?: number
}

/** What is said of the token that was answered 401, for whoever judges whether it should have lived. */
export function refusedAt({ at, expiresIn = 0 }: IssuedToken, answer: Exchange, newest: boolean) {
  const seconds = Math.round((Date.parse(answer.startedAt) - at) / 1000)
  return { of: answer.id, seconds, expiresIn, newest }
}

/** Milliseconds of a token's life at whose end clocks may disagree. */
const MARGIN = 5000

export type IssuedTokens = ReturnType<typeof createIssuedTokens>

/** Every access token of a run, and what is known to have ended one. */
export function createIssuedTokens() {
  const issued = new Map<string, IssuedToken>()
  const newest = new Map<string, string>()
  const expired = new Set<string>()
  const ended = new Set<string>()
  const read = new Map<string, number>()
  const refusedFirst = new Map<string, number>()
  const codes = new Map<string, { customer: CustomerName; consentId: string; used: number }>()
  const latest = new Map<string, { token: string; at: number; code: string }>()
  const visits = new Map<string, { consentId: string; code: string; at: number }[]>()
  return {
    /** A customer has approved a consent for a client, and this code came of it. */
    approved(code: string, customer: CustomerName, clientId: unknown, consentId: string): void {
      codes.set(code, { customer, consentId, used: 0 })
      const key = `${clientId} ${customer}`
      visits.set(key, [...(visits.get(key) ?? []), { consentId, code, at: Date.now() }])
    },
    /**
     * When this customer, after the last approval of this consent, first approved another one for the
     * client: milliseconds since the epoch; undefined where that never happened.
     */
    approvedAnother(consentId: string, clientId: unknown, customer: CustomerName) {
      const made = visits.get(`${clientId} ${customer}`) ?? []
      const own = made.findLastIndex((visit) => visit.consentId === consentId)
      return own < 0 ? undefined : made[own + 1]?.at
    },
    /**
     * When this customer last approved another consent for the client, if nobody has got a token for its
     * code: milliseconds since the epoch.
     */
    waitingSince(consentId: string, clientId: unknown, customer: CustomerName) {
      const last = visits.get(`${clientId} ${customer}`)?.at(-1)
      const waits = last && last.consentId !== consentId && codes.get(last.code)?.used === 0
      return waits ? last.at : undefined
    },
    /** Did the customer, between these two instants, approve another consent for the client? */
    approvedWithin(
      consentId: string,
      clientId: unknown,
      customer: CustomerName,
      { from, to }: { from: number; to: number },
    ) {
      const made = visits.get(`${clientId} ${customer}`) ?? []
      return made.some((one) => one.consentId !== consentId && one.at >= from && one.at <= to)
    },
    /**
     * The latest token that a code of this customer gave this client, and when. It is gone where it need
     * not be taken any more: it expired, its consent was ended, or its code used twice.
     */
    latestOf(clientId: unknown, customer: CustomerName) {
      const found = latest.get(`${clientId} ${customer}`)
      if (!found) return undefined
      const { token, at, code } = found
      const { consentId = '', used = 0 } = codes.get(code) ?? {}
      return { token, at, gone: expired.has(token) || ended.has(consentId) || used > 1 }
    },
    note(exchange: Exchange): void {
      const { endpoint, about, request } = exchange
      const own = about.approval !== undefined && about.deviation === undefined
      if (own && about.consent && succeeded(exchange)) {
        read.set(about.consent.id, Date.parse(exchange.startedAt))
        refusedFirst.delete(about.consent.id)
      }
      if (endpoint === 'delete-account-access-consent') {
        if (succeeded(exchange) && about.subject !== undefined) ended.add(about.subject)
        return
      }
      if (endpoint !== 'token') return
      const form = new URLSearchParams(request.body ?? '')
      const code = form.get('code') ?? ''
      const approved = codes.get(code)
      const token = member(exchange.response?.json, 'access_token')
      const gives = typeof token === 'string' && succeeded(exchange)
      if (approved && (gives || approved.used > 0)) approved.used += 1
      if (!gives) return
      const client = about.client ?? 'first'
      const grant = form.get('grant_type') ?? ''
      const expiresIn = Number(member(exchange.response?.json, 'expires_in'))
      const at = Date.parse(exchange.startedAt)
      issued.set(token, { client, grant, at, ...(expiresIn > 0 && { expiresIn }) })
      if (grant === 'client_credentials') newest.set(client, token)
      if (!approved) return
      const clientId = about.registered?.clientId
      latest.set(`${clientId} ${approved.customer}`, { token, at, code })
    },
    /** A hook has made something true. */
    told(name: HookName, { accessToken, consentId }: HookSubject): void {
      if (name === 'token-expired' && accessToken !== undefined) expired.add(accessToken)
      if (name !== 'token-expired' && consentId !== undefined) ended.add(consentId)
    },
    of: (token: string) => issued.get(token),
    /** Is it the last one of its client's from a client_credentials grant? */
    isNewest: (token: string) => newest.get(issued.get(token)?.client ?? '') === token,
    /** Should it still live, by what the bank said of it? */
    isPromised(token: string) {
      const { at = 0, expiresIn = 0 } = issued.get(token) ?? {}
      return !expired.has(token) && Date.now() < at + expiresIn * 1000 - MARGIN
    },
    /** Has a hook made it expire? */
    hasExpired: (token: string) => expired.has(token),
    /** Has the consent been deleted, revoked, or outlived? */
    hasEnded: (consentId: string) => ended.has(consentId),
    /** When it last gave data, in milliseconds since the epoch; 0 where it never did. */
    lastRead: (consentId: string) => read.get(consentId) ?? 0,
    /** A token of this consent that should still have lived was not taken. */
    refusedTooEarly(consentId: string, { startedAt }: Exchange): void {
      if (!refusedFirst.has(consentId)) refusedFirst.set(consentId, Date.parse(startedAt))
    },
    /** When that first happened since it last gave data: milliseconds since the epoch. */
    refusedSince: (consentId: string) => refusedFirst.get(consentId),
  }
}
