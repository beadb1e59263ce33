import { member } from '../judge/data-rows.ts'
import { parsedJson } from '../record/json.ts'
import { createBodies } from '../wire/bodies.ts'
import { type Exchange, header } from '../wire/exchange.ts'
import { isPassing } from '../wire/retry-after.ts'
import { type Operation, operationsOf } from './operations.ts'
import { createOverlaps } from './order.ts'
import { isRedacted, type Judgeable, type Lack, type Recorded } from './recorded.ts'
import type { RecordingTarget } from './recording-target.ts'
import { createSessions } from './sessions.ts'

/** After this number of exchanges the memory of bodies is cleared: repetitions come soon after each other. */
const BODIES = 2000

/** Query parameters that the documents show for data. */
const SHOWN = ['fromBookingDateTime', 'toBookingDateTime']

/** Headers that request a part of an answer, or an answer only if something changed. */
const CONDITIONAL = /^(?:range|if-(?:match|none-match|modified-since|unmodified-since|range))$/i

/** Endpoints whose rules read the request body. */
const WITH_JSON = ['create-account-access-consent', 'create-funds-confirmation-consent']

/**
 * Converts recorded exchanges, in their order, to exchanges that can be judged: it derives the operation, what the
 * sender knew, and what the recording does not show.
 */
export function createExchanges(target: RecordingTarget) {
  const operations = operationsOf(target.endpoints)
  const sessions = createSessions(target)
  const overlaps = createOverlaps()
  const creations = new Set<string>()
  let bodies = createBodies()
  let count = 0

  const plainOf = (recorded: Recorded, id: string): Exchange => {
    const { method, url, requestHeaders, requestBody, response, failure, own } = recorded
    count += 1
    if (count % BODIES === 0) bodies = createBodies()
    const { endpoint, subject }: Operation = own ?? operations.operationOf(method, url)
    const type = response?.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]
    const kept = response && bodies.keep(bytesOf(response.body), type)
    return {
      id,
      endpoint,
      about: own?.about ?? { ...(subject !== undefined && { subject }) },
      startedAt: new Date(recorded.at).toISOString(),
      durationMs: Math.round(recorded.durationMs * 10) / 10,
      request: {
        method,
        url,
        headers: requestHeaders,
        ...(requestBody !== undefined && { body: requestBody }),
      },
      ...(response &&
        kept && {
          response: {
            status: response.status,
            headers: response.headers,
            ...kept,
            ...(own && { bytes: response.bytes }),
          },
        }),
      ...(failure && { failure }),
      connection: own?.connection ?? {
        ...recorded.connection,
        identity: recorded.connection?.identity ?? 'unknown',
      },
      ...(own?.retriedBy !== undefined && { retriedBy: own.retriedBy }),
      ...(own?.unavailable !== undefined && { unavailable: own.unavailable }),
    }
  }

  /** For exchanges that others sent: their purpose was not recorded. */
  const foreign = (recorded: Recorded, exchange: Exchange, lacks: Set<Lack>) => {
    const { about, request, response } = exchange
    lacks.add('what became of a refused access token')
    if (request.headers.some(([name]) => CONDITIONAL.test(name))) {
      about.deviation = 'a request for a part of an answer, or for what has changed'
    }
    if (isOfData(exchange) && asksForMore(request.url)) about.open = true
    lackOfBodies(recorded, exchange, lacks)
    if (!agreesWithDate(exchange, target.clockTolerance)) {
      lacks.add('a clock that agrees with the bank’s')
    }
    Object.assign(about, sessions.aboutOf(exchange, lacks))
    if (overlaps(thingOf(exchange), recorded) || isTwice(exchange)) {
      lacks.add('the order of requests at the same time')
    }
    // It is unknown whether the request was sent again: a temporary answer says nothing about the bank.
    if (response && isPassing(exchange)) exchange.retriedBy = 'unknown'
  }

  /** True if a creation was recorded twice: in two files, or by a bank that answers a repetition as before. */
  const isTwice = ({ endpoint, response }: Exchange): boolean => {
    if (!WITH_JSON.includes(endpoint) || !response?.body) return false
    const before = creations.has(response.body)
    creations.add(response.body)
    return before
  }

  return {
    operations,
    /** Converts an exchange. `counts` is false if it is not an operation of the documents and ends no visit. */
    judgeable(recorded: Recorded, id: string): Judgeable & { counts: boolean } {
      const exchange = plainOf(recorded, id)
      const lacks = new Set(recorded.lacks)
      if (recorded.own) return { exchange, lacks, counts: true }
      exchange.about.recorded = recorded.where
      foreign(recorded, exchange, lacks)
      const counts = exchange.endpoint !== 'elsewhere' || exchange.about.visit !== undefined
      return { exchange, lacks, counts }
    },
    /** Learns from an exchange what later ones need. */
    learn(exchange: Exchange): void {
      if (exchange.endpoint === 'discovery') {
        operations.learnKeys(member(exchange.response?.json, 'jwks_uri'))
      }
      if (exchange.about.recorded !== undefined) sessions.learn(exchange)
    },
  }
}

const bytesOf = (body: string | Buffer) => (typeof body === 'string' ? Buffer.from(body) : body)

/** True if it has a query parameter that the documents do not show. */
function asksForMore(url: string): boolean {
  if (!url.includes('?')) return false
  return [...new URL(url).searchParams.keys()].some((name) => !SHOWN.includes(name))
}

const isOfData = ({ endpoint }: Exchange) => /^(?:account|balances|transactions)/.test(endpoint)

/** The subject of a request: rules do not compare answers to simultaneous requests with the same subject. */
function thingOf({ endpoint, about, request }: Exchange): string {
  if (endpoint === 'elsewhere' || endpoint === 'authorisation')
    return about.visit?.nonce ?? request.url
  if (about.consent) return `${about.consent.id} ${endpoint} ${about.subject ?? ''}`
  // Keys and configuration belong to the bank, whoever reads them.
  if (['token', 'jwks', 'discovery'].includes(endpoint)) return 'keys'
  return `${endpoint} ${about.subject ?? ''}`
}

/** Notes bodies that are incomplete or absent. */
function lackOfBodies(recorded: Recorded, exchange: Exchange, lacks: Set<Lack>): void {
  const { request, response, endpoint } = exchange
  const isUnreadable = (body: string) => parsedJson(body) === undefined || isRedacted(body)
  if (WITH_JSON.includes(endpoint) && isUnreadable(request.body ?? '')) {
    lacks.add('the whole body of the request')
  }
  if (endpoint === 'token' && !request.body?.includes('grant_type')) {
    lacks.add('the whole body of the request')
  }
  if (!response) return
  const { status, bytes, json, body } = response
  const length = header(exchange, 'content-length')
  if (status === 204 || status === 304) return
  if (bytes === 0) {
    const isEmpty = length === '0' || recorded.response?.declared === 0
    if (!isEmpty && (status < 300 || status > 399)) lacks.add('the whole body of the response')
    return
  }
  const isPart = status === 206 || (body.length < 200 && !body.startsWith('{') && isRedacted(body))
  const encoded = header(exchange, 'content-encoding') !== undefined
  const declared = recorded.response?.declared ?? (encoded ? undefined : Number(length))
  if (isPart || (json === undefined && declared !== bytes))
    lacks.add('the whole body of the response')
}

/** True if the clock of the recording agrees with the bank's, where an answer gives the bank's time. */
function agreesWithDate(exchange: Exchange, tolerance: number): boolean {
  const date = Date.parse(header(exchange, 'date') ?? '')
  if (Number.isNaN(date)) return true
  const from = Date.parse(exchange.startedAt) - tolerance * 1000
  return date >= from && date <= from + exchange.durationMs + 2000 * tolerance + 1000
}
