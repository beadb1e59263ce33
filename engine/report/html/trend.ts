import { brief, count, span } from '../escape.ts'
import { cellsAskedBy, type HistoryEntry } from '../history.ts'
import type { Report } from '../report.ts'
import { type Markup, markup, raw } from './markup.ts'

/** Maximum number of runs in the chart. */
const MAX_RUNS = 60
const WIDTH = 700
const HEIGHT = 120

/** Musts by outcome, duration and the bank's latency over the runs of a history with the same scope. */
export function trendSection(report: Report, history: HistoryEntry[]): Markup {
  const runs = history
    .filter(
      ({ target, profile, partial, startedAt }) =>
        target === report.target.name &&
        profile === report.scope.profile &&
        !partial &&
        startedAt <= report.startedAt,
    )
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
${cellsLine(runs)}<h3>Duration</h3>
${chart('Seconds', runs, [{ name: 'seconds', tone: 'observed', values: runs.map(({ durationMs }) => durationMs / 1000) }])}
<h3>Latency of the bank, 95th percentile</h3>
<div class="scroll" tabindex="0" role="region" aria-label="Latency over the runs"><table><thead><tr><th scope="col">Endpoint</th><th scope="col">Trend</th><th scope="col" class="number">First</th><th scope="col" class="number">Now</th></tr></thead><tbody>${endpoints.map(
    (endpoint) => latencyRow(endpoint, runs),
  )}</tbody></table></div></section>`
}

/** The number of test values that nights with different seeds tried together. */
function cellsLine(runs: HistoryEntry[]): Markup {
  const cells = cellsAskedBy(runs)
  if (!cells) return markup``
  return markup`<p>Together these runs tried ${count(cells.asked)} of ${count(cells.of)} test values.</p>
`
}

interface Series {
  name: string
  tone: string
  values: (number | undefined)[]
}

/** Width for the figures of the y axis. */
const LEFT = 44

function chart(title: string, runs: HistoryEntry[], series: Series[]): Markup {
  const top = roundUp(Math.max(1, ...series.flatMap(({ values }) => values.map((v) => v ?? 0))))
  const step = WIDTH / (runs.length - 1)
  const at = (value = Number.NaN) => 5 + HEIGHT - (value / top) * HEIGHT
  const dated = [0, Math.floor((runs.length - 1) / 2), runs.length - 1]
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><svg class="trend" viewBox="0 0 ${LEFT + WIDTH + 120} ${HEIGHT + 34}" role="img"><title>${title}: ${series
    .map(({ name, values }) => `${name} ${figure(values[0])} to ${figure(values.at(-1))}`)
    .join(', ')}</title>
${[0, 0.5, 1].map((part) => markup`<path class="rule" d="M${LEFT} ${at(top * part)}h${WIDTH}"/><text x="${LEFT - 6}" y="${at(top * part) + 4}" text-anchor="end">${figure(top * part)}</text>`)}
${[...new Set(dated)].map((i) => markup`<path class="rule" d="M${LEFT + i * step} ${HEIGHT + 5}v5"/><text x="${LEFT + i * step}" y="${HEIGHT + 24}" text-anchor="${i === 0 ? 'start' : i === runs.length - 1 ? 'end' : 'middle'}">${runs[i]?.startedAt.slice(0, 10) ?? ''}</text>`)}
<g transform="translate(${LEFT} 0)">${series.map(
    ({ name, tone, values }, i) =>
      markup`<path class="series ${tone}" d="${line(values.map(at), step)}"/>${values.map((value, run) => markup`${Number.isFinite(value) && markup`<circle class="point ${tone}" cx="${(run * step).toFixed(1)}" cy="${at(value).toFixed(1)}" r="3"><title>${runs[run]?.startedAt ?? ''}: ${figure(value)} ${name}</title></circle>`}`)}<text x="${WIDTH + 10}" y="${16 + i * 16}"><tspan class="point ${tone}">●</tspan> ${name} ${figure(values.at(-1))}</text>`,
  )}</g></svg></div>`
}

/** The next round figure at or above a value, for an axis: 1, 2, 2.5, 5, 10 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= value) ?? 10
  return factor * power
}

function latencyRow(endpoint: string, runs: HistoryEntry[]): Markup {
  const values = runs.map(({ latency }) => latency.find((l) => l.endpoint === endpoint)?.p95)
  const seen = values.filter((value) => value !== undefined)
  const most = Math.max(1, ...seen)
  const heights = values.map((value = Number.NaN) => 22 - (value / most) * 20)
  return markup`<tr><th scope="row">${brief(endpoint, 80)}</th><td><svg class="spark" viewBox="0 0 200 24" aria-hidden="true"><path class="series observed" d="${line(heights, 200 / (runs.length - 1))}"/></svg></td><td class="number">${milliseconds(seen[0])}</td><td class="number">${milliseconds(values.at(-1))}</td></tr>`
}

/** A path over these heights, with gaps where there is no value. */
function line(heights: number[], step: number): Markup {
  const points = heights.map((y, i) => {
    if (!Number.isFinite(y)) return ''
    const pen = Number.isFinite(heights[i - 1]) ? 'L' : 'M'
    return `${pen}${(i * step).toFixed(1)} ${y.toFixed(1)}`
  })
  return raw(points.join(''))
}

function figure(value: number | undefined): string {
  if (value === undefined) return '–'
  return Number.isInteger(value) ? String(value) : value.toFixed(1)
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? '–' : span(value)
}
