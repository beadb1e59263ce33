import { isObject } from '../record/json.ts'
import { percentDecoded } from '../record/percent.ts'
import { DATA, type DataEndpoint } from '../wire/exchange.ts'
import { claimsOf } from '../wire/jwt-decode.ts'
import type { Move } from './moves.ts'
import type { Happened, Outcome } from './world.ts'

/** A move with a consent and its outcome, as exchanges show it. */
export type RecordedMove = Happened & {
  /** ConsentId */
  consent: string
}

/** What is known about a consent while exchanges are read. */
interface Known {
  /** The client that created it. */
  client: unknown
  /** True if an answer showed that its customer revoked it. */
  revoked: boolean
  visits: number
}

/** The parts of an exchange that are read, before redaction. */
export interface SeenExchange {
  endpoint: string
  about: object
  request: { url: string; body?: string }
  response?: { status: number; headers: [string, string][]; body: string }
}

/**
 * Reads exchanges in order and returns the moves that each shows, for consents that were created among them. The client
 * that created a consent is the first, any other is the second; an unrecorded sender counts as the first. Every visitor
 * is the first customer. A revocation by the customer is known from the first answer that shows it.
 */
export function recordedMoves(): (exchange: SeenExchange) => RecordedMove[] {
  const known = new Map<string, Known>()
  return (exchange) => {
    const id = consentIdOf(exchange)
    if (id === undefined) return []
    if (CREATIONS.includes(exchange.endpoint) && !known.has(id)) {
      known.set(id, { client: clientOf(exchange), revoked: false, visits: 0 })
    }
    const of = known.get(id)
    const move = of && moveIn(exchange, id, of)
    if (!move) return []
    const refreshable =
      exchange.endpoint === 'token' && exchange.response?.body.includes('"refresh_token"') === true
    const made = { consent: id, move, outcome: outcomeIn(exchange, move), refreshable }
    if (of.revoked || move.do !== 'query' || dataOf(exchange).Status !== 'Revoked') return [made]
    of.revoked = true
    const revocation: Move = { do: 'fact', fact: 'customer-revokes', consent: id }
    return [{ consent: id, move: revocation, outcome: 'given' }, made]
  }
}

const CREATIONS = ['create-account-access-consent', 'create-funds-confirmation-consent']
const QUERY = 'query-account-access-consent'
const DELETIONS = ['delete-account-access-consent', 'delete-funds-confirmation-consent']

function consentIdOf(exchange: SeenExchange): string | undefined {
  const { endpoint, about, response, request } = exchange
  if (CREATIONS.includes(endpoint)) {
    if (response?.status !== 201) return undefined
    return text(dataOf(exchange).ConsentId)
  }
  if (endpoint === QUERY || DELETIONS.includes(endpoint)) {
    return (
      text((about as Record<string, unknown>).subject) ??
      percentDecoded(request.url.split(/[?#]/)[0]?.split('/').at(-1) ?? '')
    )
  }
  const { consent, subject } = about as Record<string, unknown>
  return idIn(consent) ?? text(subject) ?? consentSeen(about) ?? intentIn(exchange)
}

/** What the host of a certification knows about a request: its consent, or that of its token or code. */
function consentSeen(about: object): string | undefined {
  const { consent, token, code } = seenIn(about)
  return (
    idIn(consent) ??
    (isObject(token) ? text(token.consentId) : undefined) ??
    (isObject(code) ? text(code.consentId) : undefined)
  )
}

function seenIn(about: object): Record<string, unknown> {
  const { seen } = about as Record<string, unknown>
  return isObject(seen) ? seen : {}
}

const clientOf = ({ about }: SeenExchange): unknown =>
  (about as Record<string, unknown>).client ?? seenIn(about).clientId

const idIn = (value: unknown) => (isObject(value) ? text(value.id) : undefined)

/** The consent of an ID token in a fragment. */
function intentIn(exchange: SeenExchange): string | undefined {
  const [, token] = /[?&#]id_token=([^&]+)/.exec(locationOf(exchange)) ?? []
  return token === undefined ? undefined : text(claimsOf(token)?.openbanking_intent_id)
}

function moveIn(exchange: SeenExchange, consent: string, of: Known): Move | undefined {
  const { endpoint, request } = exchange
  const by = clientOf(exchange)
  const client = by === undefined || by === of.client ? 'first' : 'second'
  if (endpoint === 'create-account-access-consent') {
    return { do: 'create', consent, client, permissions: [] }
  }
  if (endpoint === 'create-funds-confirmation-consent')
    return { do: 'create-funds', consent, client }
  if (endpoint === QUERY) return { do: 'query', consent, client }
  if (DELETIONS.includes(endpoint)) return { do: 'delete', consent, client }
  if (endpoint === 'token') {
    const grant = /\bgrant_type=(\w+)/.exec(request.body ?? '')?.[1]
    if (grant === 'refresh_token') return { do: 'refresh', consent, client }
    return grant === 'authorization_code'
      ? { do: 'exchange', code: codeOf(consent, of), client }
      : undefined
  }
  if (isVisitsEnd(exchange)) {
    const denied = /[?&#]error=access_denied/.test(locationOf(exchange))
    of.visits += 1
    const code = codeOf(consent, of)
    return denied
      ? { do: 'deny', consent, client, customer: 'first' }
      : { do: 'approve', consent, client, customer: 'first', code }
  }
  const what = DATA.find((each): each is DataEndpoint => each === endpoint)
  return what && { do: 'read', what, consent, present: true }
}

/** The code of the consent's last visit. */
const codeOf = (consent: string, { visits }: Known) => `${consent} ${visits}`

/** True if the answer sends a customer back to the client. */
function isVisitsEnd(exchange: SeenExchange): boolean {
  const { visit } = exchange.about as Record<string, unknown>
  const uri = isObject(visit) ? text(visit.redirectUri) : undefined
  if (uri !== undefined) return locationOf(exchange).startsWith(uri)
  return intentIn(exchange) !== undefined
}

const locationOf = ({ response }: SeenExchange): string =>
  response?.headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? ''

function outcomeIn(exchange: SeenExchange, { do: kind }: Move): Outcome {
  const status = exchange.response?.status
  if (kind === 'approve') return /[?&#]code=/.test(locationOf(exchange)) ? 'given' : 'refused'
  if (kind === 'deny') return 'refused'
  if (status === undefined || status === 429 || status >= 500) return 'unknown'
  return status < 300 ? 'given' : 'refused'
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** `Data` of an answer; empty if there is none. */
function dataOf({ response }: SeenExchange): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(response?.body ?? '')
    return isObject(json) && isObject(json.Data) ? json.Data : {}
  } catch {
    return {}
  }
}
