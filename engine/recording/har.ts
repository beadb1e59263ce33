import { isObject } from '../record/json.ts'
import { instantIn, isRedacted, type Lack, type Recorded } from './recorded.ts'

/** The members of a HAR 1.2 entry that are read; programs may leave out any of them. */
interface Entry {
  startedDateTime?: unknown
  time?: unknown
  request?: Record<string, unknown>
  response?: Record<string, unknown>
  _fromCache?: unknown
}

/** Members that say that no server received the request. */
const CACHED = ['_fromCache', 'fromCache', '_fetchedViaServiceWorker', '_fromDiskCache']

/**
 * Reads an entry of a HAR file (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/), as browsers, mitmproxy,
 * Charles, Postman and Playwright write it.
 *
 * @returns in words why it is not an exchange; undefined if nothing was sent.
 */
export function harExchange(value: unknown, where: string): Recorded | string | undefined {
  if (!isObject(value)) return 'is no object'
  const { request, response, startedDateTime, time } = value as Entry
  if (!isObject(request)) return 'has no request'
  const { method, url } = request
  if (typeof method !== 'string' || typeof url !== 'string') return 'has no method or no url'
  if (typeof startedDateTime !== 'string') return 'has no startedDateTime'
  const at = instantIn(startedDateTime)
  if (Number.isNaN(at)) return 'has a startedDateTime that is not a date-time with Z or an offset'
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return undefined
  if (CACHED.some((name) => isFlag(value[name]) || (isObject(response) && isFlag(response[name]))))
    return undefined
  const lacks = new Set<Lack>(['the client certificate'])
  const requestHeaders = headersIn(request.headers)
  if (requestHeaders.length === 0) lacks.add('all headers of the request')
  const requestBody = sentBody(request, lacks)
  const received = isObject(response) ? receivedIn(response, lacks) : undefined
  return {
    where,
    at,
    durationMs: typeof time === 'number' && time >= 0 ? time : 0,
    vague: 0,
    method: method.toUpperCase(),
    url,
    requestHeaders,
    ...(requestBody !== undefined && { requestBody }),
    ...(received
      ? { response: received }
      : { failure: { kind: 'closed', code: 'NOT_RECORDED', message: 'no response was recorded' } }),
    lacks,
  }
}

const isFlag = (value: unknown) => value === true || typeof value === 'string'

/** Headers, without HTTP/2 pseudo-headers, which begin with a colon. */
function headersIn(value: unknown): [string, string][] {
  if (!Array.isArray(value)) return []
  return value.flatMap((each: unknown): [string, string][] => {
    const { name, value: text } = isObject(each) ? each : {}
    if (typeof name !== 'string' || typeof text !== 'string' || name.startsWith(':')) return []
    // Browsers join several lines of this header.
    const lines = name.toLowerCase() === 'set-cookie' ? text.split('\n') : [text]
    return lines.map((line) => [name, line])
  })
}

function sentBody(request: Record<string, unknown>, lacks: Set<Lack>): string | undefined {
  const { postData, bodySize } = request
  const { text, params, encoding } = isObject(postData) ? postData : {}
  if (typeof text === 'string' && text !== '') {
    if (isRedacted(text) && !text.includes('=') && !text.startsWith('{')) {
      lacks.add('the whole body of the request')
    }
    return encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text
  }
  const pairs = Array.isArray(params) ? params.filter(isObject) : []
  if (pairs.length > 0) {
    const form = pairs.map(({ name, value }): [string, string] => [
      String(name),
      String(value ?? ''),
    ])
    return new URLSearchParams(form).toString()
  }
  if (typeof bodySize === 'number' && bodySize > 0) lacks.add('the whole body of the request')
  return undefined
}

function receivedIn(response: Record<string, unknown>, lacks: Set<Lack>): Recorded['response'] {
  const { status, content } = response
  // 0: aborted, or hidden from the recorder.
  if (typeof status !== 'number' || status < 100) return undefined
  const headers = headersIn(response.headers)
  if (headers.length === 0) lacks.add('all headers of the response')
  const { text, encoding, size } = isObject(content) ? content : {}
  const raw = typeof text === 'string' ? text : ''
  const body = encoding === 'base64' ? Buffer.from(raw, 'base64') : raw
  return {
    ...{ status, headers, body, bytes: Buffer.byteLength(body) },
    ...(typeof size === 'number' && size > 0 && { declared: size }),
  }
}
