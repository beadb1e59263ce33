import { causeFacts, sizeFigures, verdictSentence, verdictWord } from './counts.ts'
import { brief, clip, counted, oneLine, span } from './escape.ts'
import { excerptLines, excerptOf } from './excerpt.ts'
import {
  boundedReport,
  byCause,
  checksWith,
  durationOf,
  headline,
  type Indexed,
  indexed,
  isWrong,
  OUTCOMES,
  summaryKey,
  untestedMusts,
} from './queries.ts'
import type { CheckResult, ExchangeRecord, Report, ReportedCause } from './report.ts'
import type { WorkflowCommand } from './terminal.ts'

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
  const run = indexed(whole, exchanges)
  const { report } = run
  const visits = sizeFigures(report).find(({ word }) => word === 'visits')
  const outcomes = OUTCOMES.filter((outcome) => report.summary[summaryKey(outcome)] > 0)
  const head = [
    `## Assay: ${text(verdictWord(report))}, ${text(report.target.name)}`,
    '',
    text(verdictSentence(report)),
    ...(report.partial ? ['', `**Partial run:** ${text(report.partial)}`] : []),
    '',
    `| ${outcomes.join(' | ')} |`,
    `|${' ---: |'.repeat(outcomes.length)}`,
    `| ${outcomes.map((outcome) => report.summary[summaryKey(outcome)]).join(' | ')} |`,
    '',
    `${counted(report.requests, 'request')}, ${counted(visits?.n ?? 0, 'visit')} ${visits?.meaning ?? ''}, ${span(durationOf(report))}, exit code ${report.exitCode}`,
    '',
    '',
  ]
  const causes = report.causes.filter(isWrong).map((cause) => `- ${causeLine(cause, run)}\n`)
  const paragraphs = byCause(report, 'error', 'fail').map((check, i) =>
    i < DETAILED
      ? paragraph(check, run)
      : `- ${check.outcome} ${code(check.id)} ${text(clip(check.title, 200))}\n`,
  )
  return bounded([
    head.join('\n'),
    ...(causes.length > 0 ? ['### What is wrong\n\n', ...causes, '\n'] : []),
    ...paragraphs,
    ...report.leftBehind.map(
      ({ kind, id, why }) => `- left behind: ${kind} ${code(id)}: ${text(clip(why, 300))}\n`,
    ),
    ...report.problems.map((problem) => `- problem: ${text(clip(problem, 300))}\n`),
    untested(report),
  ])
}

/** Whose, what, where, and what it explains: one line a cause. */
function causeLine(cause: ReportedCause, { checks }: Indexed): string {
  const { title, findings, known } = cause
  const outcome = known ? 'known' : (checks.get(findings[0] ?? '')?.outcome ?? 'blocked')
  const id = findings[0] === undefined ? '' : ` ${code(findings[0])}`
  const facts = causeFacts(cause).join(', ')
  return `**${outcome}**${id} ${text(clip(title, 300))} (${text(facts)})`
}

/** Closed, since it is the same every night. */
function untested(report: Report): string {
  const musts = untestedMusts(report)
  if (musts.length === 0) return ''
  const rows = musts.map(
    ({ id, text: words, notTested }) =>
      `- ${code(id)} ${text(clip(words, 300))} ${text(clip(notTested, 500))}\n`,
  )
  const head = `\n<details><summary>${counted(musts.length, 'must')} that no check tests</summary>\n\n`
  return `${head}${rows.join('')}\n</details>\n`
}

function paragraph(check: CheckResult, { requirements, exchanges }: Indexed): string {
  const exchange = exchanges.get(check.exchanges[0] ?? '')
  // As a block of code, in which nothing is markup.
  const body = excerptLines(excerptOf(check, exchange)).map((line) => `    ${oneLine(line)}\n`)
  const known = check.deviation ? ` (known deviation until ${text(check.deviation.expires)})` : ''
  const rows: [string, string | undefined][] = [
    ['requirement', requirements.get(check.requirement)?.text],
    ['message', check.message],
    ['expected', check.expected],
    ['actual', check.actual],
    ['exchange', exchange ? `${exchange.id} ${headline(exchange)}` : check.exchanges[0]],
  ]
  const lines = rows
    .filter(([, value]) => value)
    .map(([name, value]) => `| ${name} | ${text(clip(value ?? '', 500))} |`)
  return `### ${check.outcome} ${code(check.id)}${known}\n\n${text(clip(check.title, 300))}\n\n| | |\n| --- | --- |\n${lines.join('\n')}\n\n${body.length > 0 ? `${body.join('')}\n` : ''}`
}

/** Parts as long as they fit, and how many don't. */
function bounded(parts: string[]): string {
  let size = 0
  const end = parts.findIndex((part) => {
    size += Buffer.byteLength(part)
    return size > MAX_SUMMARY
  })
  if (end < 0) return parts.join('')
  const left = counted(parts.length - end, 'more finding')
  return `${parts.slice(0, end).join('')}\n… ${left} in report.html\n`
}

/**
 * Text that Markdown takes literally, on one line. Signs that it, HTML or GitHub would obey become
 * entities; the others stay, so that a reader of the plain file can read it.
 */
function text(words: string): string {
  return oneLine(words)
    .replace(/[&<>`*_~[\]\\|#@!$]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/:\/\//g, '&#58;//')
    .replace(/\bwww\./gi, 'www&#46;')
    .replace(
      /^(\s*)(-|\d+[.)])/,
      (_, space: string, mark: string) => `${space}&#${mark.charCodeAt(0)};${mark.slice(1)}`,
    )
}

function code(words: string): string {
  return `<code>${text(words)}</code>`
}

/**
 * Workflow commands that GitHub shows beside a run, ten at most: one per failure, the last one saying
 * how many more there are. Write them to the standard output of a step.
 */
export function annotations(whole: Report): WorkflowCommand[] {
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

function command(title: string, message: string): WorkflowCommand {
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
  return `::error title=${property(title)}::${data(message)}` as WorkflowCommand
}
