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

/** What the bank knew of a request; every exchange of a certification has it. */
export function seenOf({ about }: Exchange): Seen {
  if (!about.seen) throw new TypeError('an exchange that no bank saw')
  return about.seen
}

/** When it was answered, in milliseconds since 1970. */
export const endOf = ({ startedAt, durationMs }: Exchange) => Date.parse(startedAt) + durationMs

/** A header of the request, whatever its case; several lines of it are one list (RFC 9110 5.3). */
export function sent({ request }: Exchange, name: string): string | undefined {
  const lines = request.headers.filter(([key]) => key.toLowerCase() === name)
  return lines.length === 0 ? undefined : lines.map(([, value]) => value).join(', ')
}

/** The media types that a header names, without their parameters. */
export const mediaTypes = (header: string | undefined): string[] =>
  (header ?? '').split(',').map((each) => each.split(';')[0]?.trim().toLowerCase() ?? '')

/** What is read out of an exchange, once: rules look at all earlier ones again and again. */
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

/** Exchanges that a search may hold beyond those that are looked back at. */
const BEYOND = 1000

/**
 * Finds earlier exchanges by what is read out of them, without going through all of them for each request.
 *
 * @param keysOf what an exchange is found by; none: by nothing
 * @returns the earlier exchanges that have a key, in their order; those that nobody looks back at any more may be among them
 */
export function searched(keysOf: (exchange: Exchange) => Iterable<unknown>) {
  const searches = new WeakMap<readonly Exchange[], Search>()
  return (earlier: readonly Exchange[], key: unknown): readonly Exchange[] => {
    const known = searches.get(earlier)
    const isFull = known !== undefined && known.held > 2 * earlier.length + BEYOND
    const search: Search = known && !isFull ? known : { held: 0, byKey: new Map() }
    searches.set(earlier, search)
    const from = search.last === undefined ? 0 : earlier.lastIndexOf(search.last) + 1
    for (const exchange of earlier.slice(from)) {
      search.held += 1
      for (const each of keysOf(exchange)) {
        const same = search.byKey.get(each)
        if (same) same.push(exchange)
        else search.byKey.set(each, [exchange])
      }
    }
    search.last = earlier.at(-1)
    return search.byKey.get(key) ?? []
  }
}

interface Search {
  /** The last exchange that was taken in. */
  last?: Exchange
  /** How many were. */
  held: number
  byKey: Map<unknown, Exchange[]>
}

/** What is there, as the keys of a search. */
export const some = (value: unknown): unknown[] => (value === undefined ? [] : [value])

/** The form of a token request. */
export const formOf = readOnce(({ request }) => new URLSearchParams(request.body ?? ''))

export const queryOf = readOnce(({ request }) => new URL(request.url).searchParams)

/** RFC 7515 3.1: nothing stands around a JWS, no quotes either. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/

/** Header and claims of a JWT; undefined when it is none. */
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

/** One finding, or none when `holds`. */
export function unless(
  holds: boolean,
  finding: { message: string; expected: string; actual: string },
) {
  return holds ? [] : [finding]
}

/** "The data access text spells the second one with an s": AMB-01. */
export const SPELT_OTHERWISE = 'ReadAccountsDetails'
