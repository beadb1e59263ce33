import { GATEWAY_FORMATS, type GatewayFormat } from '../../engine/recording/gateway-logs.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'

/** Headers that docs/judge.md has a gateway write, where it writes those alone that its configuration names. */
const NAMED = {
  request: ['authorization', 'accept', 'x-fapi-customer-ip-address'],
  response: ['content-type', 'location', 'date'],
}

/** Raw exchanges as a gateway would log them: without the bodies of answers. */
export function asLog(gateway: string, exchanges: readonly Exchange[]): string {
  const format = GATEWAY_FORMATS.find(({ name }) => name === gateway)
  if (!format) throw new Error(`no format is called ${gateway}`)
  return exchanges
    .filter(({ request, response }) => response && /^https?:/.test(request.url))
    .map((exchange) => `${JSON.stringify(lineOf(format, exchange))}\n`)
    .join('')
}

function lineOf(format: GatewayFormat, { request, response, startedAt, durationMs }: Exchange) {
  const url = new URL(request.url)
  const line: Record<string, unknown> = {}
  const begun = Date.parse(startedAt)
  const [place, unit] = format.time[0] ?? ['', 'ms']
  const at = format.isEnd ? begun + durationMs : begun
  put(line, place, unit === 'ms' ? at : unit === 's' ? at / 1000 : new Date(at).toISOString())
  const [span, spanUnit] = format.duration[0] ?? ['', 'ms']
  put(line, span, spanUnit === 's' ? durationMs / 1000 : durationMs)
  // Kong writes REDACTED where a credential stood, and no others are left out.
  const shown = (headers: [string, string][], named: readonly string[]) => {
    const low = headers.map(([name, value]): [string, string] => [name.toLowerCase(), value])
    if (format.headers === 'some') return low.filter(([name]) => named.includes(name))
    return low.map(([name, value]) => [name, name === 'authorization' ? 'REDACTED' : value])
  }
  const told: [readonly string[], unknown][] = [
    [format.method, request.method],
    [format.url, `${url.pathname}${url.search}`],
    [format.scheme, 'https'],
    [format.status, response?.status],
    [format.requestHeaders, Object.fromEntries(shown(request.headers, NAMED.request))],
    [format.responseHeaders, Object.fromEntries(shown(response?.headers ?? [], NAMED.response))],
    [format.responseSize, response?.bytes],
    [format.host, url.host],
    [format.certificate, 'CN=tally'],
    // What no part of an exchange is.
    [['requestId'], startedAt],
  ]
  for (const [[where], value] of told) if (value !== undefined) put(line, where, value)
  return line
}

function put(line: Record<string, unknown>, place: string | undefined, value: unknown): void {
  const names = place?.split('.') ?? []
  const last = names.pop()
  if (last === undefined || last === '') return
  let holder = line
  for (const name of names) {
    holder[name] ??= {}
    holder = holder[name] as Record<string, unknown>
  }
  holder[last] = value
}
