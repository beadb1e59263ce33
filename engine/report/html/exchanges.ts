import { deflateRawSync } from 'node:zlib'
import { endpointName } from '../endpoint-names.ts'
import { clip, count } from '../escape.ts'
import { pathOf } from '../queries.ts'
import type { ExchangeRecord, Report } from '../report.ts'
import { jsonForScript, type Markup, markup, raw } from './markup.ts'

/** Exchanges in one data element; the script unpacks an element when one of them is shown. */
const CHUNK = 50
/** Most characters of one body on the page; the whole of what was recorded is in exchanges.jsonl. */
const MAX_BODY = 64 * 1024
/** Most characters of packed exchange data on the page; evidence of what didn't pass comes first. */
const MAX_PAGE = 24 * 1024 * 1024

/**
 * The list of exchanges, drawn by the script, and their data: JSON, deflated, in base64, in elements
 * that no browser executes. When the data is too much for one page, the exchanges that are evidence
 * of a failure are kept first, and the page says how many stand in exchanges.jsonl only.
 */
export function exchangesSection(report: Report, exchanges: ExchangeRecord[]): Markup {
  const { chunks, chunkOf } = embed(report, exchanges)
  const left = exchanges.length - chunkOf.size
  const failures = failuresOf(report)
  const index = exchanges.map((exchange) => [
    exchange.id,
    clip(endpointName(exchange.endpoint, exchange.request), 200),
    exchange.request.method,
    clip(pathOf(exchange.request.url), 200),
    exchange.response?.status ?? exchange.failure?.kind ?? 'nothing',
    Math.round(exchange.durationMs),
    String(exchange.about.check ?? ''),
    String(exchange.about.deviation ?? ''),
    failures.get(exchange.id) ?? [],
    chunkOf.get(exchange.id) ?? -1,
  ])
  return markup`<section id="exchanges" aria-labelledby="h-exchanges">
<h2 id="h-exchanges">Exchanges <small>${count(exchanges.length)}</small></h2>
<p class="elsewhere">This page's script lists them here; they also stand in exchanges.jsonl, one a line.</p>
${left > 0 ? markup`<p class="notice">Headers and bodies of ${count(left)} exchanges are in exchanges.jsonl only: this page would be too large.</p>` : ''}
<div id="exchange-list"></div>
<script type="application/json" id="exchange-index">${raw(jsonForScript(index))}</script>
${chunks.map((chunk, i) => markup`<script type="application/octet-stream" id="${`chunk-${i}`}">${raw(chunk)}</script>`)}
</section>`
}

/** The failures and warnings that an exchange is evidence of. */
function failuresOf(report: Report): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const { id, outcome, exchanges, control } of report.checks) {
    if (!['fail', 'warn', 'error'].includes(outcome)) continue
    for (const exchange of [...exchanges, ...(control ? [control.exchange] : [])]) {
      found.set(exchange, [...(found.get(exchange) ?? []), id])
    }
  }
  return found
}

function embed(report: Report, exchanges: ExchangeRecord[]) {
  const evidence = new Set(
    report.checks
      .filter(({ outcome }) => outcome !== 'pass')
      .flatMap(({ exchanges, control }) =>
        control ? [...exchanges, control.exchange] : exchanges,
      ),
  )
  const order = [
    ...exchanges.filter(({ id }) => evidence.has(id)),
    ...exchanges.filter(({ id }) => !evidence.has(id)),
  ]
  const chunkOf = new Map<string, number>()
  const chunks: string[] = []
  let size = 0
  for (let at = 0; at < order.length; at += CHUNK) {
    const some = order.slice(at, at + CHUNK)
    const packed = deflateRawSync(JSON.stringify(some.map(bounded))).toString('base64')
    if (size + packed.length > MAX_PAGE) continue
    size += packed.length
    for (const { id } of some) chunkOf.set(id, chunks.length)
    chunks.push(packed)
  }
  return { chunks, chunkOf }
}

function bounded(exchange: ExchangeRecord): ExchangeRecord {
  const { request, response } = exchange
  return {
    ...exchange,
    request: { ...request, ...(request.body ? { body: clip(request.body, MAX_BODY) } : {}) },
    ...(response ? { response: { ...response, body: clip(response.body, MAX_BODY) } } : {}),
  }
}
