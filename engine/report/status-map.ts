import { brief, clip } from './escape.ts'
import { excerptLines, excerptOf } from './excerpt.ts'
import { splitChapter } from './queries.ts'
import type { CheckResult, ExchangeRecord, Report } from './report.ts'

/**
 * What a test dashboard is told of an outcome. Dashboards know four words and Assay eight, so this
 * is one table for JUnit, CTRF and Allure: green is what passed (a broken `should` included, marked),
 * red is what makes a run nonconformant, `broken` is a must without a verdict or our own error, and
 * everything else is `skipped` with its reason, never green: what was not judged, what is only
 * recorded, and a failure that a known deviation covers, since it doesn't fail the run either.
 */
export type MachineStatus = 'passed' | 'failed' | 'broken' | 'skipped'

export function machineStatus(check: CheckResult): MachineStatus {
  switch (check.outcome) {
    case 'pass':
    case 'warn':
      return 'passed'
    case 'fail':
      return check.deviation ? 'skipped' : 'failed'
    case 'error':
      return 'broken'
    case 'blocked':
      return check.level === 'must' ? 'broken' : 'skipped'
    default:
      return 'skipped'
  }
}

/** One line that says what happened: outcome, cause, message. Empty for a pass. */
export function machineMessage(check: CheckResult, max = 1000): string {
  if (check.outcome === 'pass') return ''
  const words: string[] = [check.outcome]
  if (check.deviation)
    words.push(`(known deviation until ${check.deviation.expires}: ${check.deviation.reason})`)
  if (check.blockedBy) words.push(`by ${check.blockedBy}`)
  const said = check.message || (check.outcome === 'fail' ? 'no message' : '')
  return brief(said ? `${words.join(' ')}: ${said}` : words.join(' '), max)
}

/**
 * The message with expected, actual, place, the exchanges that are the evidence, and the lines of the
 * body around the place, that which is wrong marked.
 */
export function machineDetail(
  check: CheckResult,
  exchanges: Map<string, ExchangeRecord>,
  max = 4000,
): string {
  const lines = [check.title, machineMessage(check, max)]
  if (check.expected) lines.push(`expected: ${clip(check.expected, max)}`)
  if (check.actual) lines.push(`actual: ${clip(check.actual, max)}`)
  if (check.place) lines.push(`place: ${clip(check.place, 500)}`)
  if (check.exchanges.length > 0) lines.push(`exchanges: ${clip(check.exchanges.join(' '), 500)}`)
  if (check.control) lines.push(`control: ${check.control.exchange}, ${check.control.summary}`)
  if (check.source) lines.push(`defined in: ${check.source.file}:${check.source.line}`)
  const excerpt = excerptOf(check, exchanges.get(check.exchanges[0] ?? ''))
  if (excerpt) lines.push(...excerptLines(excerpt))
  return lines.filter((line) => line !== '').join('\n')
}

/** Stable dotted name of the place of a check: `assay.account-information.transactions`. */
export function machineSuite(chapter: string): string {
  const parts = splitChapter(chapter)
  return `assay.${parts.document}.${parts.chapter}`
}

/** Chapter of each check: that of its requirement. */
export function chapterOf(report: Report): (check: CheckResult) => string {
  const chapters = new Map(report.requirements.map(({ id, chapter }) => [id, chapter]))
  return (check) => chapters.get(check.requirement) ?? 'other/unknown'
}
