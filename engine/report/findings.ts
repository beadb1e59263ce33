import { clip } from './legible.ts'
import type { CheckResult, Outcome, Report, RequirementResult } from './report.ts'

/** Worst first: the order in which a reader wants them. */
export const OUTCOMES: readonly Outcome[] = [
  'error',
  'fail',
  'blocked',
  'not-run',
  'warn',
  'observed',
  'pass',
  'not-applicable',
]

/** The member of `summary` that counts an outcome. */
export function summaryKey(outcome: Outcome): keyof Report['summary'] {
  if (outcome === 'not-applicable') return 'notApplicable'
  return outcome === 'not-run' ? 'notRun' : outcome
}

/** Checks of one outcome; those that a known deviation covers come last. */
export function checksWith(report: Report, ...outcomes: Outcome[]): CheckResult[] {
  const found = report.checks.filter((check) => outcomes.includes(check.outcome))
  return [...found.filter((c) => !c.deviation), ...found.filter((c) => c.deviation)]
}

/** Requirements by id. */
export function requirementsById(report: Report): Map<string, RequirementResult> {
  return new Map(report.requirements.map((requirement) => [requirement.id, requirement]))
}

/** Musts in scope that no check tests, each with its reason. */
export function untestedMusts(report: Report): (RequirementResult & { notTested: string })[] {
  return report.requirements.filter(
    (requirement): requirement is RequirementResult & { notTested: string } =>
      requirement.level === 'must' && requirement.notTested !== undefined,
  )
}

/**
 * Why checks are blocked: the first cause of each chain, with all checks that hang on it. A cause is
 * the id of a check or rule, or words (missing data, the environment). Most victims first.
 */
export function blockedByCause(report: Report): { cause: string; checks: CheckResult[] }[] {
  const byId = new Map(report.checks.map((check) => [check.id, check]))
  const causes = new Map<string, CheckResult[]>()
  for (const check of report.checks) {
    if (check.outcome !== 'blocked') continue
    const cause = firstCause(check, byId)
    causes.set(cause, [...(causes.get(cause) ?? []), check])
  }
  return [...causes]
    .map(([cause, checks]) => ({ cause, checks }))
    .sort((a, b) => b.checks.length - a.checks.length)
}

function firstCause(check: CheckResult, byId: Map<string, CheckResult>): string {
  const seen = new Set([check.id])
  let at = check
  for (;;) {
    const cause = at.blockedBy
    if (cause === undefined || cause === '') return at === check ? check.message : at.id
    const next = byId.get(cause)
    if (!next || seen.has(cause) || next.outcome !== 'blocked') return cause
    seen.add(cause)
    at = next
  }
}

/** All checks that hang on a cause, by that cause. */
export function victimsByCause(report: Report): Map<string, CheckResult[]> {
  return new Map(blockedByCause(report).map(({ cause, checks }) => [cause, checks]))
}

/** Documents, their chapters and the chapters' requirements, in the order of the report. */
export function byChapter(
  report: Report,
): { document: string; chapters: { chapter: string; requirements: RequirementResult[] }[] }[] {
  const documents = new Map<string, Map<string, RequirementResult[]>>()
  for (const requirement of report.requirements) {
    const { document, chapter } = splitChapter(requirement.chapter)
    const chapters = documents.get(document) ?? new Map<string, RequirementResult[]>()
    documents.set(document, chapters)
    const requirements = chapters.get(chapter) ?? []
    chapters.set(chapter, requirements)
    requirements.push(requirement)
  }
  return [...documents].map(([document, chapters]) => ({
    document,
    chapters: [...chapters].map(([chapter, requirements]) => ({ chapter, requirements })),
  }))
}

/** `account-information/transactions` in its two parts. */
export function splitChapter(chapter: string): { document: string; chapter: string } {
  const slash = chapter.indexOf('/')
  if (slash < 0) return { document: 'other', chapter }
  return { document: chapter.slice(0, slash), chapter: chapter.slice(slash + 1) }
}

/** What the verdict rests on, in one sentence. */
export function verdictSentence(report: Report): string {
  const { musts } = report
  const parts = [
    `${musts.passed} of ${musts.judged + musts.blocked + musts.notRun} musts in scope passed`,
  ]
  if (musts.failed > 0) parts.push(`${musts.failed} failed`)
  if (musts.blocked > 0) parts.push(`${musts.blocked} could not be judged`)
  if (musts.notRun > 0) parts.push(`${musts.notRun} not run`)
  if (musts.notApplicable > 0) parts.push(`${musts.notApplicable} not applicable`)
  if (musts.notTested > 0) parts.push(`${musts.notTested} not tested`)
  return `${parts.join(', ')}.`
}

/** `GET /transactions → 200`, or what happened instead of a response. */
export function headline(exchange: {
  request: { method: string; url: string }
  response?: { status: number }
  failure?: { kind: string; code: string }
}): string {
  const { request, response, failure } = exchange
  const ending = response
    ? String(response.status)
    : failure
      ? `${failure.kind} ${failure.code}`
      : 'nothing'
  return `${request.method} ${clip(pathOf(request.url), 120)} → ${ending}`
}

/** Path and query of an address; the address itself when it is none. */
export function pathOf(url: string): string {
  const match = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/i.exec(url)
  return match ? match[1] || '/' : url
}
