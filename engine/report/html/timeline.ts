import { counted } from '../legible.ts'
import type { ApprovalUse, ExchangeRecord, Report } from '../report.ts'
import { type Markup, markup, raw } from './markup.ts'
import { checkLink } from './verdict.ts'

const WIDTH = 1000
const LANE = 18
const LABEL = 210

/** When what was sent, a lane per endpoint, with the visits of customers; below it, what each visit served. */
export function timelineSection(report: Report, exchanges: ExchangeRecord[]): Markup {
  return markup`<section id="timeline" aria-labelledby="h-timeline">
<h2 id="h-timeline">Timeline</h2>
${chart(report, exchanges)}
${visits(report)}
${latency(report)}
</section>`
}

function visits(report: Report): Markup {
  const approvals = report.approvals.filter(({ outcome }) => outcome === 'granted').length
  if (report.approvals.length === 0)
    return markup`<p>No customer visited the authorisation page.</p>`
  return markup`<details${report.approvals.length > 12 ? '' : markup` open`}><summary><b>${counted(report.approvals.length, 'visit')}</b> at the authorisation page, ${counted(approvals, 'approval')}</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Visits"><table><thead><tr><th scope="col">#</th><th scope="col">Visit</th><th scope="col">Customer</th><th scope="col">Client</th><th scope="col">End</th><th scope="col" class="number">At</th><th scope="col">Served</th></tr></thead>
<tbody>${report.approvals.map(
    (visit, i) =>
      markup`<tr><td>${i + 1}</td><th scope="row">${visit.name}</th><td>${visit.customer}</td><td>${visit.client}</td><td>${visit.outcome}</td><td class="number"><time datetime="${visit.at}">${visit.resumed ? 'before the interruption' : `${seconds(visit.at, report.startedAt)} s`}</time></td><td>${served(visit)}</td></tr>`,
  )}</tbody></table></div></details>`
}

function served({ used }: ApprovalUse): Markup {
  const links = used.map((id) => markup`${checkLink(id)} `)
  if (links.length <= 6) return markup`${links}`
  return markup`<details><summary>${counted(links.length, 'check')}</summary>${links}</details>`
}

function latency(report: Report): Markup {
  if (report.latency.length === 0) return markup``
  return markup`<h3>Latency of the bank</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Latency"><table><thead><tr><th scope="col">Endpoint</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Median</th><th scope="col" class="number">95th percentile</th></tr></thead>
<tbody>${report.latency.map(
    ({ endpoint, count, p50, p95 }) =>
      markup`<tr><th scope="row">${endpoint}</th><td class="number">${count}</td><td class="number">${p50.toFixed(1)} ms</td><td class="number">${p95.toFixed(1)} ms</td></tr>`,
  )}</tbody></table></div>`
}

function seconds(at: string, start: string): string {
  return ((Date.parse(at) - Date.parse(start)) / 1000).toFixed(1)
}

function chart(report: Report, exchanges: ExchangeRecord[]): Markup {
  const start = Date.parse(report.startedAt)
  const length = Math.max(1, Date.parse(report.finishedAt) - start)
  const x = (at: string) =>
    LABEL + Math.min(1, Math.max(0, (Date.parse(at) - start) / length)) * (WIDTH - LABEL - 10)
  const lanes = [...new Set(exchanges.map(({ endpoint }) => endpoint))]
  if (lanes.length === 0) return markup`<p>No exchange was recorded.</p>`
  const top = 26
  const height = top + lanes.length * LANE + 24
  const bottom = height - 22
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="Timeline chart"><svg class="timeline" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="timeline-title">
<title id="timeline-title">${counted(exchanges.length, 'exchange')} over ${(length / 1000).toFixed(1)} seconds in ${counted(lanes.length, 'lane')}; numbers mark visits</title>
${lanes.map((endpoint, lane) => {
  const y = top + lane * LANE
  const own = exchanges.filter((exchange) => exchange.endpoint === endpoint)
  return markup`<text class="lane" x="${LABEL - 8}" y="${y + 12}" text-anchor="end">${endpoint}</text><path class="rule" d="M${LABEL} ${y + LANE - 1}H${WIDTH - 10}"/><path class="tick" d="${raw(
    ticks(
      own.filter(({ response }) => response),
      x,
      y,
    ),
  )}"/><path class="tick failed" d="${raw(
    ticks(
      own.filter(({ response }) => !response),
      x,
      y,
    ),
  )}"/>`
})}
${visitMarks(report, x, bottom)}
${[0, 0.25, 0.5, 0.75, 1].map(
  (part) =>
    markup`<text class="axis" x="${LABEL + part * (WIDTH - LABEL - 10)}" y="${height - 6}" text-anchor="${part === 0 ? 'start' : part === 1 ? 'end' : 'middle'}">${((part * length) / 1000).toFixed(1)} s</text>`,
)}
</svg></div>`
}

/** A number for each visit; where they stand too close, the first of them has one. */
function visitMarks(report: Report, x: (at: string) => number, bottom: number): Markup[] {
  let free = 0
  return report.approvals.map((visit, i) => {
    const at = x(visit.at)
    const place = at.toFixed(1)
    const line = markup`<path class="visit" d="M${place} 18V${bottom}"><title>${visit.name}: ${visit.outcome}</title></path>`
    if (at < free) return line
    free = at + 18
    return markup`${line}<circle class="visit" cx="${place}" cy="10" r="8"><title>${visit.name}: ${visit.outcome}</title></circle><text class="visit" x="${place}" y="14" text-anchor="middle">${i + 1}</text>`
  })
}

/** One stroke per column of the drawing, however many exchanges stand in it. */
function ticks(exchanges: ExchangeRecord[], x: (at: string) => number, y: number): string {
  const columns = new Set(exchanges.map(({ startedAt }) => Math.round(x(startedAt))))
  return [...columns].map((column) => `M${column} ${y + 3}v${LANE - 7}`).join('')
}
