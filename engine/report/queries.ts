import { ASSAY, word } from '../record/program.ts'
import { clip } from './escape.ts'
import type {
  CheckResult,
  ExchangeRecord,
  Outcome,
  Report,
  ReportedCause,
  RequirementResult,
} from './report.ts'

/** Maximum length of one string of a report in anything derived from it. */
const MAX_STRING = 4000

/** A run indexed for look-ups. */
export interface Indexed {
  report: Report
  checks: ReadonlyMap<string, CheckResult>
  requirements: ReadonlyMap<string, RequirementResult>
  exchanges: ReadonlyMap<string, ExchangeRecord>
}

const done = new WeakMap<Report, Report>()

/** A run with a bounded report, and its parts by id. */
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

/** Groups parts by a key and keeps their order; no group is empty. */
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
 * The report with every string cut to a readable length, with a note of what is left out. report.json keeps the whole.
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

/** Worst first, for readers. */
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

/** The member of `summary` for an outcome. */
export function summaryKey(outcome: Outcome): keyof Report['summary'] {
  if (outcome === 'not-applicable') return 'notApplicable'
  return outcome === 'not-run' ? 'notRun' : outcome
}

/** Checks with these outcomes; those that a known deviation covers come last. */
export function checksWith(report: Pick<Report, 'checks'>, ...outcomes: Outcome[]): CheckResult[] {
  const found = report.checks.filter((check) => outcomes.includes(check.outcome))
  return [...found.filter((c) => !c.deviation), ...found.filter((c) => c.deviation)]
}

/** Checks with these outcomes, in the order of the causes. */
export function byCause(report: Report, ...outcomes: Outcome[]): CheckResult[] {
  const order = report.causes.flatMap(({ findings }) => findings)
  return checksWith(report, ...outcomes).sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
}

/** Outcomes that require no action. */
export const IN_ORDER: readonly Outcome[] = ['pass', 'observed', 'not-applicable']

/** True if a reader must act on the outcome, so that the check has its own card. */
export function hasCard(outcome: Outcome): boolean {
  return outcome === 'fail' || outcome === 'error' || outcome === 'warn'
}

/** True if somebody has to act on the cause. A bank's freedom requires no action. */
export const isWrong = ({ whose }: Pick<ReportedCause, 'whose'>): boolean => whose !== 'nobody'

/** Ids of the exchanges that are evidence for a check; its control comes last. */
export function evidenceOf({ exchanges, control }: CheckResult): string[] {
  return control ? [...exchanges, control.exchange] : exchanges
}

/** Only the judged exchange and its control. */
export function essenceOf({ exchanges, control }: CheckResult): string[] {
  return [control?.exchange, exchanges[0]].filter((id) => id !== undefined)
}

/** Duration of the run in milliseconds. */
export function durationOf({ startedAt, finishedAt }: Report): number {
  return Date.parse(finishedAt) - Date.parse(startedAt)
}

/** Requirements in scope that no check tests, each with its reason. */
export function untested({ requirements }: Report) {
  return requirements.flatMap(({ notTested, ...requirement }) =>
    notTested === undefined ? [] : [{ ...requirement, notTested }],
  )
}

export function untestedMusts(report: Report) {
  return untested(report).filter(({ level }) => level === 'must')
}

/** Documents, their chapters and the chapters' requirements, in the order of the report. */
export function byChapter(report: Report) {
  const place = ({ chapter }: RequirementResult) => splitChapter(chapter)
  const documents = grouped(report.requirements, (each) => place(each).document)
  return [...documents].map(([document, all]) => {
    const chapters = grouped(all, (each) => place(each).chapter)
    return {
      document,
      chapters: [...chapters].map(([chapter, requirements]) => ({ chapter, requirements })),
    }
  })
}

/** Splits `account-information/transactions` into its two parts. */
export function splitChapter(chapter: string): { document: string; chapter: string } {
  const slash = chapter.indexOf('/')
  if (slash < 0) return { document: 'other', chapter }
  return { document: chapter.slice(0, slash), chapter: chapter.slice(slash + 1) }
}

/** `GET /transactions → 200`, or what happened instead of a response. */
export function headline({ request, response, failure }: ExchangeRecord): string {
  const ending = response?.status ?? (failure ? `${failure.kind} ${failure.code}` : 'nothing')
  return `${request.method} ${clip(pathOf(request.url), 120)} → ${ending}`
}

export function headerOf(headers: [string, string][], wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1]
}

/** Path and query of a URL; the text itself when it is not a URL. */
export function pathOf(url: string): string {
  const match = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)/is.exec(url)
  return match ? match[1] || '/' : url
}

/** Words for identities that offer no client certificate. */
const WITHOUT: Readonly<Record<string, string>> = {
  none: 'no client certificate',
  resumed: 'no client certificate, in a TLS session that began elsewhere',
}

/** True if this identity offers a client certificate. */
export const isOffered = (identity: string): boolean => WITHOUT[identity] === undefined

/** The offered client certificate in words. */
export const certificateWords = (identity: string): string =>
  WITHOUT[identity] ?? `the ${identity} client certificate`

/** The command that sends the requests of a check of a run again. */
export function repeatCommand(check: Pick<CheckResult, 'id' | 'case'>, folder: string): string {
  if (check.case !== undefined) return `${ASSAY} explore --cases ${word(check.case)} --target FILE`
  return `${ASSAY} reproduce ${check.id} --run ${word(folder)}`
}
