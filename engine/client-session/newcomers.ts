import { setTimeout as wait } from 'node:timers/promises'
import { member } from '../judge/data-rows.ts'
import { succeeded } from '../judge/matchers.ts'
import { now } from '../record/clock.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Wire, WireMessage } from '../wire/wire.ts'
import { type Events, lastOf } from './ledger/events.ts'

/** Milliseconds for which a code is valid at many banks; no requirement names a time. */
const LIFE_OF_A_CODE = 60_000

/** Milliseconds before the first repetition; each further pause is twice as long. */
export const FIRST_PAUSE = 100

/**
 * The wire, with patience for what is new. The servers of a bank may hear of a new client, consent or token one after
 * the other: no requirement names a time for it. A correct request that is refused while something that it names is
 * new, and was never accepted there before, is repeated until the settling time is over. Once that did not help with
 * such a thing at an endpoint, and it never had at any, nothing like it is repeated there any more. Once it did help, the
 * next such thing is first named when the settling time is over: it must be accepted then, or the bank refuses whatever is
 * named for the first time.
 *
 * @param settlingTime milliseconds
 */
export function patientWithNewcomers(wire: Wire, events: Events, settlingTime: number): Wire {
  /** Ids of clients and consents, codes and tokens, with the endpoint that accepted them. */
  const known = new Set<string>()
  let hasHelped = false
  const hasFailed = new Set<string>()
  const late = new Set<Newcomer['kind']>()
  const proven = new Set<Newcomer['kind']>()

  /** Waits for the end of the settling time, once for each kind of thing that was known late. */
  const untilSettled = async (endpoint: string, named: Newcomer[]) => {
    const left = timeLeft(endpoint, named)
    const isToProve = named.some(({ kind }) => late.has(kind) && !proven.has(kind))
    if (!isToProve || left <= 0) return
    for (const { kind } of named) proven.add(kind)
    await wait(Math.min(left, LIFE_OF_A_CODE / 2))
  }

  /** Milliseconds until the youngest of them is no longer new. */
  const timeLeft = (endpoint: string, named: Newcomer[]) => {
    const unknown = named.filter(({ id }) => !known.has(`${endpoint} ${id}`))
    const births = unknown.map((one) => birthOf(events, one) ?? Number.NEGATIVE_INFINITY)
    return Math.max(...births) + settlingTime - now()
  }

  /** The last answer to a refused request that was repeated for so many milliseconds. */
  const repeated = async (
    { message, named }: { message: WireMessage; named: Newcomer[] },
    first: Exchange,
    patience: number,
  ) => {
    const began = performance.now()
    const waited = () => performance.now() - began
    const { about, body, renewed } = message
    let answer = first
    for (let pause = FIRST_PAUSE; isUnheardOf(answer, named); pause *= 2) {
      if (waited() >= patience) {
        hasFailed.add(placeOf(message, named))
        return answer
      }
      await wait(Math.min(pause, patience - waited()))
      answer = await wire.send({
        ...message,
        about: { ...about, soon: { of: first.id, seconds: waited() / 1000 } },
        ...(body !== undefined && { body: renewed?.() ?? body }),
      })
    }
    hasHelped = true
    for (const { kind } of named) late.add(kind)
    // A code is used once. Of anything else another server may hear later than the one that answered.
    if (named.some(({ kind }) => kind === 'code')) return answer
    await wait(Math.max(0, Math.min(waited(), patience - waited())))
    return answer
  }

  const send = async (message: WireMessage): Promise<Exchange> => {
    const named = isCorrect(message) ? namedBy(message) : []
    await untilSettled(message.endpoint, named)
    const first = await wire.send(message)
    const patience = isUnheardOf(first, named) ? timeLeft(message.endpoint, named) : 0
    const isHopeless = hasFailed.has(placeOf(message, named)) && !hasHelped
    const answer =
      patience > 0 && !isHopeless ? await repeated({ message, named }, first, patience) : first
    if (succeeded(answer)) for (const { id } of named) known.add(`${message.endpoint} ${id}`)
    return answer
  }

  return Object.assign(Object.create(wire) as Wire, { send })
}

/**
 * A refusal, also by a redirect to a page (AMB-41), that is neither a limit nor an outage. A code or a refresh token that
 * is not known is refused by an error of its own (RFC 6749 5.2), or by a body that names none: no sentence shows its
 * shape. After another error it may be used up.
 */
function isUnheardOf({ response }: Exchange, named: Newcomer[]): boolean {
  const { status = 0, json } = response ?? {}
  const isRefused = status >= 300 && status < 500 && status !== 429
  const isGrant = named.some(({ kind }) => kind === 'code' || kind === 'refresh token')
  const error = member(json, 'error')
  return isRefused && (!isGrant || error === undefined || error === 'invalid_grant')
}

const placeOf = ({ endpoint }: WireMessage, named: Newcomer[]) =>
  [endpoint, ...named.map(({ kind }) => kind)].join(' ')

/** Not a request without the customer: a bank may count these. */
function isCorrect({ endpoint, about = {}, headers }: WireMessage): boolean {
  if (about.deviation !== undefined) return false
  return endpoint === 'token' || headerOf(headers, 'x-fapi-customer-ip-address') !== undefined
}

/** What a request names that the bank may have made just before. */
interface Newcomer {
  kind: 'client' | 'consent' | 'token' | 'code' | 'refresh token'
  /** client_id, ConsentId, access token, code or refresh token. */
  id: string
}

function namedBy({ endpoint, about = {}, headers, body }: WireMessage): Newcomer[] {
  const { registered, subject } = about
  if (endpoint === 'token') {
    const form = new URLSearchParams(body)
    const [code, refreshToken] = [form.get('code'), form.get('refresh_token')]
    if (code) return [{ kind: 'code', id: code }]
    if (refreshToken) return [{ kind: 'refresh token', id: refreshToken }]
    const isOwn = form.get('grant_type') === 'client_credentials'
    return isOwn && registered ? [{ kind: 'client', id: registered.clientId }] : []
  }
  const token = headerOf(headers, 'authorization')?.slice('Bearer '.length)
  const named: (Newcomer | undefined)[] = [
    token ? { kind: 'token', id: token } : undefined,
    subject && endpoint.endsWith('-consent') ? { kind: 'consent', id: subject } : undefined,
  ]
  return named.filter((one) => one !== undefined)
}

const headerOf = (headers: [string, string][], wanted: string) =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1]

/** When the bank made it, in milliseconds since the epoch; undefined if not in this run, or if the run has ended it. */
function birthOf(events: Events, { kind, id }: Newcomer): number | undefined {
  if (kind === 'client') return lastOf(events, { kind: 'registered', clientId: id })?.at
  if (kind === 'token') return lastOf(events, { kind: 'issued', token: id })?.at
  if (kind === 'code') return lastOf(events, { kind: 'approved', code: id })?.at
  if (kind === 'refresh token') return lastOf(events, { kind: 'issued', refreshToken: id })?.at
  const ended = lastOf(events, { kind: 'ended', consentId: id })
  return ended ? undefined : lastOf(events, { kind: 'created', consentId: id })?.at
}
