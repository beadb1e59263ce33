import { matchers } from '../../../engine/suite-api/expect.ts'
import { brief, header, member } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { isError } from '../common/product-list.ts'

/** Errors of the product interface. Requirements: specs/product-information/errors.yaml */

const OPTIONS = {
  endpoints: ['products'],
  unseen: 'no request was answered with an error',
  retried: true,
} as const

/**
 * Every `products` answer of 400 or above: the body parses as JSON (the schema judges the rest; a
 * JSON value that is no object is judged by PROD-40/object).
 */
rule('PROD-40/json', 'Every error response is JSON', OPTIONS, (exchange) => {
  if (!isError(exchange)) return undefined
  const finding = matchers.toBeJson(exchange)
  return finding ? [finding] : []
})

/**
 * Every `products` answer of 400 or above whose body has status, a string: it begins
 * with the three digits of the HTTP status, with no further digit after them.
 */
rule(
  'PROD-41/equals-http-status',
  'The status in the body of an error is that of the response',
  OPTIONS,
  (exchange) => {
    const text = member(exchange.response?.json, 'status')
    if (!isError(exchange) || typeof text !== 'string') return undefined
    const expected = String(exchange.response?.status)
    if (/^\d+/.exec(text)?.[0] === expected) return []
    const message = `status is ${brief(text)} in an answer with ${expected}`
    return [{ message, expected, actual: text, place: '/status' }]
  },
)

/**
 * Every `products` answer of 400 or above whose body is JSON. Fails: its Content-Type is neither application/json nor
 * another type of JSON, such as application/problem+json.
 */
rule(
  'PROD-72/media-type',
  'The Content-Type of an error response is one of JSON',
  { ...OPTIONS, follows: ['PROD-51/media-type'] },
  (exchange) => {
    if (!isError(exchange) || exchange.response?.json === undefined) return undefined
    const actual = header(exchange, 'content-type') ?? 'absent'
    if (/^application\/(?:[^;\s]+\+)?json\s*(?:;|$)/i.test(actual)) return []
    const message = `the Content-Type of an error is ${actual}`
    return [{ message, expected: 'application/json', actual }]
  },
)
