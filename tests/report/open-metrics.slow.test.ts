import { expect, test } from 'vitest'
import { openMetrics } from '../../engine/report/open-metrics.ts'
import type { Report } from '../../engine/report/report.ts'
import { createLatency } from '../../engine/run/latency.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { hostileRun } from './hostile.ts'
import { copied, recorded } from './recorded.ts'

/** assay.prom: OpenMetrics 1.0, also for readers of the older Prometheus format. */

const { report } = copied(await recorded('faulty'))

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const LABEL = `[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"`
const SAMPLE = new RegExp(`^(${NAME})\\{(${LABEL}(?:,${LABEL})*)\\} (-?\\d+(?:\\.\\d+)?)$`)
const DESCRIBED = new RegExp(`^# (TYPE|UNIT|HELP) (${NAME}) (.+)$`)

/** Reads a text as the grammar of OpenMetrics 1.0 has it; throws where it is none. */
function read(text: string) {
  const lines = text.split('\n')
  expect(lines.slice(-2)).toEqual(['# EOF', ''])
  const samples: { name: string; labels: string; value: number }[] = []
  const families = new Map<string, string>()
  let family = ''
  for (const line of lines.slice(0, -2)) {
    const described = DESCRIBED.exec(line)
    if (described) {
      const [, what = '', name = '', word = ''] = described
      if (what === 'TYPE') {
        // The samples of a family stand together, and a family stands once.
        expect(families.has(name), name).toBe(false)
        families.set(name, word)
        expect(['gauge', 'summary']).toContain(word)
        family = name
      }
      if (what === 'UNIT') expect(name.endsWith(`_${word}`), line).toBe(true)
      expect(name).toBe(family)
      continue
    }
    const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? expect.fail(`no sample: ${line}`)
    expect([family, ...(families.get(family) === 'summary' ? [`${family}_count`] : [])]).toContain(
      name,
    )
    samples.push({ name, labels, value: Number(value) })
  }
  const series = samples.map(({ name, labels }) => `${name}{${labels}}`)
  expect(new Set(series).size).toBe(series.length)
  return samples
}

const figure = (of: Report, name: string, ...labels: string[]) =>
  read(openMetrics(of))
    .filter((sample) => sample.name === name && labels.every((l) => sample.labels.includes(l)))
    .map(({ value }) => value)

test('verdict, requests, visits and approvals are those of the report', () => {
  expect(figure(report, 'assay_run_verdict', 'verdict="nonconformant"')).toEqual([1])
  expect(figure(report, 'assay_run_verdict', 'verdict="conformant"')).toEqual([0])
  expect(figure(report, 'assay_run_exit_code')).toEqual([1])
  expect(figure(report, 'assay_run_requests')).toEqual([report.requests])
  expect(figure(report, 'assay_run_visits')).toEqual([report.approvals.length])
  const granted = report.approvals.filter(({ outcome }) => outcome === 'granted')
  expect(figure(report, 'assay_run_approvals')).toEqual([granted.length])
  const [began = 0] = figure(report, 'assay_run_start_timestamp_seconds')
  expect(Math.round(began * 1000)).toBe(Date.parse(report.startedAt))
})

test('every check is in one series of its chapter, level and outcome', () => {
  const sum = (values: number[]) => values.reduce((all, value) => all + value, 0)
  expect(sum(figure(report, 'assay_checks'))).toBe(report.checks.length)
  expect(sum(figure(report, 'assay_checks', 'outcome="fail"'))).toBe(report.summary.fail)
  const transactions = 'chapter="account-information/transactions"'
  expect(sum(figure(report, 'assay_checks', transactions, 'outcome="fail"'))).toBeGreaterThan(0)
  expect(figure(report, 'assay_musts', 'outcome="failed"')).toEqual([report.musts.failed])
})

test('latency by endpoint in seconds, of an older report without the 99th percentile', () => {
  const { report: other } = copied({ report, exchanges: [] })
  other.latency = [
    { endpoint: 'token', count: 7, p50: 12, p95: 1500.5, p99: 2000 },
    { endpoint: 'accounts', count: 1, p50: 1, p95: 1 },
  ]
  const token = (quantile: string) =>
    figure(other, 'assay_latency_seconds', 'endpoint="token"', `quantile="${quantile}"`)
  expect([token('0.5'), token('0.95'), token('0.99')]).toEqual([[0.012], [1.5005], [2]])
  expect(figure(other, 'assay_latency_seconds_count', 'endpoint="token"')).toEqual([7])
  expect(figure(other, 'assay_latency_seconds', 'endpoint="accounts"')).toEqual([0.001, 0.001])
})

test('a run that judged nothing has no verdict', () => {
  const { report: other } = copied({ report, exchanges: [] })
  for (const check of other.checks) check.outcome = 'not-run'
  expect(figure(other, 'assay_run_verdict', 'verdict="not judged"')).toEqual([1])
  expect(figure(other, 'assay_run_verdict', 'verdict="nonconformant"')).toEqual([0])
})

test('names and versions from outside stay values of labels', async () => {
  const { report: attacked } = await hostileRun()
  attacked.latency = [{ endpoint: 'x"} 1\n# EOF\\', count: 1, p50: 1, p95: 1, p99: 1 }]
  const samples = read(openMetrics(attacked))
  const [latency] = samples.filter(({ name }) => name === 'assay_latency_seconds')
  expect(latency?.labels).toContain('endpoint="x\\"} 1 # EOF\\\\"')
})

test('percentiles of the answers of an endpoint; a request without one counts in none', () => {
  const latency = createLatency()
  const response = { status: 200 }
  for (let n = 1; n <= 200; n += 1)
    latency.note({ endpoint: 'accounts', durationMs: n, response } as unknown as Exchange)
  latency.note({ endpoint: 'accounts', durationMs: 9000 } as unknown as Exchange)
  expect(latency.summary()).toEqual([
    { endpoint: 'accounts', count: 200, p50: 100, p95: 190, p99: 198 },
  ])
})
