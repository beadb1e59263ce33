import type { Seen } from '../../../engine/suite-api/certification.ts'
import { claimsOf, headerOf } from '../../../engine/suite-api/jwt.ts'
import type { Endpoint, Exchange } from '../../../engine/suite-api/responses.ts'

export { DATA } from '../../../engine/suite-api/responses.ts'

type Json = Record<string, unknown>

/** The endpoints at which consents are managed. */
export const CONSENTS: readonly Endpoint[] = [
  'create-account-access-consent',
  'query-account-access-consent',
  'delete-account-access-consent',
  'create-funds-confirmation-consent',
  'delete-funds-confirmation-consent',
]

export const CREATIONS: readonly Endpoint[] = [
  'create-account-access-consent',
  'create-funds-confirmation-consent',
]

/** What the bank knew when it got a request; every exchange of a certification has it. */
export function seenOf({ about }: Exchange): Seen {
  if (!about.seen) throw new TypeError('an exchange that did not reach the bank')
  return about.seen
}

/** When it was answered, in milliseconds since 1970. */
export const endOf = ({ startedAt, durationMs }: Exchange) => Date.parse(startedAt) + durationMs

/** Milliseconds that a busy machine may take to accept a connection. */
const ACCEPTING = 100

/**
 * Was it sent when the other one was answered already? A request on a connection that the client opened before that was on
 * its way.
 */
export function isSentAfter(exchange: Exchange, other: Exchange): boolean {
  const { acceptedAt = Number.POSITIVE_INFINITY } = seenOf(exchange)
  const sentAt = Math.min(acceptedAt - ACCEPTING, Date.parse(exchange.startedAt))
  return sentAt >= Math.floor(endOf(other))
}

/** A header of the request, in any case; several lines of it form one list (RFC 9110 5.3). */
export function sent({ request }: Exchange, name: string): string | undefined {
  const lines = request.headers.filter(([key]) => key.toLowerCase() === name)
  return lines.length === 0 ? undefined : lines.map(([, value]) => value).join(', ')
}

/** The media types that a header names, without their parameters. */
export const mediaTypes = (header: string | undefined): string[] =>
  (header ?? '').split(',').map((each) => each.split(';')[0]?.trim().toLowerCase() ?? '')

/** Caches what is read from an exchange: rules read all earlier ones again and again. */
export function readOnce<Value>(
  read: (exchange: Exchange) => Value,
): (exchange: Exchange) => Value {
  const known = new WeakMap<Exchange, { value: Value }>()
  return (exchange) => {
    const before = known.get(exchange) ?? { value: read(exchange) }
    known.set(exchange, before)
    return before.value
  }
}

/** How many exchanges a search may hold beyond the number of earlier ones. */
const BEYOND = 1000

interface SearchOptions<Held> {
  /** What is held of an exchange. Default: the exchange. */
  hold(exchange: Exchange): Held
  /** How many are held at least, also when they are no longer among the earlier ones. */
  least: number
}

/**
 * Finds earlier exchanges by keys read from them, without going through all of them for each request.
 *
 * @param keysOf the keys of an exchange; it may have none
 * @returns the earlier exchanges with a key, in their order; may include some that are no longer in `earlier`
 */
export function searched<Held = Exchange>(
  keysOf: (exchange: Exchange) => Iterable<unknown>,
  { hold = (exchange) => exchange as Held, least = 0 }: Partial<SearchOptions<Held>> = {},
) {
  const searches = new WeakMap<readonly Exchange[], Search<Held>>()
  return (earlier: readonly Exchange[], key: unknown): readonly Held[] => {
    const known = searches.get(earlier)
    const isFull = known !== undefined && known.held > Math.max(least, 2 * earlier.length + BEYOND)
    const search: Search<Held> = known && !isFull ? known : { held: 0, byKey: new Map() }
    searches.set(earlier, search)
    const from = search.last === undefined ? 0 : earlier.lastIndexOf(search.last) + 1
    for (const exchange of earlier.slice(from)) {
      search.held += 1
      for (const each of keysOf(exchange)) {
        const same = search.byKey.get(each)
        if (same) same.push(hold(exchange))
        else search.byKey.set(each, [hold(exchange)])
      }
    }
    search.last = earlier.at(-1)
    return search.byKey.get(key) ?? []
  }
}

interface Search<Held> {
  /** The last exchange that was added. */
  last?: Exchange
  /** How many were added. */
  held: number
  byKey: Map<unknown, Held[]>
}

/** The value, if it is defined, as the keys of a search. */
export const some = (value: unknown): unknown[] => (value === undefined ? [] : [value])

/** The form of a token request. */
export const formOf = readOnce(({ request }) => new URLSearchParams(request.body ?? ''))

export const queryOf = readOnce(({ request }) => new URL(request.url).searchParams)

/** RFC 7515 3.1: nothing surrounds a JWS, not even quotes. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/

/** Header and claims of a JWT; undefined for any other text. */
export function decoded(
  jwt: string | null | undefined,
): { header: Json; claims: Json } | undefined {
  if (!COMPACT.test(jwt ?? '')) return undefined
  const header = headerOf(jwt ?? '')
  const claims = claimsOf(jwt ?? '')
  return header && claims ? { header, claims } : undefined
}

/** The request object of an authorisation request. */
export const requestObjectOf = readOnce((exchange) => decoded(queryOf(exchange).get('request')))

/** The scopes that an authorisation request names, in the query or in the object: the query may have openid alone. */
export const scopesOf = (exchange: Exchange): string[] => [
  ...new Set([
    ...words(queryOf(exchange).get('scope')),
    ...words(requestObjectOf(exchange)?.claims.scope),
  ]),
]

/** The client assertion of a token request. */
export const assertionOf = readOnce((exchange) => decoded(formOf(exchange).get('client_assertion')))

/** The JWT of a registration. */
export const registrationOf = readOnce(({ request }) => decoded(request.body?.trim()))

export const words = (value: unknown): string[] =>
  typeof value === 'string' ? value.split(' ').filter(Boolean) : []

export const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

/** Text of a value for a report. */
export const shown = (value: unknown): string =>
  value === undefined || value === null ? 'nothing' : JSON.stringify(value)

/** No finding if `holds`, otherwise this one. */
export function unless(
  holds: boolean,
  finding: { message: string; expected: string; actual: string },
) {
  return holds ? [] : [finding]
}

/** "The data access text spells the second one with an s": AMB-01. */
export const SPELT_OTHERWISE = 'ReadAccountsDetails'

/**
 * The finding for parameters of which one is there more than once (RFC 6749 3.1 and 3.2).
 *
 * @param place where they stand: `the query`
 */
export function unlessOnceEach(parameters: URLSearchParams, place: string) {
  const names = [...parameters.keys()]
  const twice = new Set(names.filter((name, index) => names.indexOf(name) < index))
  return unless(twice.size === 0, {
    message: `a parameter is in ${place} more than once`,
    expected: 'each parameter once',
    actual: [...twice].join(', '),
  })
}
