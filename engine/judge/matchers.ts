import { type Endpoint, type Exchange, header, refusesConnection } from '../wire/exchange.ts'
import { acceptanceOf, answerOf, answerWith, insteadOf, notJson } from './answer-words.ts'
import { brief } from './brief.ts'
import {
  member,
  missingFrom,
  placeOf,
  presentIn,
  type Row,
  rowsOf,
  rowWords,
  sameIdOtherwise,
  transactionKey,
} from './data-rows.ts'
import type { Finding } from './rule.ts'

export function succeeded(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0
  return status >= 200 && status < 300
}

/**
 * True for a visible refusal: an error status, a redirect to a page or the page itself (AMB-41), a TLS alert that refuses the certificate,
 * or a connection that was cut while the same listener answered before and after. Silence or a cut connection alone is
 * not a refusal: it may be a fault.
 */
export function refused(exchange: Exchange): boolean {
  const { response, failure, unavailable } = exchange
  if (unavailable !== undefined) return false
  if (response) return response.status >= 300 || isRefusalPage(exchange)
  return failure !== undefined && refusesConnection(failure)
}

/** Endpoints whose answers are pages, or public. */
const OF_PAGES: readonly Endpoint[] = [
  'authorisation',
  'elsewhere',
  'products',
  'discovery',
  'jwks',
]

/** A page in place of the JSON of an endpoint: a firewall answers a wrong request so, often with status 200. */
function isRefusalPage(exchange: Exchange): boolean {
  const { about, endpoint, response } = exchange
  if (about.deviation === undefined || OF_PAGES.includes(endpoint)) return false
  return (
    response?.json === undefined && /^text\/html\b/i.test(header(exchange, 'content-type') ?? '')
  )
}

function givesToken(exchange: Exchange): boolean {
  const token = member(exchange.response?.json, 'access_token')
  return succeeded(exchange) && typeof token === 'string' && token !== ''
}

function bodyOf(exchange: Exchange): string {
  const { bytes } = exchange.response ?? {}
  if (bytes === undefined) return answerOf(exchange)
  return `${bytes} bytes, content-type ${header(exchange, 'content-type') ?? 'absent'}`
}

/** Matchers are pure: they return what is wrong with an exchange, or undefined. */
export const matchers = {
  toHaveStatus(exchange: Exchange, ...statuses: number[]): Finding | undefined {
    if (exchange.response && statuses.includes(exchange.response.status)) return undefined
    const expected = statuses.join(' or ')
    return { message: insteadOf(expected, exchange), expected, actual: answerWith(exchange) }
  },

  /** Any 2xx. */
  toSucceed(exchange: Exchange): Finding | undefined {
    if (succeeded(exchange)) return undefined
    const message = insteadOf('a success', exchange)
    return { message, expected: '2xx', actual: answerWith(exchange) }
  },

  /** An error status or a refusal of the connection. */
  toBeRefused(exchange: Exchange): Finding | undefined {
    if (refused(exchange)) return undefined
    const expected = 'an error status or a refused connection'
    return { message: acceptanceOf(exchange), expected, actual: answerOf(exchange) }
  },

  /** A response with a token; other members of it are not judged. */
  toGiveAToken(exchange: Exchange): Finding | undefined {
    if (givesToken(exchange)) return undefined
    const actual = `${answerOf(exchange)} without access_token`
    return { message: 'no access token came', expected: 'an access token', actual }
  },

  /** No access token came, and the bank refused visibly: a time-out shows nothing. */
  toGiveNoToken(exchange: Exchange): Finding | undefined {
    if (exchange.response ? !givesToken(exchange) : refused(exchange)) return undefined
    const actual = exchange.response ? 'an access token' : answerOf(exchange)
    return { message: acceptanceOf(exchange), expected: 'no access token', actual }
  },

  /** A refusal of the HTTP request itself: an error status. */
  toBeAnError(exchange: Exchange): Finding | undefined {
    if (exchange.response && refused(exchange)) return undefined
    const actual = answerOf(exchange)
    const message = `answered ${actual} instead of an error`
    return { message, expected: 'an error status', actual }
  },

  /** All of these rows, each as often as given. */
  toHoldRows(exchange: Exchange, rows: Row[], key = transactionKey): Finding | undefined {
    const there = rowsOf(exchange)
    const missing = missingFrom(there, rows, key)
    const [first] = missing
    if (!first) return undefined
    const other = sameIdOtherwise(there, first)
    const counted = `${missing.length} of ${rows.length} rows are`
    return {
      message: other
        ? `${counted} not shown as before: ${other.names} differs`
        : `${counted} missing`,
      expected: `the row ${rowWords(first)}`,
      actual: other ? `the row ${rowWords(other.row)}` : `${there.length} rows without it`,
    }
  },

  toHoldNoneOf(exchange: Exchange, rows: Row[], key = transactionKey): Finding | undefined {
    const present = presentIn(rowsOf(exchange), rows, key)
    if (present.length === 0) return undefined
    const index = rowsOf(exchange).indexOf(present[0] as Row)
    return {
      message: `${present.length} rows should not be there`,
      expected: 'an answer without them',
      actual: `row ${index}: ${rowWords(present[0])}`,
      ...placeOf(exchange, index),
    }
  },

  /** Every row meets the condition; `what` describes it in words. */
  toHoldOnly(
    exchange: Exchange,
    what: string,
    condition: (row: Row) => boolean,
  ): Finding | undefined {
    const index = rowsOf(exchange).findIndex((row) => !condition(row))
    if (index < 0) return undefined
    return {
      message: `row ${index} is not ${what}`,
      expected: `only ${what}`,
      actual: `row ${index}: ${rowWords(rowsOf(exchange)[index])}`,
      ...placeOf(exchange, index),
    }
  },

  /** A member of the JSON body, by path, with this value. */
  toHaveMember(exchange: Exchange, path: string, value: unknown): Finding | undefined {
    const actual = member(exchange.response?.json, ...path.split('.'))
    if (actual === value) return undefined
    return {
      message: `${path} is ${brief(actual)} instead of ${brief(value)}`,
      expected: brief(value),
      actual: brief(actual),
      place: `/${path.replaceAll('.', '/')}`,
    }
  },

  /** A body that is valid JSON, whatever its content; between systems it must be UTF-8 (RFC 8259 section 8.1). */
  toBeJson(exchange: Exchange): Finding | undefined {
    if (exchange.response?.notUtf8) {
      return { message: 'the body is not UTF-8', expected: 'JSON in UTF-8', actual: 'other bytes' }
    }
    if (exchange.response?.json !== undefined) return undefined
    return { message: 'the body is not JSON', expected: 'JSON', actual: notJson(exchange) }
  },

  toHaveNoBody(exchange: Exchange): Finding | undefined {
    if (!exchange.response || exchange.response.bytes === 0) return undefined
    return { message: 'the answer has a body', expected: 'no body', actual: bodyOf(exchange) }
  },
}

/** Matchers that need only the record of an exchange: their findings can be reproduced from a recording. */
export const ON_RECORD: ReadonlySet<string> = new Set([
  'toHaveStatus',
  'toSucceed',
  'toBeRefused',
  'toGiveAToken',
  'toGiveNoToken',
  'toBeAnError',
  'toBeJson',
  'toHaveNoBody',
] satisfies (keyof typeof matchers)[])
