import { answeredAlike, cleared, type Group, groupsOf, hidden } from './cause-groups.ts'
import { doubts, type Hooks } from './doubts.ts'
import { type Evidence, traceOf } from './evidence-index.ts'
import { checksWith, grouped } from './queries.ts'
import type { CheckResult, PreflightLine, ReportedCause, Whose } from './report.ts'
import { BANK_MEND, blameFor, DOCTOR_MEND, GATEWAY_MEND, SUITE_MEND, situationOf } from './whose.ts'

/**
 * What is wrong, each cause once. Findings are under one cause only where the exchanges show that they share it; a
 * blocked check is under what blocks it. The most serious cause comes first.
 *
 * @param hooks what made facts true in the run
 */
export function causesOf(
  checks: CheckResult[],
  evidence: Evidence,
  preflight: PreflightLine[] = [],
  hooks?: Hooks,
): ReportedCause[] {
  const before = preflight
    .filter(({ level }) => level === 'wrong')
    .map(({ text, whose = 'network' }) => ({ title: text, whose, findings: [], blocks: [] }))
  const groups = groupsOf(checksWith({ checks }, 'error', 'fail', 'warn'), evidence)
  const blocked = checks.filter(({ outcome }) => outcome === 'blocked')
  const owner = new Map(groups.flatMap((group) => group.checks.map(({ id }) => [id, group])))
  const blocks = new Map<Group, string[]>()
  const homeless: CheckResult[] = []
  for (const check of blocked) {
    const group =
      owner.get(check.blockedBy ?? '') ??
      cleared(check, groups, checks, evidence) ??
      answeredAlike(check, groups, evidence) ??
      hidden(check, groups, evidence)
    if (group) blocks.set(group, [...(blocks.get(group) ?? []), check.id])
    else homeless.push(check)
  }
  const doubtIn = doubts(checks, hooks)
  const found = groups.map((group): ReportedCause & { rank: number } => {
    const doubt = group.whose === 'bank' ? doubtIn(group.checks) : undefined
    const findings = group.checks.map(({ id }) => id)
    const known = group.checks.every(({ deviation }) => deviation !== undefined)
    return {
      title: group.title,
      whose: group.checks.some(({ outcome }) => outcome === 'error')
        ? 'suite'
        : (doubt?.whose ?? group.whose),
      evidence: group.evidence,
      where: group.where.join(', ') || undefined,
      mend: group.checks.some(({ outcome }) => outcome === 'error')
        ? SUITE_MEND
        : (group.mend ?? doubt?.mend ?? MENDS[group.whose]),
      findings,
      blocks: blocks.get(group) ?? [],
      known: known || undefined,
      rank: rankOf(group, known),
    }
  })
  found.sort((a, b) => a.rank - b.rank || explained(b) - explained(a))
  const isMinor = ({ rank, blocks }: (typeof found)[number]) => rank > FAIL && blocks.length === 0
  const asCauses = (some: typeof found) => some.map(({ rank: _, ...cause }): ReportedCause => cause)
  return [
    ...before,
    ...asCauses(found.filter((cause) => !isMinor(cause))),
    ...withoutFinding(homeless, evidence),
    ...asCauses(found.filter(isMinor)),
  ]
}

const MENDS = { bank: BANK_MEND, gateway: GATEWAY_MEND, network: DOCTOR_MEND }

/** The rank of a broken must. A lower cause that blocks nothing comes after those that block something. */
const FAIL = 1

function rankOf({ checks }: Group, known: boolean): number {
  if (known) return 3
  const order = ['error', 'fail', 'warn']
  return Math.min(...checks.map(({ outcome }) => order.indexOf(outcome)))
}

function explained({ findings, blocks }: ReportedCause): number {
  return findings.length + blocks.length
}

/** Parties whose causes show in answers, or in their absence. */
const ANSWERED: readonly Whose[] = ['bank', 'gateway', 'network']

/** Quoted words of a page differ for each client that they name. */
const QUOTED = /“[^“”]*”/g

/** Causes of blocked checks that no finding blocks: an answer of the bank, the network, or missing configuration. */
function withoutFinding(blocked: CheckResult[], evidence: Evidence): ReportedCause[] {
  const causeOf = (check: CheckResult) => blameFor(situationOf(check, traceOf(check, evidence)))
  const alike = grouped(blocked, (check) => causeOf(check).title.replace(QUOTED, ''))
  const causes = [...alike.values()].map((checks): ReportedCause => {
    const blocks = checks.map(({ id }) => id)
    const blame = causeOf(checks[0])
    const seen = checks.flatMap((check) => traceOf(check, evidence)?.where ?? [])
    // What the target file or the data lack does not show at an endpoint.
    const where = ANSWERED.includes(blame.whose) && [...new Set(seen)].slice(0, 3).join(', ')
    return { ...blame, ...(where && { where }), findings: [], blocks }
  })
  return causes.sort((a, b) => b.blocks.length - a.blocks.length)
}
