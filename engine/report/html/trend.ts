import { brief, span } from '../escape.ts'
import type { HistoryEntry } from '../history.ts'
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

/** Room for the figures of the y axis. */
const LEFT = 44

function chart(title: string, runs: HistoryEntry[], series: Series[]): Markup {
  const top = roundUp(Math.max(1, ...series.flatMap(({ values }) => values.map((v) => v ?? 0))))
  const step = runs.length > 1 ? WIDTH / (runs.length - 1) : 0
  const at = (value: number) => 5 + HEIGHT - (value / top) * HEIGHT
  const dated = [0, Math.floor((runs.length - 1) / 2), runs.length - 1]
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><svg class="trend" viewBox="0 0 ${LEFT + WIDTH + 120} ${HEIGHT + 34}" role="img"><title>${title}: ${series
    .map(({ name, values }) => `${name} ${figure(values[0])} to ${figure(values.at(-1))}`)
    .join(', ')}</title>
${[0, 0.5, 1].map((part) => markup`<path class="rule" d="M${LEFT} ${at(top * part)}h${WIDTH}"/><text x="${LEFT - 6}" y="${at(top * part) + 4}" text-anchor="end">${figure(top * part)}</text>`)}
${[...new Set(dated)].map((i) => markup`<path class="rule" d="M${LEFT + i * step} ${HEIGHT + 5}v5"/><text x="${LEFT + i * step}" y="${HEIGHT + 24}" text-anchor="${i === 0 ? 'start' : i === runs.length - 1 ? 'end' : 'middle'}">${runs[i]?.startedAt.slice(0, 10) ?? ''}</text>`)}
<g transform="translate(${LEFT} 0)">${series.map(
    ({ name, tone, values }, i) =>
      markup`<path class="series ${tone}" d="${raw(line(values, top, WIDTH, HEIGHT, 5))}"/>${values.map((value, run) => (value === undefined || !Number.isFinite(value) ? markup`` : markup`<circle class="point ${tone}" cx="${(run * step).toFixed(1)}" cy="${at(value).toFixed(1)}" r="3"><title>${runs[run]?.startedAt ?? ''}: ${figure(value)} ${name}</title></circle>`))}<text x="${WIDTH + 10}" y="${16 + i * 16}"><tspan class="point ${tone}">●</tspan> ${name} ${figure(values.at(-1))}</text>`,
  )}</g></svg></div>`
}

/** The next of 1, 2, 5, 10, 20, 50, … above a value: an axis of round figures. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= value) ?? 10
  return factor * power
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
