import { pathOf } from '../findings.ts'
import { clip, count } from '../legible.ts'
import type { ExchangeRecord, Report } from '../report.ts'
import { jsonForScript, type Markup, markup, raw } from './markup.ts'

/** Exchanges in one data element; the script parses an element when one of them is shown. */
const CHUNK = 50
/** Most characters of one body on the page; the whole of what was recorded is in exchanges.jsonl. */
const MAX_BODY = 64 * 1024
/** Most characters of exchange data on the page; evidence of what didn't pass comes first. */
const MAX_PAGE = 48 * 1024 * 1024

/**
 * The list of exchanges, drawn by the script, and their data as JSON that no browser executes. When
 * the data is too much for one page, the exchanges that are evidence of a failure are kept first, and
 * the page says how many stand in exchanges.jsonl only.
 */
export function exchangesSection(report: Report, exchanges: ExchangeRecord[]): Markup {
  const { chunks, chunkOf } = embed(report, exchanges)
  const left = exchanges.length - chunkOf.size
  const index = exchanges.map((exchange) => [
    exchange.id,
    exchange.endpoint,
    exchange.request.method,
    clip(pathOf(exchange.request.url), 200),
    exchange.response?.status ?? exchange.failure?.kind ?? 'nothing',
    Math.round(exchange.durationMs),
    String(exchange.about.check ?? ''),
    String(exchange.about.deviation ?? ''),
    chunkOf.get(exchange.id) ?? -1,
  ])
  return markup`<section id="exchanges" aria-labelledby="h-exchanges">
<h2 id="h-exchanges">Exchanges <small>${count(exchanges.length)}</small></h2>
<p class="elsewhere">This page's script lists them here; they also stand in exchanges.jsonl, one a line.</p>
${left > 0 ? markup`<p class="notice">Headers and bodies of ${count(left)} exchanges are in exchanges.jsonl only: this page would be too large.</p>` : ''}
<div id="exchange-list"></div>
<script type="application/json" id="exchange-index">${raw(jsonForScript(index))}</script>
${chunks.map((chunk, i) => markup`<script type="application/json" id="${`chunk-${i}`}">${raw(`[${chunk.join(',')}]`)}</script>`)}
</section>`
}

function embed(report: Report, exchanges: ExchangeRecord[]) {
  const evidence = new Set(
    report.checks
      .filter(({ outcome }) => outcome !== 'pass')
      .flatMap(({ exchanges, control }) => (control ? [...exchanges, control] : exchanges)),
  )
  const order = [
    ...exchanges.filter(({ id }) => evidence.has(id)),
    ...exchanges.filter(({ id }) => !evidence.has(id)),
  ]
  const chunkOf = new Map<string, number>()
  const chunks: string[][] = []
  let size = 0
  for (const exchange of order) {
    const json = jsonForScript(bounded(exchange))
    if (size + json.length > MAX_PAGE) continue
    size += json.length
    if (chunkOf.size % CHUNK === 0) chunks.push([])
    chunks.at(-1)?.push(json)
    chunkOf.set(exchange.id, chunks.length - 1)
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
