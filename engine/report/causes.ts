import { answeredAlike, cleared, type Group, groupsOf } from './cause-groups.ts'
import { answer } from './cause-kinds.ts'
import { type Evidence, traceOf } from './evidence-index.ts'
import { checksWith, grouped } from './queries.ts'
import type { CheckResult, PreflightLine, ReportedCause, Whose } from './report.ts'

/**
 * What is wrong, once each. Findings stand under one cause only where the exchanges show that they
 * have it in common; what is blocked stands under what blocks it. The gravest cause comes first.
 */
export function causesOf(
  checks: CheckResult[],
  evidence: Evidence,
  preflight: PreflightLine[] = [],
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
      answeredAlike(check, groups, evidence)
    if (group) blocks.set(group, [...(blocks.get(group) ?? []), check.id])
    else homeless.push(check)
  }
  const found = groups.map((group): ReportedCause & { rank: number } => {
    const findings = group.checks.map(({ id }) => id)
    const known = group.checks.every(({ deviation }) => deviation !== undefined)
    return {
      title: group.title,
      whose: group.checks.some(({ outcome }) => outcome === 'error') ? 'suite' : 'bank',
      evidence: group.evidence,
      where: group.where.join(', ') || undefined,
      findings,
      blocks: blocks.get(group) ?? [],
      known: known || undefined,
      rank: rankOf(group, known),
    }
  })
  found.sort((a, b) => a.rank - b.rank || explained(b) - explained(a))
  return [
    ...before,
    ...found.map(({ rank: _, ...cause }) => cause),
    ...withoutFinding(homeless, evidence),
  ]
}

function rankOf({ checks }: Group, known: boolean): number {
  if (known) return 3
  const order = ['error', 'fail', 'warn']
  return Math.min(...checks.map(({ outcome }) => order.indexOf(outcome)))
}

function explained({ findings, blocks }: ReportedCause): number {
  return findings.length + blocks.length
}

/** What is blocked by no finding: what the bank answered, the network, or what the configuration does not give. */
function withoutFinding(blocked: CheckResult[], evidence: Evidence): ReportedCause[] {
  const alike = grouped(blocked, (check) => causeOf(check, evidence).title)
  const causes = [...alike.values()].map((checks): ReportedCause => {
    const blocks = checks.map(({ id }) => id)
    return { ...causeOf(checks[0], evidence), findings: [], blocks }
  })
  return causes.sort((a, b) => b.blocks.length - a.blocks.length)
}

/** `data: …` and `environment: …` as a judged check names what blocked it. */
function causeOf(check: CheckResult, evidence: Evidence): { title: string; whose: Whose } {
  const cause = check.blockedBy ?? check.message
  const [, kind, what = ''] = /^(data|environment): (.*)$/s.exec(cause) ?? []
  if (kind === 'data') {
    return { title: `the customers’ data do not show it: needs ${what}`, whose: 'configuration' }
  }
  const trace = traceOf(check, evidence)
  if (trace?.status !== undefined && / answered \d{3}/.test(what)) {
    return { title: `correct requests are answered ${answer(trace)}`, whose: 'bank' }
  }
  if (what.startsWith('hook ')) return { title: check.message, whose: whoseHook(check.message) }
  const network = /^(\S+: |the bank: )?(unreachable|timeout|closed)\b|does not answer/.test(what)
  return { title: what || cause, whose: network ? 'network' : 'configuration' }
}

/** A hook that said no is the bank's; a program that ended, or a person who could not, is the target's own. */
function whoseHook(message: string): Whose {
  if (/ failed: the program /.test(message)) return 'configuration'
  if (/: it answered \d{3}/.test(message)) return 'bank'
  return /E[A-Z]{4,}|timeout|socket|certificate/i.test(message) ? 'network' : 'configuration'
}
