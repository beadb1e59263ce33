import { clip } from './escape.ts'
import type { CheckResult, ExchangeRecord, Report, RequirementResult } from './report.ts'

/** Most characters of one string of a report in anything that is made from it. */
const MAX_STRING = 4000

/** A run as whatever is made from it looks things up. */
export interface Indexed {
  report: Report
  checks: ReadonlyMap<string, CheckResult>
  requirements: ReadonlyMap<string, RequirementResult>
  exchanges: ReadonlyMap<string, ExchangeRecord>
}

const done = new WeakMap<Report, Report>()

/** A run whose report is bounded, with its parts by their ids. */
export function indexed(whole: Report, exchanges: ExchangeRecord[]): Indexed {
  const report = boundedReport(whole)
  return {
    report,
    checks: byId(report.checks),
    requirements: byId(report.requirements),
    exchanges: byId(exchanges),
  }
}

export function byId<T extends { id: string }>(parts: readonly T[]): Map<string, T> {
  return new Map(parts.map((part) => [part.id, part]))
}

/** Parts by what several of them may have in common, in their order; no group is empty. */
export function grouped<T>(parts: readonly T[], keyOf: (part: T) => string) {
  const groups = new Map<string, [T, ...T[]]>()
  for (const part of parts) {
    const known = groups.get(keyOf(part))
    if (known) known.push(part)
    else groups.set(keyOf(part), [part])
  }
  return groups
}

/**
 * The report with every string cut to a length that a reader can bear, saying how much is left out.
 * report.json keeps the whole.
 */
export function boundedReport(report: Report): Report {
  const bounded = done.get(report) ?? (boundedValue(report) as Report)
  done.set(report, bounded).set(bounded, bounded)
  return bounded
}

function boundedValue(value: unknown): unknown {
  if (typeof value === 'string') return clip(value, MAX_STRING)
  if (Array.isArray(value)) return value.map(boundedValue)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, boundedValue(member)])
  return Object.fromEntries(members)
}
