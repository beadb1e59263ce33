import { header } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { DATA, isWithCustomer } from '../common/endpoints.ts'

/** Rate limiting of data requests. Requirements: specs/account-information/rate-limit.yaml */

rule(
  'RATE-02/no-429-while-present',
  'No data request of the present customer is answered 429',
  {
    endpoints: DATA,
    follows: ['RATE-02/present-is-served'],
    retried: true,
  },
  (exchange) => {
    const { endpoint, request, response, about } = exchange
    if (!about.consent || !isWithCustomer(exchange)) return undefined
    if (response?.status !== 429) return []
    const message = `${request.method} ${endpoint} answered 429 although the customer is present`
    return [{ message, expected: 'an answer other than 429', actual: '429' }]
  },
)

/** A year: a larger number is a time, in seconds since 1970. */
const LONGEST = 366 * 86_400

/** The three forms of a date in a header (RFC 9110 5.6.7). */
const HTTP_DATE = [
  /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/,
]

/** RFC 9110 10.2.3. Every 429 and 503 with Retry-After. Fails: it is neither whole seconds, at most a year, nor an HTTP date. */
rule(
  'RATE-09/retry-after',
  'Retry-After is a number of seconds or an HTTP date',
  { unseen: 'no answer had Retry-After', retried: true },
  (exchange) => {
    const value = header(exchange, 'retry-after')?.trim()
    if (exchange.endpoint === 'products' || value === undefined) return undefined
    if (![429, 503].includes(exchange.response?.status ?? 0)) return undefined
    const isSeconds = /^\d+$/.test(value) && Number(value) <= LONGEST
    if (isSeconds || HTTP_DATE.some((form) => form.test(value))) return []
    const expected = 'seconds, such as 60, or an HTTP date'
    return [{ message: `Retry-After is ${value}`, expected, actual: value }]
  },
)
