import { clip } from './escape.ts'
import type { Report } from './report.ts'

/** Most characters of one string of a report in anything that is made from it. */
const MAX_STRING = 4000

const done = new WeakMap<Report, Report>()

/**
 * The report with every string cut to a length that a reader can bear, saying how much is left out.
 * report.json keeps the whole.
 */
export function boundedReport(report: Report): Report {
  const known = done.get(report)
  if (known) return known
  const bounded = boundedValue(report) as Report
  done.set(report, bounded)
  done.set(bounded, bounded)
  return bounded
}

function boundedValue(value: unknown): unknown {
  if (typeof value === 'string') return clip(value, MAX_STRING)
  if (Array.isArray(value)) return value.map(boundedValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, boundedValue(member)]),
  )
}
