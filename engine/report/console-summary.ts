import { boundedReport } from './bounded-report.ts'
import {
  blockedByCause,
  checksWith,
  headline,
  OUTCOMES,
  requirementsById,
  summaryKey,
  verdictSentence,
} from './findings.ts'
import { brief, counted, span } from './legible.ts'
import type { CheckResult, ExchangeRecord, Outcome, Report, RequirementResult } from './report.ts'

export interface ConsoleOptions {
  /** Path of report.html or of the folder, as the user would type it. */
  path?: string
  /** ANSI colours; default false. */
  colour?: boolean
  /** Failures that are written out; the rest are counted. Default 20. */
  failures?: number
}

/** Lines of one expected or actual that are written out. */
const MAX_LINES = 6

const COLOURS: Partial<Record<string, string>> = {
  conformant: '32',
  pass: '32',
  nonconformant: '31',
  fail: '31',
  error: '35',
  incomplete: '33',
  blocked: '33',
  warn: '33',
  label: '2',
}

/**
 * What the terminal shows at the end of a run: the verdict and what it rests on, counts, failures
 * with requirement, expected, actual and exchange, causes of what is blocked, and the path of the
 * report. Strings from a bank can't move the cursor.
 */
export function consoleSummary(
  whole: Report,
  exchanges: ExchangeRecord[],
  options: ConsoleOptions = {},
): string {
  const report = boundedReport(whole)
  const paint = (text: string, as: string) =>
    options.colour && COLOURS[as] ? `\u001b[${COLOURS[as]}m${text}\u001b[0m` : text
  const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]))
  const requirements = requirementsById(report)
  const lines: string[] = []

  const shown = options.failures ?? 20
  const bad = checksWith(report, 'error', 'fail')
  for (const check of bad.slice(0, shown)) {
    lines.push(...failure(check, requirements.get(check.requirement), byId, paint), '')
  }
  if (bad.length > shown)
    lines.push(`… and ${counted(bad.length - shown, 'more failure')} in the report`, '')

  const causes = blockedByCause(report)
  for (const { cause, checks } of causes.slice(0, 10)) {
    lines.push(
      `${paint('blocked', 'blocked')}  ${counted(checks.length, 'check')} by ${short(cause)}`,
    )
  }
  if (causes.length > 10)
    lines.push(`… and ${counted(causes.length - 10, 'more cause')} in the report`)
  for (const { kind, id, why } of report.leftBehind) {
    lines.push(`left behind  ${kind} ${short(id)}: ${short(why)}`)
  }
  for (const problem of report.problems) lines.push(`problem  ${short(problem)}`)
  if (lines.length > 0 && lines.at(-1) !== '') lines.push('')

  if (report.partial) lines.push(`${paint('partial', 'blocked')}  ${short(report.partial)}`)
  if (report.resumed) {
    const { since, checks, approvals } = report.resumed
    const what = `${counted(checks, 'check')} and ${counted(approvals, 'approval')}`
    lines.push(`${paint('resumed', 'label')}  ${what} of the run that began at ${since}`)
  }
  const took = Date.parse(report.finishedAt) - Date.parse(report.startedAt)
  lines.push(
    `${paint(report.verdict.toUpperCase(), report.verdict)}  ${brief(report.target.name, 100)} (${report.scope.profile}${scopeWords(report)})`,
    verdictSentence(report),
    counts(report, paint),
    `${counted(report.requests, 'request')}, ${counted(report.approvals.length, 'visit')}, ${span(took)}`,
  )
  if (options.path) lines.push(`report  ${options.path}`)
  return `${lines.join('\n')}\n`
}

type Paint = (text: string, as: string) => string

function failure(
  check: CheckResult,
  requirement: RequirementResult | undefined,
  exchanges: Map<string, ExchangeRecord>,
  paint: Paint,
): string[] {
  const known = check.deviation
    ? ` (known deviation until ${brief(check.deviation.expires, 40)})`
    : ''
  const lines = [
    `${paint(check.outcome, check.outcome)}  ${check.id}  ${short(check.title)}${known}`,
  ]
  const row = (label: string, text: string | undefined) => {
    const [first, ...more] = text?.split('\n').filter((part) => part.trim() !== '') ?? []
    if (first === undefined) return
    lines.push(`  ${paint(label.padEnd(12), 'label')}${short(first)}`)
    for (const part of more.slice(0, MAX_LINES - 1)) lines.push(`${' '.repeat(14)}${short(part)}`)
    const left = more.length - (MAX_LINES - 1)
    if (left > 0) lines.push(`${' '.repeat(14)}… ${counted(left, 'more line')}`)
  }
  if (requirement)
    row('requirement', `${requirement.level} · ${requirement.source} · ${requirement.text}`)
  row('message', check.message)
  row('expected', check.expected)
  row('actual', check.actual)
  const id = check.exchanges[0]
  if (id) {
    const exchange = exchanges.get(id)
    row('exchange', exchange ? `${id}  ${headline(exchange)}` : id)
  }
  return lines
}

function short(text: string): string {
  return brief(text, 300)
}

function scopeWords(report: Report): string {
  return report.scope.only.length > 0 ? `, only ${brief(report.scope.only.join(' '), 200)}` : ''
}

function counts(report: Report, paint: Paint): string {
  const best: Outcome[] = ['pass', ...OUTCOMES.filter((outcome) => outcome !== 'pass')]
  return best
    .map((outcome) => ({ outcome, n: report.summary[summaryKey(outcome)] }))
    .filter(({ n }) => n > 0)
    .map(({ outcome, n }) => paint(`${n} ${outcome}`, outcome))
    .join(' · ')
}
