import { isObject } from '../record/json.ts'
import { instantIn, type Lack, type Recorded } from './recorded.ts'

/** Format of a time or a duration: milliseconds, seconds, an RFC 3339 date-time, or the Apache log format. */
type Unit = 'ms' | 's' | 'date-time' | 'clf'

/** Path of a member: names from the top down. */
type Place = string

/** The format of a gateway's log: where each part of an exchange is in a line. docs/judge.md shows it. */
export interface GatewayFormat {
  name: string
  /** A line has this format if it has all of these members. */
  has: readonly Place[]
  /** When the request arrived; with isEnd, when the answer was sent. */
  time: readonly [Place, Unit][]
  isEnd?: true
  duration: readonly [Place, 'ms' | 's'][]
  method: readonly Place[]
  /** A complete URL, or a path with its query. */
  url: readonly Place[]
  scheme: readonly Place[]
  host: readonly Place[]
  status: readonly Place[]
  requestHeaders: readonly Place[]
  responseHeaders: readonly Place[]
  /** Whether the gateway logs all headers, or only configured ones. */
  headers: 'all' | 'some'
  requestBody: readonly Place[]
  responseBody: readonly Place[]
  responseSize: readonly Place[]
  /** Subject of the client certificate. */
  certificate: readonly Place[]
}

/** Names for bodies that an administrator may configure in any gateway's log format. */
const BODIES = {
  requestBody: ['request_body', 'request.body'],
  responseBody: ['response_body', 'response.body'],
} as const

/** The only table of formats; the first that fits a line is used. */
export const GATEWAY_FORMATS: readonly GatewayFormat[] = [
  {
    name: 'Kong',
    has: ['request.method', 'response.status', 'started_at'],
    time: [['started_at', 'ms']],
    duration: [['latencies.request', 'ms']],
    method: ['request.method'],
    url: ['request.url', 'request.uri'],
    scheme: [],
    host: ['request.headers.host'],
    status: ['response.status'],
    requestHeaders: ['request.headers'],
    responseHeaders: ['response.headers'],
    headers: 'all',
    ...BODIES,
    responseSize: [],
    certificate: ['request.tls.client_subject'],
  },
  {
    name: 'Envoy',
    has: ['start_time', 'response_code', 'method', 'path'],
    time: [['start_time', 'date-time']],
    duration: [['duration', 'ms']],
    method: ['method'],
    url: ['path'],
    scheme: ['scheme'],
    host: ['authority'],
    status: ['response_code'],
    requestHeaders: ['request_headers'],
    responseHeaders: ['response_headers'],
    headers: 'some',
    ...BODIES,
    responseSize: ['bytes_sent'],
    certificate: ['downstream_peer_subject'],
  },
  {
    name: 'AWS API Gateway',
    has: ['requestId', 'httpMethod', 'status'],
    time: [
      ['requestTimeEpoch', 'ms'],
      ['requestTime', 'clf'],
    ],
    duration: [['responseLatency', 'ms']],
    method: ['httpMethod'],
    url: ['path'],
    scheme: [],
    host: ['domainName'],
    status: ['status'],
    requestHeaders: ['requestHeaders'],
    responseHeaders: ['responseHeaders'],
    headers: 'some',
    ...BODIES,
    responseSize: ['responseLength'],
    certificate: ['clientCertSubject'],
  },
  {
    name: 'nginx',
    has: ['request_method', 'request_uri', 'status'],
    time: [
      ['msec', 's'],
      ['time_iso8601', 'date-time'],
    ],
    isEnd: true,
    duration: [['request_time', 's']],
    method: ['request_method'],
    url: ['request_uri'],
    scheme: ['scheme'],
    host: ['http_host', 'host'],
    status: ['status'],
    requestHeaders: ['request_headers'],
    responseHeaders: ['response_headers'],
    headers: 'some',
    ...BODIES,
    responseSize: ['body_bytes_sent'],
    certificate: ['ssl_client_s_dn'],
  },
]

/** The format of a log line; undefined if no gateway in the table writes such lines. */
export function gatewayFormat(line: unknown): GatewayFormat | undefined {
  return GATEWAY_FORMATS.find(({ has }) => has.every((place) => at(line, place) !== undefined))
}

/**
 * The exchange in a line of a gateway's log.
 *
 * @param resolve gives the address of a path, where the log names no host
 * @returns in words why the line is not an exchange
 */
export function gatewayExchange(
  line: unknown,
  where: string,
  format: GatewayFormat,
  resolve: (path: string) => string | undefined,
): Recorded | string {
  const first = (places: readonly Place[]) => text(firstAt(line, places))
  const [method, status, path] = [first(format.method), first(format.status), first(format.url)]
  if (method === undefined || path === undefined)
    return `has no ${format.method[0]} or ${format.url[0]}`
  const time = timeOf(line, format)
  if (!time) return `has no ${format.time.map(([place]) => place).join(' or ')} that is a time`
  const url = addressOf(path, first(format.scheme), first(format.host), resolve)
  if (url === undefined) return `has an address that cannot be read in ${format.url[0]}`
  const lacks = new Set<Lack>()
  const certificate = first(format.certificate)
  if (certificate === undefined) lacks.add('the client certificate')
  const requestHeaders = headersIn(firstAt(line, format.requestHeaders))
  const responseHeaders = headersIn(firstAt(line, format.responseHeaders))
  for (const [headers, lack] of [
    [requestHeaders, 'all headers of the request'],
    [responseHeaders, 'all headers of the response'],
  ] as const) {
    if (format.headers === 'some' || headers.length === 0) lacks.add(lack)
  }
  const requestBody = first(format.requestBody)
  if (requestBody === undefined && !['GET', 'DELETE'].includes(method)) {
    lacks.add('the whole body of the request')
  }
  const body = first(format.responseBody)
  const code = Number(status)
  const size = Number(first(format.responseSize))
  return {
    where,
    ...time,
    method: method.toUpperCase(),
    url,
    requestHeaders,
    ...(requestBody !== undefined && { requestBody }),
    ...(code >= 100
      ? {
          response: {
            ...{ status: code, headers: responseHeaders, body: body ?? '' },
            bytes: Buffer.byteLength(body ?? ''),
            ...(size > 0 && { declared: size }),
          },
        }
      : { failure: { kind: 'closed', code: 'NO_STATUS', message: 'the log has no status' } }),
    ...(certificate !== undefined && { connection: { identity: certificate } }),
    lacks,
  }
}

/** The member at a path; names that contain a dot are not supported. */
function at(value: unknown, place: Place): unknown {
  let found = value
  for (const name of place.split('.')) found = isObject(found) ? found[name] : undefined
  return found
}

function firstAt(line: unknown, places: readonly Place[]): unknown {
  for (const place of places) {
    const found = at(line, place)
    if (found !== undefined && found !== null && found !== '' && found !== '-') return found
  }
  return undefined
}

/** Logs write numbers as strings and strings as numbers. */
function text(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return isObject(value) ? JSON.stringify(value) : undefined
}

function timeOf(
  line: unknown,
  { time, isEnd, duration }: GatewayFormat,
): Pick<Recorded, 'at' | 'durationMs' | 'vague'> | undefined {
  const span = duration.map(([place, unit]) => {
    const n = Number(text(firstAt(line, [place])))
    return unit === 's' ? n * 1000 : n
  })
  const known = span.find((n) => n >= 0)
  const durationMs = known ?? 0
  for (const [place, unit] of time) {
    const said = text(firstAt(line, [place]))
    const moment = said === undefined ? Number.NaN : instantOf(said, unit)
    if (Number.isNaN(moment)) continue
    // Without a duration in the log, the end of a request is unknown.
    const vague =
      (/[.]\d/.test(said ?? '') || unit === 'ms' ? 0 : 1000) + (known === undefined ? 30_000 : 0)
    return { at: isEnd ? moment - durationMs : moment, durationMs, vague }
  }
  return undefined
}

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec'

function instantOf(said: string, unit: Unit): number {
  if (unit === 'ms') return Number(said)
  if (unit === 's') return Number(said) * 1000
  if (unit === 'date-time') return instantIn(said)
  const [, day, month = '', year, hour, offset = ''] =
    /^(\d{2})\/(\w{3})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{4})$/.exec(said) ?? []
  const index = MONTHS.indexOf(month) / 3 + 1
  const zone = `${offset.slice(0, 3)}:${offset.slice(3)}`
  return Date.parse(`${year}-${String(index).padStart(2, '0')}-${day}T${hour}${zone}`)
}

function addressOf(
  path: string,
  scheme: string | undefined,
  host: string | undefined,
  resolve: (path: string) => string | undefined,
): string | undefined {
  if (/^https?:/i.test(path)) return URL.canParse(path) ? path : undefined
  const [bare] = path.split('?', 1)
  if (host === undefined || bare === undefined) return resolve(path)
  const url = `${scheme ?? 'https'}://${host}${path.startsWith('/') ? '' : '/'}${path}`
  return URL.canParse(url) ? url : undefined
}

/** An object of names and values, or a list of pairs; headers that were not sent are empty. */
function headersIn(value: unknown): [string, string][] {
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, values]) =>
    [values].flat().flatMap((each): [string, string][] => {
      const said = text(each)
      return said === undefined || said === '' || said === '-' ? [] : [[name, said]]
    }),
  )
}
