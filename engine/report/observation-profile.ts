import type { Report } from './report.ts'

/**
 * All behaviour of a bank where the documents are silent, as one stable text: requirement → what → values, sorted,
 * without times and exchange ids. To compare two nights or two banks, compare two of these files.
 */
export function observationProfile(report: Report): string {
  const profile = new Map<string, Map<string, Set<string>>>()
  for (const { requirement, what, value } of report.observations) {
    const own = profile.get(requirement) ?? new Map<string, Set<string>>()
    profile.set(requirement, own.set(what, (own.get(what) ?? new Set()).add(value)))
  }
  const stable = sorted(profile, (own) => sorted(own, (values) => [...values].sort()))
  return `${JSON.stringify(stable, null, 2)}\n`
}

function sorted<T, U>(map: Map<string, T>, value: (member: T) => U): Record<string, U> {
  const entries = [...map].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, member]) => [key, value(member)]))
}
