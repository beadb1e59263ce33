import type { ExchangeRecord } from '../record/exchange-record.ts'
import { isObject } from '../record/json.ts'
import { percentDecoded } from '../record/percent.ts'
import { DATA, type DataEndpoint } from '../wire/exchange.ts'
import type { Move } from './moves.ts'
import type { Happened, Outcome } from './world.ts'

/** What was done with a consent, and what came of it, as the records of exchanges show it. */
export type RecordedMove = Happened & {
  /** ConsentId */
  consent: string
}

/** What is known of a consent while records are read. */
interface Known {
  /** The client that created it. */
  client: unknown
  /** Was it seen to have been revoked by its customer? */
  revoked: boolean
  visits: number
}

/**
 * The moves that records of exchanges show, of consents that were created among them. The client that created a consent is
 * the first, any other the second; whoever visited is the first customer. That its customer revoked a consent is known from
 * the first answer that shows it.
 */
export function* recordedMoves(records: Iterable<ExchangeRecord>): Generator<RecordedMove> {
  const known = new Map<string, Known>()
  for (const record of records) {
    const id = consentIdOf(record)
    if (id === undefined) continue
    if (CREATIONS.includes(record.endpoint) && !known.has(id)) {
      known.set(id, { client: record.about.client, revoked: false, visits: 0 })
    }
    const of = known.get(id)
    if (!of) continue
    const move = moveIn(record, id, of)
    if (!move) continue
    if (!of.revoked && move.do === 'query' && statusShown(record) === 'Revoked') {
      of.revoked = true
      const revocation: Move = { do: 'fact', fact: 'customer-revokes', consent: id }
      yield { consent: id, move: revocation, outcome: 'given' }
    }
    const refreshable = record.response?.body.includes('"refresh_token"') === true
    yield { consent: id, move, outcome: outcomeIn(record, move), refreshable }
  }
}

const CREATIONS = ['create-account-access-consent', 'create-funds-confirmation-consent']
const QUERY = 'query-account-access-consent'
const DELETIONS = ['delete-account-access-consent', 'delete-funds-confirmation-consent']

function consentIdOf(record: ExchangeRecord): string | undefined {
  const { endpoint, about, response, request } = record
  if (CREATIONS.includes(endpoint)) {
    if (response?.status !== 201) return undefined
    return text(dataOf(record).ConsentId)
  }
  if (endpoint === QUERY || DELETIONS.includes(endpoint)) {
    return (
      text(about.subject) ?? percentDecoded(request.url.split(/[?#]/)[0]?.split('/').at(-1) ?? '')
    )
  }
  const { consent } = about
  return (isObject(consent) ? text(consent.id) : undefined) ?? text(about.subject)
}

function moveIn(record: ExchangeRecord, consent: string, of: Known): Move | undefined {
  const { endpoint, about, request } = record
  const client = about.client === of.client ? 'first' : 'second'
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
  if (isVisitsEnd(record)) {
    const denied = /[?&#]error=access_denied/.test(locationOf(record))
    of.visits += 1
    const code = codeOf(consent, of)
    return denied
      ? { do: 'deny', consent, client, customer: 'first' }
      : { do: 'approve', consent, client, customer: 'first', code }
  }
  const what = DATA.find((each): each is DataEndpoint => each === endpoint)
  return what && { do: 'read', what, consent, present: true }
}

/** The code of its last visit. */
const codeOf = (consent: string, { visits }: Known) => `${consent} ${visits}`

/** Does the answer send a customer back to the client? */
function isVisitsEnd(record: ExchangeRecord): boolean {
  const { visit } = record.about
  const uri = isObject(visit) ? text(visit.redirectUri) : undefined
  return uri !== undefined && locationOf(record).startsWith(uri)
}

const locationOf = ({ response }: ExchangeRecord): string =>
  response?.headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? ''

function outcomeIn(record: ExchangeRecord, { do: kind }: Move): Outcome {
  const status = record.response?.status
  if (kind === 'approve') return /[?&#]code=/.test(locationOf(record)) ? 'given' : 'refused'
  if (kind === 'deny') return 'refused'
  if (status === undefined || status === 429 || status >= 500) return 'unknown'
  return status < 300 ? 'given' : 'refused'
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const statusShown = (record: ExchangeRecord) => dataOf(record).Status

/** `Data` of an answer; empty where there is none. */
function dataOf({ response }: ExchangeRecord): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(response?.body ?? '')
    return isObject(json) && isObject(json.Data) ? json.Data : {}
  } catch {
    return {}
  }
}
