import { createHash } from 'node:crypto'
import { brief, clip, visible } from './escape.ts'
import { excerptLines, excerptOf } from './excerpt.ts'
import { type Indexed, splitChapter } from './queries.ts'
import type { CheckResult } from './report.ts'

/**
 * The status of an outcome for test dashboards. Dashboards know four words and Assay eight, so JUnit, CTRF and Allure
 * share this table. Green: what passed, including a broken `should`, which is marked. Red: what makes a run
 * nonconformant. `broken`: a must without a verdict, or an error of Assay. Everything else is `skipped` with its
 * reason, never green: what was not judged, what is only recorded, and a failure that a known deviation covers, because
 * it doesn't fail the run either.
 */
export function machineStatus(check: CheckResult): 'passed' | 'failed' | 'broken' | 'skipped' {
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

/** One line with outcome, cause and message. Empty for a pass. */
export function machineMessage(check: CheckResult, max = 1000): string {
  const { outcome, deviation, blockedBy, message } = check
  if (outcome === 'pass') return ''
  const words = [
    outcome,
    deviation && `(known deviation until ${deviation.expires}: ${deviation.reason})`,
    blockedBy && `by ${blockedBy}`,
  ]
  const said = message || (outcome === 'fail' ? 'no message' : '')
  return brief(words.filter(Boolean).join(' ') + (said && `: ${said}`), max)
}

/**
 * The message with expected, actual, place, the exchanges that are the evidence, and the lines of the body around the
 * place, with the wrong part marked; safe to show.
 */
export function machineDetail(check: CheckResult, exchanges: Indexed['exchanges']): string {
  const { expected, actual, place, control, source } = check
  const lines = [
    check.title,
    machineMessage(check, 4000),
    expected && `expected: ${clip(expected, 4000)}`,
    actual && `actual: ${clip(actual, 4000)}`,
    place && `place: ${clip(place, 500)}`,
    check.exchanges.length > 0 && `exchanges: ${clip(check.exchanges.join(' '), 500)}`,
    control && `control: ${control.exchange}, ${control.summary}`,
    source && `defined in: ${source.file}:${source.line}`,
    ...excerptLines(excerptOf(check, exchanges.get(check.exchanges[0] ?? ''))),
  ]
  return visible(lines.filter(Boolean).join('\n'))
}

/** Document and chapter of a check, from its requirement. */
export function placeOf({ requirements }: Indexed, { requirement }: CheckResult) {
  return splitChapter(requirements.get(requirement)?.chapter ?? 'other/unknown')
}

/** A UUID (version 8 of RFC 9562: custom) that is the same for the same words. */
export function stableUuid(words: string): string {
  const hex = createHash('sha256').update(words).digest('hex')
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
