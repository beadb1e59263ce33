import { causeFacts, sizeFigures, verdictHeadline, verdictSentence } from './counts.ts'
import { brief, clip, counted, oneLine, span } from './escape.ts'
import { excerptLines, excerptOf } from './excerpt.ts'
import { code, codeBlock, linesOf, type Markdown, markdown, markdownText } from './markdown.ts'
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

/** GitHub refuses a step summary of more than 1 MiB; this leaves room for other steps. */
const MAX_SUMMARY = 900 * 1024
/** GitHub shows ten annotations of a kind per step. */
const MAX_ANNOTATIONS = 10
/** Number of failures that get a paragraph; the rest get a line. */
const DETAILED = 25

/**
 * Markdown for `$GITHUB_STEP_SUMMARY`: the verdict, counts, failures with requirement, expected, actual and exchange,
 * and the causes of blocked checks. Text from a bank is escaped: it cannot add markup, mentions or links.
 */
export function stepSummary(whole: Report, exchanges: ExchangeRecord[]): string {
  const run = indexed(whole, exchanges)
  const { report } = run
  const visits = sizeFigures(report).find(({ word }) => word === 'visits')
  const outcomes = OUTCOMES.filter((outcome) => report.summary[summaryKey(outcome)] > 0)
  const { partial } = report
  const head = markdown`## Assay: ${verdictHeadline(report)}, ${report.target.name}

${verdictSentence(report)}
${partial !== undefined && markdown`\n**Partial run:** ${partial}\n`}
${tableOf([outcomes, outcomes.map((outcome) => report.summary[summaryKey(outcome)])])}

${counted(report.requests, 'request')}, ${counted(visits?.n ?? 0, 'visit')} ${visits?.meaning}, ${span(durationOf(report))}, exit code ${report.exitCode}

`
  const causes = report.causes.filter(isWrong).map((cause) => causeLine(cause, run))
  const paragraphs = byCause(report, 'error', 'fail').map((check, i) =>
    i < DETAILED
      ? paragraph(check, run)
      : markdown`- ${check.outcome} ${code(check.id)} ${clip(check.title, 200)}\n`,
  )
  return bounded([
    head,
    ...(causes.length > 0 ? [markdown`### What is wrong\n\n`, ...causes, markdown`\n`] : []),
    ...paragraphs,
    ...report.leftBehind.map(
      ({ kind, id, why }) => markdown`- left behind: ${kind} ${code(id)}: ${clip(why, 300)}\n`,
    ),
    ...report.problems.map((problem) => markdown`- problem: ${clip(problem, 300)}\n`),
    untested(report),
  ])
}

/** The first row is the head; numbers are right-aligned. */
function tableOf([head = [], ...rows]: (string | number)[][]): Markdown {
  const row = (cells: (string | number)[]) =>
    markdown`| ${cells.map((cell, at) => markdown`${at > 0 && markdown` | `}${cell}`)} |`
  return linesOf([row(head), markdown`|${head.map(() => markdown` ---: |`)}`, ...rows.map(row)])
}

/** One line per cause: who can fix it, what, where, and what it explains. */
function causeLine(cause: ReportedCause, { checks }: Indexed): Markdown {
  const { title, findings, known } = cause
  const outcome = known ? 'known' : (checks.get(findings[0] ?? '')?.outcome ?? 'blocked')
  const id = findings[0] !== undefined && markdown` ${code(findings[0])}`
  return markdown`- **${outcome}**${id} ${clip(title, 300)} (${causeFacts(cause).join(' · ')})\n`
}

/** Closed by default, because it is the same every night. */
function untested(report: Report): Markdown {
  const musts = untestedMusts(report)
  if (musts.length === 0) return markdown``
  const rows = musts.map(
    ({ id, text, notTested }) =>
      markdown`- ${code(id)} ${clip(text, 300)} ${clip(notTested, 500)}\n`,
  )
  return markdown`
<details><summary>${counted(musts.length, 'must')} that no check tests</summary>

${rows}
</details>
`
}

function paragraph(check: CheckResult, { requirements, exchanges }: Indexed): Markdown {
  const exchange = exchanges.get(check.exchanges[0] ?? '')
  const body = excerptLines(excerptOf(check, exchange))
  const until = check.deviation?.expires
  const known = until !== undefined && markdown` (known deviation until ${until})`
  const rows: [string, string | undefined][] = [
    ['requirement', requirements.get(check.requirement)?.text],
    ['message', check.message],
    ['expected', check.expected],
    ['actual', check.actual],
    ['exchange', exchange ? `${exchange.id} ${headline(exchange)}` : check.exchanges[0]],
  ]
  const said = rows.flatMap(([name, value]) =>
    value ? [markdown`| ${name} | ${clip(value, 500)} |\n`] : [],
  )
  return markdown`### ${check.outcome} ${code(check.id)}${known}

${clip(check.title, 300)}

| | |
| --- | --- |
${said}
${body.length > 0 && markdown`${codeBlock(body)}\n`}`
}

/** The parts that fit, and the number of those that don't. */
function bounded(parts: readonly Markdown[]): string {
  const texts = parts.map(markdownText)
  let size = 0
  const end = texts.findIndex((text) => {
    size += Buffer.byteLength(text)
    return size > MAX_SUMMARY
  })
  if (end < 0) return texts.join('')
  const left = counted(texts.length - end, 'more finding')
  return `${texts.slice(0, end).join('')}\n… ${left} in report.html\n`
}

/**
 * Workflow commands that GitHub shows beside a run, at most ten: one per failure; the last one gives the number of
 * further failures. Write them to the standard output of a step.
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
    lines.push(command(`Assay: ${verdictHeadline(report)}`, verdictSentence(report)))
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
