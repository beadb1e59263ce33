import type { CustomerName, HookName } from '../../configuration/target.ts'
import { member } from '../../judge/data-rows.ts'
import { succeeded } from '../../judge/matchers.ts'
import { now } from '../../record/clock.ts'
import type { Exchange } from '../../wire/exchange.ts'
import type { HookSubject } from '../hooks.ts'
import type { TokenSet } from '../tokens.ts'

/** What can happen to an approval or a token. */
interface Happenings {
  /** A customer approved a consent for a client at the bank; this is the resulting code. */
  approved: { code: string; customer: CustomerName; clientId?: string; consentId: string }
  /** The bank has registered the client. */
  registered: { clientId: string }
  /** The bank has created the consent, of either kind. */
  created: { consentId: string }
  /** From now on, checks can use the approval. */
  given: { name: string; client: string; customer: CustomerName; consentId: string }
  /**
   * A token response contained an access token. `customer`: who approved what its code was issued for. `expiresIn`:
   * seconds, 0 if the bank did not say.
   */
  issued: {
    token: string
    client: string
    clientId?: string
    grant: string
    code: string
    customer?: CustomerName
    expiresIn: number
    /** The refresh token beside it. */
    refreshToken?: string
  }
  /** A token request with the code of an approval gave no token. */
  'code refused': { code: string }
  /** From now on, these tokens are sent: for a consent, or for what else the key names. */
  'in use': { key: string; tokens: TokenSet }
  /** A correct data request under a consent succeeded. */
  read: { consentId: string }
  /** A token of the consent was refused before its time. */
  refused: { consentId: string }
  /** The run has ended the consent: it deleted it, or had it revoked or expired. */
  ended: { consentId: string }
  /** A hook made the access token expire. */
  expired: { token: string }
  /** The bank refused a token of this client after it had issued a newer one. */
  superseded: { client: string }
  /** A second token was refused as well: no other is tried for requests of this kind. */
  'no help': { request: string }
}

type Kind = keyof Happenings
type Happening = { [K in Kind]: { kind: K } & Happenings[K] }[Kind]

/** `at`: milliseconds since the epoch. */
export type Event = Happening & { at: number }
export type EventOf<K extends Kind> = { kind: K; at: number } & Happenings[K]
type Like<K extends Kind> = { kind: K } & Partial<Happenings[K]>

/** All events so far, in the order in which the run learnt of them. */
export type Events = readonly Event[]

export type Ledger = ReturnType<typeof createLedger>

/** The only list of what a run knows about its approvals and tokens; all questions about it are pure functions. */
export function createLedger() {
  const events: Event[] = []
  const add = (happening: Happening, at = now()): void => {
    events.push({ ...happening, at })
  }
  return {
    events: events as Events,
    add,
    /** Adds the events that follow from an exchange. */
    note(exchange: Exchange): void {
      for (const happening of toldBy(exchange, events))
        add(happening, Date.parse(exchange.startedAt))
    },
    /** Adds the event that a hook is about to cause. */
    noteHook(name: HookName, { accessToken, consentId }: HookSubject): void {
      const ofToken = name === 'token-expired'
      if (ofToken && accessToken !== undefined) add({ kind: 'expired', token: accessToken })
      if (!ofToken && consentId !== undefined) add({ kind: 'ended', consentId })
    },
  }
}

/** The events of approvals and tokens that an exchange shows. */
export function toldBy(exchange: Exchange, events: Events): Happening[] {
  const { endpoint, about, request, response } = exchange
  const own = about.approval !== undefined && about.deviation === undefined
  const told: Happening[] = []
  if (own && about.consent && succeeded(exchange)) {
    told.push({ kind: 'read', consentId: about.consent.id })
  }
  const made = succeeded(exchange) ? madeBy(exchange) : undefined
  if (made) told.push(made)
  const deletes = /^delete-.*-consent$/.test(endpoint) && succeeded(exchange)
  if (deletes && about.subject !== undefined) told.push({ kind: 'ended', consentId: about.subject })
  if (endpoint !== 'token') return told
  const form = new URLSearchParams(request.body ?? '')
  const code = form.get('code') ?? ''
  const customer = lastOf(events, { kind: 'approved', code })?.customer
  const token = member(response?.json, 'access_token')
  if (typeof token !== 'string' || !succeeded(exchange)) {
    return customer ? [...told, { kind: 'code refused', code }] : told
  }
  const client = about.client ?? 'first'
  const clientId = about.registered?.clientId
  const grant = form.get('grant_type') ?? ''
  const expiresIn = Number(member(response?.json, 'expires_in')) || 0
  const refreshToken = member(response?.json, 'refresh_token')
  const beside = typeof refreshToken === 'string' && { refreshToken }
  const issued = { token, client, clientId, grant, code, customer, expiresIn, ...beside }
  return [...told, { kind: 'issued', ...issued }]
}

/** What a successful answer of the bank says that it has made, tokens apart. */
function madeBy({ endpoint, response }: Exchange): Happening | undefined {
  const consentId = member(response?.json, 'Data', 'ConsentId')
  const clientId = member(response?.json, 'client_id')
  if (/^create-.*-consent$/.test(endpoint) && typeof consentId === 'string') {
    return { kind: 'created', consentId }
  }
  if (endpoint !== 'registration' || typeof clientId !== 'string') return undefined
  return { kind: 'registered', clientId }
}

/** The events with all these members. */
export function allOf<K extends Kind>(events: Events, like: Like<K>) {
  return events.filter(resembling<K>(like))
}

/** The last event with all these members. */
export function lastOf<K extends Kind>(events: Events, like: Like<K>) {
  return events.findLast(resembling<K>(like))
}

function resembling<K extends Kind>(like: Like<K>) {
  const wanted = Object.entries(like)
  return (event: Event): event is Event & EventOf<K> =>
    event.kind === like.kind &&
    wanted.every(([name, value]) => event[name as keyof Event] === value)
}

/** The tokens that are sent for a consent, or for what else the key names. */
export function inUse(events: Events, key: string): TokenSet | undefined {
  return lastOf(events, { kind: 'in use', key })?.tokens
}
