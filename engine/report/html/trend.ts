import type { HistoryEntry } from '../history.ts'
import { brief, span } from '../legible.ts'
import type { Report } from '../report.ts'
import { type Markup, markup, raw } from './markup.ts'

/** Runs that are drawn. */
const MAX_RUNS = 60
const WIDTH = 700
const HEIGHT = 120

/** Musts by outcome, duration and the bank's latency over the runs of a history with the same scope. */
export function trendSection(report: Report, history: HistoryEntry[]): Markup {
  const runs = history
    .filter(
      (run) =>
        run.target === report.target.name && run.profile === report.scope.profile && !run.partial,
    )
    .filter((run) => run.startedAt <= report.startedAt)
    .slice(-MAX_RUNS)
  if (runs.length < 2) return markup``
  const endpoints = report.latency.map(({ endpoint }) => endpoint)
  return markup`<section id="trend" aria-labelledby="h-trend"><h2 id="h-trend">Trend <small>${runs.length} runs</small></h2>
<h3>Musts</h3>
${chart('Musts by outcome', runs, [
  { name: 'passed', tone: 'pass', values: runs.map(({ musts }) => musts.passed) },
  { name: 'failed', tone: 'fail', values: runs.map(({ musts }) => musts.failed) },
  { name: 'blocked', tone: 'blocked', values: runs.map(({ musts }) => musts.blocked) },
])}
<h3>Duration</h3>
${chart('Seconds', runs, [{ name: 'seconds', tone: 'observed', values: runs.map(({ durationMs }) => durationMs / 1000) }])}
<h3>Latency of the bank, 95th percentile</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Latency over the runs"><table><thead><tr><th scope="col">Endpoint</th><th scope="col">Trend</th><th scope="col" class="number">First</th><th scope="col" class="number">Now</th></tr></thead><tbody>${endpoints.map(
    (endpoint) => latencyRow(endpoint, runs),
  )}</tbody></table></div></section>`
}

interface Series {
  name: string
  tone: string
  values: (number | undefined)[]
}

function chart(title: string, runs: HistoryEntry[], series: Series[]): Markup {
  const most = Math.max(1, ...series.flatMap(({ values }) => values.filter((v) => v !== undefined)))
  const first = runs[0]?.startedAt.slice(0, 10) ?? ''
  const last = runs.at(-1)?.startedAt.slice(0, 10) ?? ''
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><svg class="trend" viewBox="0 0 ${WIDTH + 110} ${HEIGHT + 30}" role="img"><title>${title}: ${series
    .map(({ name, values }) => `${name} ${figure(values[0])} to ${figure(values.at(-1))}`)
    .join(', ')}</title>
<path class="rule" d="M0 ${HEIGHT + 5}H${WIDTH}M0 5H${WIDTH}"/><text x="${WIDTH + 6}" y="12">${figure(most)}</text>
${series.map(({ name, tone, values }, i) => markup`<path class="series ${tone}" d="${raw(line(values, most, WIDTH, HEIGHT, 5))}"/><text x="${WIDTH + 6}" y="${30 + i * 15}"><tspan class="point ${tone}">■</tspan> ${name} ${figure(values.at(-1))}</text>`)}
<text x="0" y="${HEIGHT + 22}">${first}</text><text x="${WIDTH}" y="${HEIGHT + 22}" text-anchor="end">${last}</text></svg></div>`
}

function latencyRow(endpoint: string, runs: HistoryEntry[]): Markup {
  const values = runs.map(({ latency }) => latency.find((l) => l.endpoint === endpoint)?.p95)
  const seen = values.filter((value) => value !== undefined)
  const most = Math.max(1, ...seen)
  return markup`<tr><th scope="row">${brief(endpoint, 80)}</th><td><svg class="spark" viewBox="0 0 200 24" aria-hidden="true"><path class="series observed" d="${raw(line(values, most, 200, 20, 2))}"/></svg></td><td class="number">${milliseconds(seen[0])}</td><td class="number">${milliseconds(values.at(-1))}</td></tr>`
}

function line(
  values: (number | undefined)[],
  most: number,
  width: number,
  height: number,
  top: number,
): string {
  const step = values.length > 1 ? width / (values.length - 1) : 0
  let pen = 'M'
  return values
    .map((value, i) => {
      if (value === undefined || !Number.isFinite(value)) {
        pen = 'M'
        return ''
      }
      const point = `${pen}${(i * step).toFixed(1)} ${(top + height - (value / most) * height).toFixed(1)}`
      pen = 'L'
      return point
    })
    .join('')
}

function figure(value: number | undefined): string {
  if (value === undefined) return '–'
  return Number.isInteger(value) ? String(value) : value.toFixed(1)
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? '–' : span(value)
}
