import { boundedReport } from './bounded-report.ts'
import {
  blockedByCause,
  checksWith,
  headline,
  OUTCOMES,
  requirementsById,
  summaryKey,
  untestedMusts,
  verdictSentence,
} from './findings.ts'
import { brief, clip, counted, oneLine, span } from './legible.ts'
import type { CheckResult, ExchangeRecord, Report } from './report.ts'

/** GitHub refuses a step summary of more than 1 MiB; this leaves room for what others append. */
const MAX_SUMMARY = 900 * 1024
/** GitHub shows ten annotations of a kind and step. */
const MAX_ANNOTATIONS = 10
/** Failures that get a paragraph; the rest get a line. */
const DETAILED = 25

/**
 * Markdown for `$GITHUB_STEP_SUMMARY`: the verdict, counts, failures with requirement, expected,
 * actual and exchange, causes of what is blocked. Whatever a bank sent is text: no markup, mention or
 * link of its own survives.
 */
export function stepSummary(whole: Report, exchanges: ExchangeRecord[]): string {
  const report = boundedReport(whole)
  const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]))
  const requirements = requirementsById(report)
  const took = Date.parse(report.finishedAt) - Date.parse(report.startedAt)
  const outcomes = OUTCOMES.filter((outcome) => report.summary[summaryKey(outcome)] > 0)
  const head = [
    `## Assay: ${text(report.verdict)}, ${text(report.target.name)}`,
    '',
    text(verdictSentence(report)),
    ...(report.partial ? ['', `**Partial run:** ${text(report.partial)}`] : []),
    '',
    `| ${outcomes.join(' | ')} |`,
    `|${' ---: |'.repeat(outcomes.length)}`,
    `| ${outcomes.map((outcome) => report.summary[summaryKey(outcome)]).join(' | ')} |`,
    '',
    `${counted(report.requests, 'request')}, ${counted(report.approvals.length, 'visit')}, ${span(took)}, exit code ${report.exitCode}`,
    '',
    '',
  ]
  const failures = checksWith(report, 'error', 'fail')
  const paragraphs = failures.map((check, i) =>
    i < DETAILED
      ? paragraph(check, requirements.get(check.requirement)?.text ?? '', byId)
      : `- ${check.outcome} ${code(check.id)} ${text(clip(check.title, 200))}\n`,
  )
  const rest = [
    ...blockedByCause(report).map(
      ({ cause, checks }) =>
        `- blocked: ${counted(checks.length, 'check')} by ${text(clip(cause, 300))}`,
    ),
    ...report.leftBehind.map(
      ({ kind, id, why }) => `- left behind: ${kind} ${code(id)}: ${text(clip(why, 300))}`,
    ),
    ...report.problems.map((problem) => `- problem: ${text(clip(problem, 300))}`),
  ]
  return bounded([
    head.join('\n'),
    ...paragraphs,
    ...rest.map((line) => `${line}\n`),
    ...untested(report),
  ])
}

/** Closed, since it is the same every night. */
function untested(report: Report): string[] {
  const musts = untestedMusts(report)
  if (musts.length === 0) return []
  const rows = musts.map(
    ({ id, text: words, notTested }) =>
      `- ${code(id)} ${text(clip(words, 300))} ${text(clip(notTested, 500))}\n`,
  )
  const head = `\n<details><summary>${counted(musts.length, 'must')} that no check tests</summary>\n\n`
  return [`${head}${rows.join('')}\n</details>\n`]
}

function paragraph(
  check: CheckResult,
  requirement: string,
  exchanges: Map<string, ExchangeRecord>,
): string {
  const exchange = exchanges.get(check.exchanges[0] ?? '')
  const known = check.deviation ? ` (known deviation until ${text(check.deviation.expires)})` : ''
  const rows: [string, string | undefined][] = [
    ['requirement', requirement],
    ['message', check.message],
    ['expected', check.expected],
    ['actual', check.actual],
    ['exchange', exchange ? `${exchange.id} ${headline(exchange)}` : check.exchanges[0]],
  ]
  const lines = rows
    .filter(([, value]) => value)
    .map(([name, value]) => `| ${name} | ${text(clip(value ?? '', 500))} |`)
  return `### ${check.outcome} ${code(check.id)}${known}\n\n${text(clip(check.title, 300))}\n\n| | |\n| --- | --- |\n${lines.join('\n')}\n\n`
}

/** Parts as long as they fit, and how many don't. */
function bounded(parts: string[]): string {
  let size = 0
  let kept = 0
  for (const part of parts) {
    size += Buffer.byteLength(part)
    if (size > MAX_SUMMARY) break
    kept += 1
  }
  const left = parts.length - kept
  return `${parts.slice(0, kept).join('')}${left > 0 ? `\n… ${counted(left, 'more finding')} in report.html\n` : ''}`
}

/** Text that Markdown takes literally, on one line: every ASCII sign is an entity. */
function text(words: string): string {
  return oneLine(words).replace(/[!-/:-@[-`{-~]/g, (sign) =>
    sign === ',' || sign === '-' || sign === ' ' ? sign : `&#${sign.charCodeAt(0)};`,
  )
}

function code(words: string): string {
  return `<code>${text(words)}</code>`
}

/**
 * Workflow commands that GitHub shows beside a run, ten at most: one per failure, the last one saying
 * how many more there are. Write them to the standard output of a step.
 */
export function annotations(whole: Report): string[] {
  const report = boundedReport(whole)
  const found = checksWith(report, 'error', 'fail').filter((check) => !check.deviation)
  const shown = found.length > MAX_ANNOTATIONS ? found.slice(0, MAX_ANNOTATIONS - 1) : found
  const lines = shown.map((check) => {
    const words = [check.title, check.message]
    if (check.expected) words.push(`expected: ${brief(check.expected, 300)}`)
    if (check.actual) words.push(`actual: ${brief(check.actual, 300)}`)
    return command(`${check.outcome} ${check.id}`, clip(words.filter(Boolean).join('\n'), 1500))
  })
  if (shown.length < found.length) {
    lines.push(
      command('Assay', `${counted(found.length - shown.length, 'more failure')} in report.html`),
    )
  }
  if (found.length === 0 && report.exitCode !== 0) {
    lines.push(command(`Assay: ${report.verdict}`, verdictSentence(report)))
  }
  return lines
}

function command(title: string, message: string): string {
  const data = (words: string) =>
    words
      .split('\n')
      .map(oneLine)
      .join('\n')
      .replaceAll('%', '%25')
      .replaceAll('\r', '%0D')
      .replaceAll('\n', '%0A')
  const property = (words: string) =>
    data(oneLine(words)).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return `::error title=${property(title)}::${data(message)}`
}
