import type { ExchangeRecord } from '../record/exchange-record.ts'
import { problemOf } from '../record/formed.ts'
import type { Endpoint, Exchange } from '../wire/exchange.ts'
import type { Lack, Recorded } from './recorded.ts'

/** True if a line looks like one of exchanges.jsonl. */
export function isOwn(line: unknown): boolean {
  return typeof line === 'object' && line !== null && 'endpoint' in line && 'about' in line
}

/** Reads a line of exchanges.jsonl, which a run or `assay judge` wrote; returns in words why it is not one. */
export function ownExchange(value: unknown, where: string): Recorded | string {
  const problem = problemOf(value, 'exchange')
  if (problem !== undefined) return `is no line of exchanges.jsonl: ${problem}`
  const record = value as ExchangeRecord & Pick<Exchange, 'unavailable'>
  if (record.about.recorded !== undefined) {
    return 'was written by assay judge: judge the file that it was made of'
  }
  const { request, response, failure } = record
  const lacks = new Set<Lack>()
  if (response?.digest !== undefined) lacks.add('the whole body of the response')
  // Recorders truncate request bodies without a digest.
  if ((request.body?.length ?? 0) >= BOUND) lacks.add('the whole body of the request')
  return {
    where,
    at: Date.parse(record.startedAt),
    durationMs: record.durationMs,
    vague: 0,
    method: request.method,
    url: request.url,
    requestHeaders: request.headers,
    ...(request.body !== undefined && { requestBody: request.body }),
    ...(response && {
      response: {
        ...{ status: response.status, headers: response.headers, body: response.body },
        bytes: response.bytes,
      },
    }),
    ...(failure && { failure }),
    lacks,
    own: {
      id: record.id,
      endpoint: record.endpoint as Endpoint,
      about: record.about as Exchange['about'],
      connection: record.connection,
      ...(failure && { failure }),
      ...(record.retriedBy !== undefined && { retriedBy: record.retriedBy }),
      ...(record.unavailable !== undefined && { unavailable: record.unavailable }),
    },
  }
}

const BOUND = 32 * 1024
