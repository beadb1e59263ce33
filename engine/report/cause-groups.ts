import { answer, type Finding, KINDS, sceneOf, sentence } from './cause-kinds.ts'
import { type Evidence, type Trace, traceOf } from './evidence-index.ts'
import { grouped } from './queries.ts'
import type { CheckResult } from './report.ts'

/** Findings that the exchanges show to have one cause. */
export interface Group {
  title: string
  /** Endpoints, each once. */
  where: string[]
  /** What shows that it is one cause; absent where there is one finding. */
  evidence?: string
  /** The most telling first. */
  checks: CheckResult[]
}

/** Findings by cause, each finding once. */
export function groupsOf(checks: CheckResult[], evidence: Evidence): Group[] {
  let left: Finding[] = checks.map((check) => ({ check, trace: traceOf(check, evidence) }))
  const scene = sceneOf(left, evidence)
  const groups: Group[] = []
  for (const kind of KINDS) {
    const traced = left.flatMap(({ check, trace }) => {
      const key = trace && check.outcome !== 'error' && kind.key({ check, trace }, scene)
      return key ? [{ check, trace, key }] : []
    })
    for (const shared of grouped(traced, ({ key }) => key).values()) {
      if (shared.length < 2 && !kind.alone) continue
      const [first] = shared
      const found = shared.map(({ check }) => check)
      left = left.filter(({ check }) => !found.includes(check))
      groups.push({
        title: kind.title(shared, first.trace, scene),
        where: [...new Set(shared.map(({ trace }) => trace.where))],
        evidence: kind.evidence(shared, first.trace, scene),
        checks: found,
      })
    }
  }
  for (const finding of left) {
    const where = finding.trace ? [finding.trace.where] : []
    groups.push({ title: sentence(finding), where, checks: [finding.check] })
  }
  return groups
}

/**
 * The cause of something that was blocked for want of data, where the exchanges show that the data are
 * there: AccountIds that change from answer to answer make rows that belong to nobody.
 */
export function cleared(
  check: CheckResult,
  groups: Group[],
  all: CheckResult[],
  evidence: Evidence,
): Group | undefined {
  if (!check.blockedBy?.startsWith('data: ')) return undefined
  const group = groups.find(({ checks }) => checks.some((each) => changesIds(each, evidence)))
  if (!group) return undefined
  const seen = traceOf(check, evidence)
  if (seen) return seen.accountIds && !known(seen, evidence) ? group : undefined
  // A rule that saw no pair of answers to compare, of a requirement that the same cause blocks.
  const ids = group.checks.map(({ id }) => id)
  const sibling = all.some(
    (each) => each.requirement === check.requirement && ids.includes(each.blockedBy ?? ''),
  )
  return sibling ? group : undefined
}

function changesIds(check: CheckResult, evidence: Evidence): boolean {
  const trace = traceOf(check, evidence)
  return trace?.where === 'GET /accounts' && !!trace.accountIds && !known(trace, evidence)
}

/** Whether any other answer under the same consent shows one of these AccountIds. */
function known({ id, consent, accountIds = [] }: Trace, evidence: Evidence): boolean {
  return [...evidence.values()].some(
    (other) =>
      other.id !== id &&
      other.consent === consent &&
      other.accountIds?.some((each) => accountIds.includes(each)),
  )
}

/**
 * The cause of something that the bank's own answer to a correct request blocked, where a finding
 * condemns the same answer.
 */
export function answeredAlike(
  check: CheckResult,
  groups: Group[],
  evidence: Evidence,
): Group | undefined {
  const trace = traceOf(check, evidence)
  if (!check.blockedBy?.startsWith('environment: ') || !trace || !isError(trace)) return undefined
  return groups.find(({ checks }) =>
    checks.some((each) => {
      const other = traceOf(each, evidence)
      const correct = other && other.deviation === undefined
      return correct && isError(other) && answer(other) === answer(trace)
    }),
  )
}

function isError({ status = 0 }: Trace): boolean {
  return status >= 400
}
