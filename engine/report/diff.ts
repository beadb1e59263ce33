import { byId, grouped } from './queries.ts'
import type { CheckResult, Observation, Outcome, Report } from './report.ts'

/** The differences between a run and a later one. */
export interface ReportDiff {
  from: ReturnType<typeof named>
  to: ReturnType<typeof named>
  /** Broken now (fail, error) but not before: it passed, was blocked, or did not exist. */
  new: CheckChange[]
  /** Broken before; now judged and passed. */
  fixed: CheckChange[]
  /** Broken in both. */
  still: CheckChange[]
  /** Broken before; now without a verdict. */
  lost: CheckChange[]
  /** Every other check whose outcome changed. */
  changed: CheckChange[]
  /** Checks that are only in the later, or only in the earlier run. */
  appeared: CheckChange[]
  vanished: CheckChange[]
  /** Checks that changed between pass and fail at least twice over the given runs. */
  flaky: { id: string; outcomes: (Outcome | undefined)[] }[]
  /** True if both were asked to judge the same; if not, what only one of them judged is counted but not listed. */
  sameScope: boolean
  /** Behaviour where the documents are silent that has changed. */
  observations: { requirement: string; what: string; before: string[]; after: string[] }[]
  /** Facts that make the comparison inexact: a different suite, requirements, configuration or scope. */
  caveats: string[]
}

export interface CheckChange extends Pick<CheckResult, 'id' | 'requirement' | 'title' | 'message'> {
  before?: Outcome
  after?: Outcome
  /** A known deviation covers the later result. */
  known: boolean
}

/**
 * Compares two reports, `a` the earlier one. `earlier` are runs before `a`, oldest first; with them, a check that goes
 * back and forth is reported as flaky.
 */
export function diffReports(a: Report, b: Report, earlier: Report[] = []): ReportDiff {
  const diff: ReportDiff = {
    from: named(a),
    to: named(b),
    new: [],
    fixed: [],
    still: [],
    lost: [],
    changed: [],
    appeared: [],
    vanished: [],
    flaky: flaky([...earlier, a, b]),
    sameScope: scopeOf(a) === scopeOf(b),
    observations: changedObservations(a, b),
    caveats: caveats(a, b),
  }
  const before = byId(a.checks)
  const after = byId(b.checks)
  for (const check of b.checks) {
    const old = before.get(check.id)
    const kind = kindOf(old?.outcome, check.outcome)
    if (kind) diff[kind].push(change(old, check))
    if (!old) diff.appeared.push(change(old, check))
  }
  for (const check of a.checks) {
    if (!after.has(check.id)) diff.vanished.push(change(check, undefined))
  }
  return diff
}

function kindOf(before: Outcome | undefined, after: Outcome) {
  const was = before !== undefined && broken(before)
  const is = broken(after)
  if (is) return was ? 'still' : 'new'
  if (was) return after === 'pass' ? 'fixed' : 'lost'
  return before !== undefined && before !== after ? 'changed' : undefined
}

function broken(outcome: Outcome): boolean {
  return outcome === 'fail' || outcome === 'error'
}

function named({ target, startedAt, verdict }: Report) {
  return { target: target.name, startedAt, verdict }
}

function change(before: CheckResult | undefined, after: CheckResult | undefined): CheckChange {
  const { id, requirement, title } = after ?? (before as CheckResult)
  return {
    id,
    requirement,
    title,
    before: before?.outcome,
    after: after?.outcome,
    message: after?.message ?? '',
    known: after?.deviation !== undefined,
  }
}

function flaky(reports: Report[]): ReportDiff['flaky'] {
  const runs = reports.map(({ checks }) => byId(checks))
  return [...new Set(runs.flatMap((run) => [...run.keys()]))].flatMap((id) => {
    const outcomes = runs.map((run) => run.get(id)?.outcome)
    return isFlaky(outcomes) ? [{ id, outcomes }] : []
  })
}

/** True if a check changed between pass and fail at least twice. Outcomes without a verdict in between are ignored. */
export function isFlaky(outcomes: readonly (Outcome | null | undefined)[]): boolean {
  const verdicts = outcomes.filter((outcome) => outcome === 'pass' || outcome === 'fail')
  return verdicts.filter((outcome, i) => i > 0 && outcome !== verdicts[i - 1]).length >= 2
}

function changedObservations(a: Report, b: Report): ReportDiff['observations'] {
  const before = observed(a)
  const after = observed(b)
  const seenInBoth = (key: string) => before.has(key) && after.has(key)
  // A run that registers clients, and one that uses kept ones, do not send the same requests.
  const alike = scopeOf(a) === scopeOf(b) && usesKeptClients(a) === usesKeptClients(b)
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((key) => {
    const [requirement = '', what = ''] = JSON.parse(key) as string[]
    if (!alike && !seenInBoth(key)) return []
    const old = before.get(key) ?? []
    const now = after.get(key) ?? []
    return old.join('\n') === now.join('\n') ? [] : [{ requirement, what, before: old, after: now }]
  })
}

const usesKeptClients = ({ earlier = [] }: Report): boolean => earlier.length > 0

/** Values by requirement and what they describe; without duplicates, sorted. */
function observed({ observations }: Report): Map<string, string[]> {
  const groups = grouped(observations, (each) => JSON.stringify([each.requirement, each.what]))
  const valuesOf = (group: Observation[]) => [...new Set(group.map(({ value }) => value))].sort()
  return new Map([...groups].map(([key, group]) => [key, valuesOf(group)]))
}

function caveats(a: Report, b: Report): string[] {
  const words: string[] = []
  const compare = (what: string, fact: (report: Report) => string) => {
    if (fact(a) !== fact(b)) words.push(`${what} differs: ${fact(a)} → ${fact(b)}`)
  }
  const short = (digest: string) => digest.slice(0, 12)
  const members = changedMembers(a.target.members, b.target.members)
  compare('The target', ({ target }) => target.name)
  compare(`The configuration${members}`, ({ target }) => short(target.configurationDigest))
  compare('The version of the suite', ({ assay }) => assay.version)
  compare('The digest of the requirements', ({ assay }) => short(assay.specsDigest))
  compare('The scope', scopeOf)
  if (a.partial) words.push(`The earlier run is partial: ${a.partial}`)
  if (b.partial) words.push(`The later run is partial: ${b.partial}`)
  return words
}

type Members = Report['target']['members']

/** ` (addresses, customers)`: the members of the target file that differ; empty if that is not known. */
function changedMembers(before: Members, after: Members): string {
  if (!before || !after) return ''
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => before[name] !== after[name])
  // With another signing key every digest differs.
  if (changed.length === 0 || names.every((name) => changed.includes(name))) return ''
  return ` (${changed.join(', ')})`
}

/** The scope that a run was asked to judge. */
export function scopeOf({ scope }: Report): string {
  return [scope.profile, ...scope.only].join(' ')
}
