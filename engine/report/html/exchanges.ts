import { deflateRawSync } from 'node:zlib'
import { endpointName } from '../endpoint-names.ts'
import { clip, count, visible } from '../escape.ts'
import { evidenceOf, hasCard, pathOf } from '../queries.ts'
import type { ExchangeRecord, Report } from '../report.ts'
import { jsonForScript, type Markup, markup, raw } from './markup.ts'

/** Number of exchanges in one data element; the script unpacks an element when one of them is shown. */
const CHUNK = 400
/** Maximum length of one body on the page; exchanges.jsonl has all that was recorded. */
const MAX_BODY = 64 * 1024
/** Maximum length of packed exchange data on the page; evidence of what didn't pass comes first. */
const MAX_PAGE = 24 * 1024 * 1024

/**
 * The list of exchanges, filled in by the script, and their data: JSON, deflated, in base64, in elements that no
 * browser executes. If there is too much data for one page, exchanges that are evidence of a failure are kept first,
 * and the page gives the number of those that are only in exchanges.jsonl.
 */
export function exchangesSection(report: Report, exchanges: ExchangeRecord[]): Markup {
  const { chunks, chunkOf } = embed(report, exchanges)
  const left = exchanges.length - chunkOf.size
  const failures = failuresOf(report)
  const index = exchanges.map((exchange) => {
    const { id, endpoint, request, response, failure, durationMs, about } = exchange
    return [
      id,
      visible(clip(endpointName(endpoint, request), 200)),
      request.method,
      clip(pathOf(request.url), 200),
      response?.status ?? failure?.kind ?? 'nothing',
      Math.round(durationMs),
      String(about.check ?? ''),
      String(about.deviation ?? ''),
      failures.get(id) ?? [],
      chunkOf.get(id) ?? -1,
    ] as const
  })
  const statuses = index.map(([, , , , status]) =>
    typeof status === 'number' ? `${String(status)[0]}xx` : 'none',
  )
  return markup`<section id="exchanges" aria-labelledby="h-exchanges">
<h2 id="h-exchanges">Exchanges <small>${count(exchanges.length)}</small></h2>
<p class="elsewhere">This page's script lists them here; they also stand in exchanges.jsonl, one a line.</p>
${left > 0 ? markup`<p class="notice">Headers and bodies of ${count(left)} exchanges are in exchanges.jsonl only: this page would be too large.</p>` : ''}
<div id="exchange-list" hidden>
<div class="filters" role="search" aria-label="Filter exchanges">
<label class="wide">Find <input type="search" name="words" placeholder="path, status, check, id" autocomplete="off"></label>
${choice('Endpoint', 'endpoint', sorted(index.map(([, where]) => where)))}
${choice('Status', 'status', sorted(statuses), { none: 'no response' })}
${choice('Request', 'purpose', ['yes', 'no'], { yes: 'wrong on purpose', no: 'nothing wrong' })}
${choice('Of the failure', 'failure', sorted(exchanges.flatMap(({ id }) => failures.get(id) ?? [])))}
</div>
<div class="pager"><button type="button">Previous</button><button type="button">Next</button><output aria-live="polite"></output></div>
<div class="scroll" tabindex="0" role="region" aria-label="List of exchanges"><table class="rows"><thead><tr><th scope="col">Id</th><th scope="col">Request</th><th scope="col" class="number">Status</th><th scope="col" class="number">Took</th><th scope="col">Sent by</th></tr></thead><tbody></tbody></table></div>
</div>
<script type="application/json" id="exchange-index">${raw(jsonForScript(withWordsOnce(index)))}</script>
${chunks.map((chunk, i) => markup`<script type="application/octet-stream" id="${`chunk-${i}`}">${raw(chunk)}</script>`)}
</section>`
}

/** Replaces texts in rows by their index in a list: thousands of rows contain the same few texts. */
function withWordsOnce(rows: readonly (readonly unknown[])[]): {
  words: string[]
  rows: unknown[][]
} {
  const places = new Map<string, number>()
  const placeOf = (word: string) => {
    const place = places.get(word) ?? places.size
    places.set(word, place)
    return place
  }
  const short = rows.map(([id, where, method, path, status, ms, check, deviation, ...rest]) => [
    id,
    ...[where, method, path].map((word) => placeOf(String(word))),
    status,
    ms,
    ...[check, deviation].map((word) => placeOf(String(word))),
    ...rest,
  ])
  return { words: [...places.keys()], rows: short }
}

function choice(
  label: string,
  name: string,
  values: string[],
  words: Record<string, string> = {},
): Markup {
  return markup`<label>${label} <select name="${name}" autocomplete="off"><option value="">all</option>${values.map((value) => markup`<option value="${value}">${words[value] ?? value}</option>`)}</select></label>`
}

function sorted(values: string[]): string[] {
  return [...new Set(values)].sort()
}

/** The failures and warnings for which an exchange is evidence. */
function failuresOf(report: Report): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const check of report.checks.filter(({ outcome }) => hasCard(outcome))) {
    for (const id of evidenceOf(check)) found.set(id, [...(found.get(id) ?? []), check.id])
  }
  return found
}

function embed(report: Report, exchanges: ExchangeRecord[]) {
  const failed = report.checks.filter(({ outcome }) => outcome !== 'pass')
  const evidence = new Set(failed.flatMap(evidenceOf))
  const rank = ({ id }: ExchangeRecord) => (evidence.has(id) ? 0 : 1)
  const order = exchanges.toSorted((a, b) => rank(a) - rank(b))
  const chunkOf = new Map<string, number>()
  const chunks: string[] = []
  let size = 0
  for (let at = 0; at < order.length; at += CHUNK) {
    const some = order.slice(at, at + CHUNK)
    const packed = deflateRawSync(JSON.stringify(some.map(bounded)), { level: 9 }).toString(
      'base64',
    )
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
    request: { ...request, ...(request.body && { body: clip(request.body, MAX_BODY) }) },
    ...(response && { response: { ...response, body: clip(response.body, MAX_BODY) } }),
  }
}
