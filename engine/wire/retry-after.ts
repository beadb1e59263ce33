import { type Exchange, header } from './exchange.ts'

/** The longest wait before a repeat, in milliseconds. */
const LONGEST_WAIT = 30_000

/** Milliseconds to wait before a repeat; undefined when there is none. */
export function waitBefore(exchange: Exchange, repeat: number): number | undefined {
  const status = exchange.response?.status
  if (status !== 429 && status !== 503) return undefined
  const after = header(exchange, 'retry-after')
  const wait = after === undefined ? repeat * 1000 : retryAfter(after)
  return wait !== undefined && wait <= LONGEST_WAIT ? wait : undefined
}

/** Retry-After is seconds or an HTTP date (RFC 9110 section 10.2.3). */
function retryAfter(value: string): number | undefined {
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
