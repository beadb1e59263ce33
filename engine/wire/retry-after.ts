import { now } from '../record/clock.ts'
import { wordsOf } from '../record/page-words.ts'
import { DATA, type Exchange, header } from './exchange.ts'

/** The longest wait before a repeat, in milliseconds. */
const LONGEST_WAIT = 60_000

/** Number of retries of a correct request; most requests with a deviation are refused again. */
const REPEATS = 3
const REPEATS_OF_WRONG = 1

/**
 * Statuses of a server in trouble: a connection on which the request did not come in time (RFC 9110 15.5.9: a client may
 * repeat it), and a gateway or service failure (RFC 9110 15.6.3 to 15.6.5), for which some gateways have numbers of
 * their own: 520 to 524.
 */
export const IN_TROUBLE: readonly number[] = [408, 502, 503, 504, 520, 521, 522, 523, 524]

/** Statuses for a temporary condition rather than the request: also too many requests (RFC 6585 4). */
const PASSING = [429, ...IN_TROUBLE]

/** After these statuses the request may have been executed all the same. */
const IN_DOUBT = [502, 504, 520, 522, 524]

/** Which temporary answers cause a retry. */
export type Retry = boolean | 'not-429'

/**
 * Decides how often a request is retried, and what its last answer means when none is better. After an endpoint stays
 * unavailable, there is no further wait until it has answered.
 */
export function createRetries() {
  const unavailable = new Set<string>()
  return {
    /** Milliseconds to wait before a retry, counted from 1; undefined when there is none. */
    waitBefore(exchange: Exchange, repeat: number): number | undefined {
      const { deviation } = exchange.about
      if (repeat > (deviation === undefined ? REPEATS : REPEATS_OF_WRONG)) return undefined
      if (!isPassing(exchange) || unavailable.has(kindOf(exchange))) return undefined
      const after = header(exchange, 'retry-after')
      const wait = after === undefined ? 2 ** (repeat - 1) * 1000 : retryAfter(after)
      return wait !== undefined && wait <= LONGEST_WAIT ? wait : undefined
    },
    /** Marks the last answer if it says nothing about the request; `earlier` are the answers before it. */
    settle(exchange: Exchange, earlier: readonly Exchange[]): void {
      if (isPassing(exchange)) {
        unavailable.add(kindOf(exchange))
        const times = earlier.length > 0 ? `, ${earlier.length + 1} times` : ''
        exchange.unavailable = `answered ${answered(exchange)}${times}${quoted(exchange)}`
        return
      }
      unavailable.delete(kindOf(exchange))
      const doubtful = earlier.find((each) => IN_DOUBT.includes(each.response?.status ?? 0))
      const { about, request, response } = exchange
      // A wrong request that is refused now was also refused before.
      if (!doubtful || about.deviation !== undefined) return
      if (request.method === 'GET' || (response?.status ?? 0) < 400) return
      exchange.unavailable = `answered ${answered(doubtful)}, and when repeated ${answered(exchange)}: the first may have been carried out`
    },
  }
}

/** "429 … while the customer is not present": this documented answer is not a temporary failure. */
export function isPassing({ endpoint, request, response }: Exchange): boolean {
  if (!response || !PASSING.includes(response.status)) return false
  if (response.status !== 429 || !DATA.includes(endpoint)) return true
  return request.headers.some(([name]) => name.toLowerCase() === 'x-fapi-customer-ip-address')
}

function kindOf({ endpoint, about, request, connection }: Exchange): string {
  const wrong = about.deviation === undefined ? '' : 'wrong'
  return [endpoint, request.method, connection.identity, wrong].join(' ')
}

const answered = ({ response }: Exchange) => String(response?.status)

/** The bank's own words. */
function quoted({ response }: Exchange): string {
  const words = wordsOf(response?.body ?? '')
  return words === '' ? '' : `: ${words}`
}

/** Retry-After is seconds or an HTTP date (RFC 9110 10.2.3), whose oldest form names no zone and means GMT (5.6.7). */
function retryAfter(value: string): number | undefined {
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = Date.parse(ASCTIME.test(value) ? `${value} GMT` : value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now())
}

const ASCTIME = /^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/
