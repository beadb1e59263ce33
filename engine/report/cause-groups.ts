import { type Finding, KINDS, mendOf, sceneOf, sentence } from './cause-kinds.ts'
import { answer, type Evidence, type Trace, traceOf } from './evidence-index.ts'
import { grouped } from './queries.ts'
import type { CheckResult } from './report.ts'
import { isGateway } from './whose.ts'

/** Findings that have one cause according to the exchanges. */
export interface Group {
  title: string
  /** Endpoints, without duplicates. */
  where: string[]
  /** What shows that there is one cause; absent for a single finding. */
  evidence?: string
  whose: 'bank' | 'gateway' | 'network'
  /** What to do, if this cause has a special fix. */
  mend?: string
  /** The most informative first. */
  checks: CheckResult[]
}

/** Groups findings by cause; each finding is in one group. */
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
        evidence: withCommon(kind.evidence(shared, first.trace, scene), shared, evidence),
        whose: kind.whose ?? 'bank',
        mend: mendOf(first.check),
        checks: found,
      })
    }
  }
  for (const finding of left) {
    const where = finding.trace ? [finding.trace.where] : []
    const common = commonOf([finding], evidence)
    groups.push({
      ...(common && { evidence: common }),
      title: sentence(finding),
      where,
      whose: 'bank',
      mend: mendOf(finding.check),
      checks: [finding.check],
    })
  }
  return groups
}

/** Adds what the refused requests have in common to the other evidence of one cause. */
function withCommon(words: string, findings: Finding[], evidence: Evidence): string {
  const common = commonOf(findings, evidence)
  return common === undefined ? words : `${words}; ${common}`
}

/**
 * Where some correct requests to an endpoint are refused and others succeed: what all of the former have and none of
 * the latter has. Undefined if there is no such thing.
 */
function commonOf(findings: Finding[], evidence: Evidence): string | undefined {
  const [first] = findings
  const { where } = first?.trace ?? {}
  const same = findings.every(({ trace }) => trace?.where === where && isRefused(trace))
  if (!where || !same) return undefined
  const alike = [...evidence.values()].filter(
    (trace) => trace.where === where && trace.deviation === undefined,
  )
  const refused = alike.filter(isRefused)
  const served = alike.filter(({ status = 0 }) => status >= 200 && status < 300)
  if (served.length === 0) return undefined
  const worked = new Set(served.flatMap(({ asked = [] }) => asked))
  const common = (refused[0]?.asked ?? []).filter(
    (name) => !worked.has(name) && refused.every(({ asked = [] }) => asked.includes(name)),
  )
  if (common.length === 0) return undefined
  return `every request with ${common.join(' and ')} is refused, and others succeed`
}

const isRefused = (trace: Trace | undefined): boolean =>
  trace?.deviation === undefined && (trace?.status ?? 0) >= 400

/**
 * The cause of a check that was blocked by missing data, where the exchanges show that the data exist: if AccountIds
 * change from answer to answer, rows seem to belong to nobody.
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
  // A rule that found no answers to compare, of a requirement that the same cause blocks.
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

/** True if any other answer under the same consent shows one of these AccountIds. */
function known({ id, consent, accountIds = [] }: Trace, evidence: Evidence): boolean {
  return [...evidence.values()].some(
    (other) =>
      other.id !== id &&
      other.consent === consent &&
      other.accountIds?.some((each) => accountIds.includes(each)),
  )
}

/**
 * The cause of a check that was blocked by the bank's answer to a correct request, where a finding is about the same
 * answer.
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
      if (isGateway(trace)) return isGateway(other)
      return correct && isError(other) && answer(other) === answer(trace)
    }),
  )
}

/**
 * The finding that may hide the data that a blocked check needs: a broken must at the same endpoints, preferably in the
 * same chapter. Whether the customers have such data shows once it is fixed.
 */
export function hidden(
  check: CheckResult,
  groups: readonly Group[],
  evidence: Evidence,
): Group | undefined {
  if (!/^(data|freedom): /.test(check.blockedBy ?? '')) return undefined
  const asked = new Set(check.exchanges.map((id) => evidence.get(id)?.where))
  const broken = groups.filter(({ checks }) => checks.some(({ outcome }) => outcome === 'fail'))
  const ofChapter = broken.filter(({ checks }) =>
    checks.some(({ id, outcome }) => outcome === 'fail' && chapterOf(id) === chapterOf(check.id)),
  )
  const isThere = ({ where }: Group) => where.some((each) => asked.has(each))
  return ofChapter.find(isThere) ?? ofChapter[0] ?? broken.find(isThere)
}

/** `TXN` in TXN-17/to-alone. */
const chapterOf = (id: string) => id.replace(/-.*$/s, '')

function isError({ status = 0 }: Trace): boolean {
  return status >= 400
}
