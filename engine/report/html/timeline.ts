import { sizeFigures } from '../counts.ts'
import { counted } from '../escape.ts'
import { checksWith, grouped, headline } from '../queries.ts'
import type { ApprovalUse, ExchangeRecord, Report } from '../report.ts'
import { checkLink, type Markup, markup } from './markup.ts'

const WIDTH = 1000
const LANE = 18
const LABEL = 210
/** Column width in the drawing: a run has more requests than a screen has columns. */
const COLUMN = 2

/** When each request was sent, one lane per endpoint, with visits; below it, what each visit was used for. */
export function timelineSection(report: Report, exchanges: ExchangeRecord[]): Markup {
  return markup`<section id="timeline" aria-labelledby="h-timeline">
<h2 id="h-timeline">Timeline</h2>
${chart(report, exchanges)}
${visits(report)}
${latency(report)}
</section>`
}

function visits(report: Report): Markup {
  const { meaning } = sizeFigures(report).find(({ word }) => word === 'visits') ?? { meaning: '' }
  if (report.approvals.length === 0)
    return markup`<p>No customer visited the authorisation page.</p>`
  return markup`<details${report.approvals.length > 12 ? '' : markup` open`}><summary><b>${counted(report.approvals.length, 'visit')}</b> ${meaning}</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Visits"><table><thead><tr><th scope="col">#</th><th scope="col">Visit</th><th scope="col">Customer</th><th scope="col">Client</th><th scope="col">End</th><th scope="col" class="number">At</th><th scope="col">Served</th></tr></thead>
<tbody>${report.approvals.map(
    (visit, i) =>
      markup`<tr><td>${i + 1}</td><th scope="row">${visit.name}</th><td>${visit.customer}</td><td>${visit.client}</td><td>${visit.outcome}</td><td class="number"><time datetime="${visit.at}">${visit.resumed ? 'before the interruption' : `${seconds(visit.at, report.startedAt)} s`}</time></td><td>${served(visit)}</td></tr>`,
  )}</tbody></table></div></details>`
}

function served({ used }: ApprovalUse): Markup {
  const links = markup`${used.map((id) => markup`${checkLink(id)} `)}`
  if (used.length <= 6) return links
  return markup`<details><summary>${counted(used.length, 'check')}</summary>${links}</details>`
}

function latency(report: Report): Markup | false {
  if (report.latency.length === 0) return false
  return markup`<h3>Latency of the bank</h3>
<p>From the request to the end of the answer, by the clock of this machine. Recorded, never judged.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Latency"><table><thead><tr><th scope="col">Endpoint</th><th scope="col" class="number">Requests</th><th scope="col" class="number">Median</th><th scope="col" class="number">95th percentile</th><th scope="col" class="number">99th percentile</th></tr></thead>
<tbody>${report.latency.map(
    ({ endpoint, count, p50, p95, p99 }) =>
      markup`<tr><th scope="row">${endpoint}</th><td class="number">${count}</td><td class="number">${p50.toFixed(1)} ms</td><td class="number">${p95.toFixed(1)} ms</td><td class="number">${p99 === undefined ? '–' : `${p99.toFixed(1)} ms`}</td></tr>`,
  )}</tbody></table></div>`
}

function seconds(at: string, start: string): string {
  return ((Date.parse(at) - Date.parse(start)) / 1000).toFixed(1)
}

/** The meaning of a tick in the chart, the most serious first: of several in one column the first is drawn. */
const KINDS = [
  { kind: 'failed', tone: 'fail', words: 'evidence of a failure' },
  { kind: 'lost', tone: 'blocked', words: 'no response' },
  {
    kind: 'refused',
    tone: 'warn',
    words: 'refused on purpose: something was wrong with the request',
  },
  { kind: 'sent', tone: 'observed', words: 'everything else' },
] as const

/** Its index in `KINDS`. */
function kindOf({ id, response, about }: ExchangeRecord, failed: ReadonlySet<string>) {
  if (failed.has(id)) return 0
  if (about.deviation === undefined) return response ? 3 : 1
  return (response?.status ?? 400) >= 300 ? 2 : 3
}

function chart(report: Report, exchanges: ExchangeRecord[]): Markup {
  const start = Date.parse(report.startedAt)
  const length = Math.max(1, Date.parse(report.finishedAt) - start)
  const x = (at: string) =>
    LABEL + Math.min(1, Math.max(0, (Date.parse(at) - start) / length)) * (WIDTH - LABEL - 10)
  const lanes = [...new Set(exchanges.map(({ endpoint }) => endpoint))]
  if (lanes.length === 0) return markup`<p>No exchange was recorded.</p>`
  const failed = new Set(
    checksWith(report, 'fail', 'error').flatMap((check) => check.exchanges.slice(0, 1)),
  )
  const top = 26
  const height = top + lanes.length * LANE + 24
  const bottom = height - 22
  return markup`<ul class="legend">${KINDS.map(({ kind, tone, words }) => markup`<li><svg class="key" viewBox="0 0 10 14" aria-hidden="true"><path class="tick ${kind} ${tone}" d="M5 1v12"/></svg> ${words}</li>`)}<li><svg class="key" viewBox="0 0 14 14" aria-hidden="true"><circle class="visit" cx="7" cy="7" r="6"/></svg> visits at the authorisation page, by number</li></ul>
<div class="scroll" tabindex="0" role="region" aria-label="Timeline chart"><svg class="timeline" viewBox="0 0 ${WIDTH} ${height}" role="group" aria-labelledby="timeline-title">
<title id="timeline-title">${counted(exchanges.length, 'exchange')} over ${(length / 1000).toFixed(1)} seconds in ${counted(lanes.length, 'lane')}; numbers mark visits</title>
${lanes.map((endpoint, lane) => {
  const y = top + lane * LANE
  const own = exchanges.filter((exchange) => exchange.endpoint === endpoint)
  return markup`<text class="lane" x="${LABEL - 8}" y="${y + 12}" text-anchor="end">${endpoint}</text><path class="rule" d="M${LABEL} ${y + LANE - 1}H${WIDTH - 10}"/>${ticks(own, failed, x, y)}`
})}
${marksOf(report, x).map((mark) => visitMark(mark, bottom))}
${[0, 0.25, 0.5, 0.75, 1].map(
  (part) =>
    markup`<text class="axis" x="${LABEL + part * (WIDTH - LABEL - 10)}" y="${height - 6}" text-anchor="${part === 0 ? 'start' : part === 1 ? 'end' : 'middle'}">${((part * length) / 1000).toFixed(1)} s</text>`,
)}
</svg></div>`
}

/** Half the width of the widest mark, `380–412`: a mark at least this far away does not overlap the previous one. */
const WIDEST = 29

interface Mark {
  visits: ApprovalUse[]
  /** Number of the first visit, starting at 1. */
  number: number
  from: number
  to: number
}

/** Marks of the visits; visits whose numbers would overlap share one mark, `3–12`. */
function marksOf(report: Report, x: (at: string) => number): Mark[] {
  const marks: Mark[] = []
  for (const [i, visit] of report.approvals.entries()) {
    const at = x(visit.at)
    const last = marks.at(-1)
    if (last && at < last.to + widthOf(last) / 2 + WIDEST) {
      last.visits.push(visit)
      last.to = Math.max(last.to, at)
    } else marks.push({ visits: [visit], number: i + 1, from: at, to: at })
  }
  return marks
}

function labelOf({ visits, number }: Mark): string {
  return visits.length === 1 ? String(number) : `${number}–${number + visits.length - 1}`
}

function widthOf(mark: Mark): number {
  return Math.max(16, labelOf(mark).length * 7 + 8)
}

function visitMark(mark: Mark, bottom: number): Markup {
  const { visits, number, from, to } = mark
  const width = widthOf(mark)
  const middle = (from + to) / 2
  const words = visits.map(({ name, outcome }, i) => `${number + i}: ${name}, ${outcome}`)
  const most = words.length > 12 ? [...words.slice(0, 12), `and ${words.length - 12} more`] : words
  const lines = [...new Set([from, to])].map((at) => `M${at.toFixed(1)} 18V${bottom}`).join('')
  return markup`<g><title>${most.join('\n')}</title><path class="visit" d="${lines}"/><rect class="visit" x="${(middle - width / 2).toFixed(1)}" y="2" width="${width}" height="16" rx="8"/><text class="visit" x="${middle.toFixed(1)}" y="14" text-anchor="middle">${labelOf(mark)}</text></g>`
}

/** One stroke per column and kind, however many exchanges it stands for, linked to the first of them. */
function ticks(
  exchanges: ExchangeRecord[],
  failed: ReadonlySet<string>,
  x: (at: string) => number,
  y: number,
): Markup[] {
  const columnOf = ({ startedAt }: ExchangeRecord) => Math.round(x(startedAt) / COLUMN) * COLUMN
  const alike = grouped(exchanges, (each) => `${columnOf(each)} ${kindOf(each, failed)}`)
  // The most serious is drawn last, so that it is on top.
  const drawn = [...alike.values()].sort(([a], [b]) => kindOf(b, failed) - kindOf(a, failed))
  return drawn.map(([first, ...others]) => {
    const { kind, tone } = KINDS[kindOf(first, failed)]
    const more = others.length > 0 ? ` and ${others.length} more` : ''
    return markup`<a href="#exchange-${first.id}" tabindex="-1"><title>${first.id} ${headline(first)}${more}</title><path class="tick ${kind} ${tone}" d="M${columnOf(first)} ${y + 3}v${LANE - 7}"/></a>`
  })
}
